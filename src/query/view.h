/*
 * Views: what a table command shows, declared as fields, and the one function that
 * makes tables of them.  A view's own code loads rows; which columns there are, their
 * order, the order of the rows, the limit and the share of what is shown come from here.
 *
 *	static const struct field fields[] = {
 *		{ "name", "Name", "name, A to Z", NULL, UNIT_TEXT,
 *		  .get = get_name, .flags = FIELD_KEY },
 *		{ "calls", "Calls", "number of calls", "count", UNIT_COUNT,
 *		  .get = view_int64, .arg = offsetof(struct row, calls) },
 *		{ .name = NULL },
 *	};
 *	const struct view kernels_view = { .name = "kernels", .fields = fields,
 *					   .people = "name calls", .sort = "calls" };
 */
#ifndef PTOOL_QUERY_VIEW_H
#define PTOOL_QUERY_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/field.h"
#include "base/memtable.h"

/* A word of --by, and what it asks for. */
struct view_word {
	const char *name; /* NULL ends an array */
	unsigned asks;    /* bits for struct field's `needs` */
};

struct view {
	const char *name;
	const struct field *fields; /* in the order of machine formats */
	const char *people; /* the fields that people see, in order: "name calls" */
	const char *sort;   /* the field that sorts; NULL: rows stay as loaded */
	const struct view_word *by;   /* NULL: the view has no --by */
	const char *share, *share_of; /* "total_ns" and "kernel time", for the footer */
};

/* What one call asks of a view; zeroed: all rows in the view's own order. */
struct view_request {
	const struct field *sort; /* NULL: the view's own */
	int64_t limit;            /* rows to show; 0: all */
	unsigned asked;           /* bits for struct field's `needs` */
	bool reverse;             /* the other direction */
	bool for_people;
};

/* Rows that are loaded, borrowed. */
struct view_rows {
	const void *from;  /* what a field's get() is given beside the row */
	const void *items; /* n of them, each of `size` bytes */
	size_t n, size;
};

/*
 * Names and texts ascend, numbers descend, null is last; ties go by the view's own sort,
 * then by its keys, then as loaded.  People's tables lack columns that are null or 0
 * in all rows.  total_rows counts all rows.  table_free(&m->table) frees; rows may go
 * before that.
 */
struct memtable *view_table(const struct view *view, const struct view_rows *rows,
			    const struct view_request *request);

/* NULL when none has this name; of --sort's names when `wanted` is what a user typed. */
const struct field *view_field(const struct view *view, const char *wanted);
/* Is it a key of --sort? */
bool view_sorts_by(const struct field *field);
/* Every name of --sort, NULL-terminated, the fields' own first: for messages. */
const char *const *view_sort_names(const struct view *view, struct arena *arena);

/*
 * What the words of a list such as "op,stream" ask for.  Others than the view's ask for
 * nothing: option tables refuse them, by view_by_at().
 */
unsigned view_by(const struct view *view, const char *list);

/* For option rows: key i of --sort, and word i of --by; NULL behind the last. */
const char *view_sort_at(const struct view *view, size_t i);
const char *view_by_at(const struct view *view, size_t i);

/* For struct field's get(): a member of the row at offset `arg`. */
struct cell view_int64(const void *from, const void *row, int arg);
struct cell view_number(const void *from, const void *row, int arg); /* or NUMBER_NONE */

#endif
