/*
 * A table put into words for people: all rows collected, one unit a column, named in
 * the heading, or one a cell where numbers are too far apart for that, names shortened,
 * nothing in it that could drive a terminal.  What the renderers table and markdown share.
 */
#ifndef PTOOL_REPORT_PEOPLE_H
#define PTOOL_REPORT_PEOPLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/apart.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/memtable.h"
#include "base/table.h"
#include "base/units.h"

struct people_column {
	size_t at;          /* its place in the table's rows */
	struct str heading; /* "Self CPU (ms)"; in the arena */
	struct scale scale;
	bool has_scales;     /* each cell has a unit of its own, and names it */
	bool is_right;       /* aligned right: a column of numbers */
	size_t width;        /* terminal cells of its widest text, heading included */
	size_t whole_width;  /* the same before anything was shortened */
	size_t least;        /* cells that its field keeps; 0: it says nothing */
	size_t number_width; /* of its widest cell that is no text */
	struct str
		*texts; /* its shortened cells, by row, in the arena; NULL: as they are */
	size_t *firsts; /* by row, in the arena: people_first(); NULL: each its own */
};

struct people {
	const struct table *table; /* borrowed, at its end: caption, notes, totals */
	struct memtable *rows;     /* owned */
	struct arena arena;
	struct people_column *columns; /* in the arena; those that are drawn */
	size_t ncolumns;
	size_t nhidden;    /* columns that people_fit() took out */
	bool is_on_screen; /* the footer names keys of `ptool view`, not options */
	struct buf cell;   /* what people_cell returned last, if it was text */
	char number[UNITS_TEXT_MAX]; /* if it was none */
};

/* Pulls every row of t.  0, or -1 with err set; people_release in both cases. */
int people_collect(struct people *p, struct table *t, struct err *err);
void people_release(struct people *p);
/*
 * Takes out the columns whose fields say that they leave, until the others fit a line of
 * `width` terminal cells with `gutter` between them and names of a readable width.
 */
void people_fit(struct people *p, size_t width, size_t gutter);
/*
 * Shortens the column's text to `cells` at most.  The column is as wide as its widest text
 * then.  May be called again.
 */
void people_shorten(struct people *p, struct people_column *column, size_t cells,
		    apart_shorten_fn *by);
/*
 * Takes the middle out of texts far wider than `cells`, to which they will be shortened:
 * each step of that would look through it.  They are not whole in `rows` either then.
 */
void people_cut_middles(struct people *p, size_t cells);
/* The text of a cell of a drawn column; borrowed until the next call with the same p. */
struct str people_cell(struct people *p, size_t row, size_t column);
/* The first row of the column with the same text, where that is long: it is handled once. */
static inline size_t people_first(const struct people_column *column, size_t row)
{
	return column->firsts ? column->firsts[row] : row;
}
/* Caption or note made safe to print; borrowed as above. */
struct str people_line(struct people *p, const char *text);
/*
 * "20 of 1,432 rows, 93.1% of self CPU time; 1 column hidden, --wide shows it"; empty
 * below a form whose columns all fit, two lines where one would be wider than `width`.
 * Borrowed as above.
 */
struct str people_footer(struct people *p, size_t width);

#endif
