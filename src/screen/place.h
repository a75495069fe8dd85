/*
 * A place of the browser: a command line, its answer, and where in it one is.  Places
 * lie on each other: one goes back to the one below.
 */
#ifndef PTOOL_SCREEN_PLACE_H
#define PTOOL_SCREEN_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "screen/screen.h"
#include "screen/sections.h"
#include "screen/sheet.h"

#define PLACE_WORDS 24 /* of a command line, at most */

struct words {
	const char *items[PLACE_WORDS];
	size_t n;
};

/* What one changes about a place; texts in its arena. */
struct place_wish {
	const char *sort;  /* the column, or NULL: the command's own */
	const char *focus; /* a regular expression for the store, or NULL */
	const char *only;  /* text that the rows shown must have, or NULL */
	int64_t limit;     /* rows */
	bool reverse;
	bool wide;  /* every column, however long the lines */
	bool whole; /* whole names */
};

struct place {
	struct arena arena;
	const char *title; /* "slices of aten::mm" */
	const char *command;
	const struct habit *habit;
	struct words own;     /* after the command's name */
	struct words filters; /* those that ways from here keep */
	struct place_wish wish;
	struct table *answer; /* memtables; NULL: not asked yet, or there is none */
	struct sheet sheet;
	bool *folded;  /* by line of the sheet: what is deeper is hidden */
	size_t *shown; /* lines of the sheet that are not hidden */
	size_t nshown;
	size_t cursor, top; /* in `shown`: the line one is at, and the first on screen */
	int left;           /* cells that are left of the screen */
	int width;          /* that it is laid out for */
	bool is_asked;
	bool is_own; /* no command gives it */
	struct place *back;
};

/* A section's own. */
struct place *place_of_section(const struct section *section);
/* Where a way from the place's line `at` of the sheet leads; NULL: that line has it not. */
struct place *place_of_way(const struct place *from, const struct way *way, size_t at,
			   const struct screen *screen);
/* Frees it, not what it lies on. */
void place_free(struct place *p);

/* Is the way there for the row?  *text is what it is about, of the answer; or empty. */
bool place_has_way(const struct place *p, const struct screen *screen,
		   const struct way *way, size_t at, struct str *text);

/* "slices" of "slices of": less the word that leads to a name. */
struct str place_way_title(const struct way *way);
/* Adds what a menu says of it: "slices of aten::mm". */
void place_name_way(const struct way *way, struct str text, struct buf *out);

/*
 * The command line, with the command first and NULL last, in the arena; `width`: of
 * people's tables, 0 where a user will read it.  Returns the number of words.
 */
int place_argv(const struct place *p, const struct screen *screen, int width,
	       struct arena *arena, char ***argv);
/* "ptool top --sort=calls trace.json" */
void place_line(const struct place *p, const struct screen *screen, struct buf *out);

#endif
