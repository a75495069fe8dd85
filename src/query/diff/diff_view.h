/* A comparison as tables, and in words. */
#ifndef PTOOL_QUERY_DIFF_VIEW_H
#define PTOOL_QUERY_DIFF_VIEW_H

#include "query/diff/diff.h"
#include "query/view.h"

enum diff_part {
	DIFF_PART_ROWS,     /* people see it below the others */
	DIFF_PART_HEADLINE, /* one row */
	DIFF_PART_ACCOUNTING,
	NDIFF_PARTS
};

/* The rows: what --sort knows. */
extern const struct view diff_view;
extern const struct view diff_headline_view, diff_accounting_view, diff_noise_view;

/*
 * For people the accounting with the headline above it, and the rows below; for machines
 * one of the three, with the headline as its first note.  Without a new side: what noise
 * base has.  Sort, limit and for_people of `show` count.  0, or -1 with err set: ERR_EMPTY
 * when there is no accounting.  *out is the caller's in both cases; NULL: nothing was made.
 */
int diff_open_view(const struct diff *d, enum diff_part part,
		   const struct view_request *show, struct table **out, struct err *err);

/* Null unless it is finite; rounded. */
struct cell diff_amount_cell(double value);
/* For struct field's get(): a double at offset `arg` of the row, null as above. */
struct cell diff_get_real(const void *from, const void *row, int arg);
struct cell diff_get_amount(const void *from, const void *row, int arg);
/* Calls per unit: a whole number where it is one. */
struct cell diff_calls_cell(int64_t calls, int64_t units);

/* diff_headline.c: a row for machines; for people, who see its lines, none. */
struct memtable *diff_headline_table(const struct diff *d, bool for_people);
/* diff_noise.c: the table of a comparison without a new side.  ERR_EMPTY: too few values. */
int diff_noise_open(const struct diff *d, const struct view_request *show,
		    struct table **out, struct err *err);

/*
 * diff_words.c: the verdict in one line, with what was before and after and the row that
 * explains most; then its statistics, and the outliers, where there are any.  In the
 * arena; NULL-terminated, with at least the first.
 */
const char *const *diff_headline_lines(const struct diff *d, struct arena *arena);
/* What the headline is of: "step"; of what its samples are; and in which unit. */
const char *diff_subject_name(const struct diff *d);
const char *diff_subject_replicates(const struct diff *d);
enum unit diff_subject_unit(const struct diff *d);
/* Above the rows: what they are, and which way their deltas go. */
const char *diff_rows_caption(const struct diff *d, struct arena *arena);
/* Below them: what the statistics cannot tell, and what they would need. */
void diff_add_notes(const struct diff *d, struct memtable *to);
/* "+0.0%", "-12.5%": what rounds to 0 has no direction. */
const char *diff_pct_text(double pct, struct arena *arena);
/* Why there is no verdict; NULL when there is one. */
const char *diff_undecided_text(const struct diff *d, struct arena *arena);

/*
 * diff_context.c: one note of what both sides have in common, one for each difference;
 * diff_shapes.c: one when operators ran on other shapes.
 */
int diff_add_context(const struct diff *d, struct memtable *to, struct err *err);
int diff_add_shapes(const struct diff *d, struct memtable *to, struct err *err);

#endif
