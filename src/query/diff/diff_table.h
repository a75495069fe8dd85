/* A comparison as tables. */
#ifndef PTOOL_QUERY_DIFF_TABLE_H
#define PTOOL_QUERY_DIFF_TABLE_H

#include "base/memtable.h"
#include "query/diff/diff.h"

enum diff_view {
	DIFF_VIEW_ROWS,     /* for people with all of the others */
	DIFF_VIEW_HEADLINE, /* one row */
	DIFF_VIEW_ACCOUNTING,
	NDIFF_VIEWS
};

struct diff_style {
	enum diff_view view;
	bool people;   /* else the machine's columns, whole */
	int width;     /* of the terminal; 0: unlimited */
	int64_t limit; /* rows; 0: all */
};

/* The rows, the largest delta first.  The table is the caller's, and copies all. */
struct memtable *diff_rows_table(const struct diff *d, const struct diff_style *style);

/* diff_people.c: the first `nrows` of them for people. */
struct memtable *diff_people_table(const struct diff *d, const struct diff_style *style,
				   size_t nrows);

/* diff_headline_table.c: for machines one row; for people the line below is all. */
struct memtable *diff_headline_table(const struct diff *d,
				     const struct diff_style *style);

/* Columns of an amount in its unit: "base_ns", "base_bytes", "base_count". */
const struct column *diff_columns_of(enum unit unit, const struct column *ns,
				     const struct column *bytes,
				     const struct column *count);
const char *diff_status_name(enum diff_status status);
/* Calls per unit of a side: a whole number where it is one. */
struct cell diff_calls_cell(const struct diff *d, const struct diff_row *row,
			    enum diff_which which);
/* Null unless it is finite; an amount is rounded. */
struct cell diff_real_cell(double value);
struct cell diff_amount_cell(double value);

/*
 * diff_verdict.c: the verdict in one line, with what was before and after and the row that
 * explains most; then its statistics, and the outliers, where there are any.  In the
 * arena; NULL-terminated, with at least the first.
 */
const char *const *diff_headline_lines(const struct diff *d, struct arena *arena);
/* diff_words.c: the name of a row, short enough for a line of words. */
const char *diff_short_name(const struct diff *d, const struct diff_row *row,
			    struct arena *arena);
/* What the headline is of: "step"; of what its samples are; and in which unit. */
const char *diff_subject_name(const struct diff *d);
const char *diff_subject_replicates(const struct diff *d);
enum unit diff_subject_unit(const struct diff *d);
/* Above the rows: what they are, and which way their deltas go. */
const char *diff_rows_caption(const struct diff *d, struct arena *arena);
/* Below them: what the statistics cannot tell, and what they would need. */
void diff_add_notes(const struct diff *d, struct memtable *to);
/* Why there is no verdict; NULL when there is one. */
const char *diff_undecided_text(const struct diff *d, struct arena *arena);

#endif
