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
 *					   .people = VIEW_PART("name calls"),
 *					   .sort = "calls" };
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
#include "query/scope.h"

/* A word of --by, and what it asks for. */
struct view_word {
	const char *name; /* NULL ends an array */
	unsigned asks;    /* bits for struct field's `needs` */
};

/*
 * A table for people: its fields by name, in order, blank-separated.  A column that is
 * null or 0 in all rows leaves; "name!" stays for 0, and for null unless it is an amount.
 * "name?" leaves where all rows are equal, and "profile!" (FIELD_PROFILE) only where there
 * is one profile.
 */
struct view_part {
	const char *caption; /* may be NULL */
	const char *fields;  /* NULL ends an array */
};

/* People's only table. */
#define VIEW_PART(list)                                   \
	(const struct view_part[])                        \
	{                                                 \
		{ .fields = (list) }, { .fields = NULL }, \
	}

struct view {
	const char *name;
	const struct field *fields;     /* in the order of machine formats */
	const struct view_part *people; /* tables below each other */
	const char *sort;           /* the field that sorts; NULL: rows stay as loaded */
	const struct view_word *by; /* NULL: the view has no --by */
	const char *share, *share_of; /* "total_ns" and "kernel time", for the footer */
	bool is_form; /* for people, where all rows are shown: as struct table says */
};

/* What one call asks of a view; zeroed: all rows in the view's own order. */
struct view_request {
	const struct field *sort;       /* NULL: the view's own */
	const struct view_part *people; /* NULL: the view's own */
	int64_t limit;                  /* rows to show; 0: all */
	unsigned asked;                 /* bits for struct field's `needs` */
	enum unit amounts;              /* the unit of FIELD_AMOUNT */
	const char *title;              /* heading of the first field; NULL: its own */
	bool reverse;                   /* the other direction */
	bool is_sorted; /* rows are in their order already: view_order() */
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
 * then by its keys, then as loaded.  total_rows counts all rows.  For people the tables
 * of several parts hang on `more`, and the column that sorts does not leave.
 * table_free(&m->table) frees all; rows may go before.
 * No scope (NULL) for fields without FIELD_PROFILE.
 */
struct memtable *view_table(const struct view *view, const struct view_rows *rows,
			    const struct scope *scope,
			    const struct view_request *request);
/*
 * The places of all rows in that order, for who must look at those that are shown before
 * the table is made; the caller frees.
 */
uint32_t *view_order(const struct view *view, const struct view_rows *rows,
		     const struct view_request *request);
/*
 * view_table() of rows that are cells; fields get theirs by view_cell().  Caption,
 * notes and total_rows of `rows` are the result's.
 */
struct memtable *view_of_cells(const struct view *view, const struct memtable *rows,
			       const struct scope *scope,
			       const struct view_request *request);
/*
 * The same of a table of cells that streams, which is moved: rows stay in its order,
 * --sort and --limit are its own, and of people's columns none leaves for what rows
 * hold, but "rank?" with fewer than two ranks.  Caption, notes and totals are those of
 * `from`.
 */
struct table *view_stream(const struct view *view, struct table *from,
			  const struct scope *scope, const struct view_request *request);
/* Rows that come one after the other, for who makes them only then. */
struct view_feed {
	const void *from; /* what a field's get() is given beside the row */
	/* 1: *row holds until the next call; 0: end; -1: err is set. */
	int (*next)(struct view_feed *f, const void **row, struct err *err);
	void (*free)(struct view_feed *f);
};

/* The column of an amount: "self_ns" of the field "self". */
struct column view_amount(const struct field *field, enum unit unit, struct arena *arena);
/* For machines: all rows as they come; total_rows is the caller's.  The feed is moved. */
struct table *view_fed(const struct view *view, struct view_feed *feed,
		       const struct view_request *request);
/* The last of its parts: where notes belong. */
struct memtable *view_last_part(struct memtable *first);

/* NULL when none has this name, as fields spell it. */
const struct field *view_field_called(const struct view *view, struct str name);
/*
 * The same; of --sort's names when `wanted` is what a user typed: '-' is '_', a unit at the
 * end may be missing ("self_cpu"), and cuda, xpu, hpu, mtia and privateuse1 are "device",
 * as in torch.
 */
const struct field *view_field(const struct view *view, const char *wanted);
/* The same, but first of those that the request has a column of: "time" is another's, too. */
const struct field *view_field_asked(const struct view *view,
				     const struct view_request *request,
				     const char *wanted);
/* Is the column there: does it need nothing, or something that is asked for? */
bool view_has(const struct view_request *request, const struct field *field);
/*
 * The next field of a part, and its mark: '?', '!' or another; NULL after the last.
 * `*at` begins as the part's `fields`.
 */
const struct field *view_part_next(const struct view *view, const char **at, char *mark);
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
/* The row is an array of cells: the one at place `arg`. */
struct cell view_cell(const void *from, const void *row, int arg);

#endif
