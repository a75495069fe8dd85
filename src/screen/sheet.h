/*
 * An answer laid out for a screen: its tables, one below the other, as lines of which
 * one knows what they are.
 */
#ifndef PTOOL_SCREEN_SHEET_H
#define PTOOL_SCREEN_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "base/table.h"
#include "report/people_draw.h"

#define SHEET_NONE SIZE_MAX

/* A column as it was drawn. */
struct sheet_column {
	const char *name; /* of machine formats; the table's */
	size_t at, width; /* in terminal cells */
	bool is_right;
};

/* One of the tables. */
struct sheet_part {
	struct people people; /* its rows, whole */
	struct sheet_column *columns;
	size_t ncolumns;
	size_t heading; /* its line, or SHEET_NONE */
};

struct sheet_line {
	enum drawn kind;
	size_t part, row; /* of a row */
	size_t at, n;     /* in the text */
	unsigned depth;   /* of a row: blanks in front of its name */
};

struct sheet {
	struct sheet_part *parts;
	struct sheet_line *lines;
	size_t nparts, parts_cap, nlines, lines_cap;
	size_t nrows;
	size_t widest; /* cells of the widest line */
	struct buf text;
	struct arena arena;
};

struct sheet_layout {
	int width;    /* of a line; 0: unlimited */
	int name_max; /* of a name; 0: unlimited */
	bool whole_names;
	apart_shorten_fn *shorten;
	const char *tree; /* the column whose blanks are depths; NULL: there is none */
};

/*
 * Lays out all tables, which are memtables and outlive the sheet.  0, or -1 with err set;
 * sheet_release() in both cases.
 */
int sheet_make(struct sheet *s, struct table *t, const struct sheet_layout *layout,
	       struct err *err);
/* A sheet of this text alone, broken into lines. */
void sheet_of_text(struct sheet *s, const char *text, int width);
/* Accepts a zeroed one. */
void sheet_release(struct sheet *s);

struct str sheet_text(const struct sheet *s, size_t line);
/* The cell of a row's column of that name; false where the table has none, or it is null. */
bool sheet_cell(const struct sheet *s, size_t line, const char *column,
		struct cell *cell);

#endif
