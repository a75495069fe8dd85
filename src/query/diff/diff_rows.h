/*
 * The rows of a comparison, made of what the sides measured: matched, divided by their
 * units, split into calls and duration, tested and sorted.
 */
#ifndef PTOOL_QUERY_DIFF_ROWS_H
#define PTOOL_QUERY_DIFF_ROWS_H

#include "query/diff/diff.h"

/* sum / units, rounded half away from 0; units > 0. */
int64_t diff_divide(int64_t sum, int64_t units);

/* What of a delta the number of calls explains; the rest is their duration. */
int64_t diff_from_calls(const struct diff_measure of[NDIFF_SIDES],
			const int64_t units[NDIFF_SIDES]);

/* What a side has of a row. */
struct diff_measure diff_rows_measure(const struct diff_side *side, uint32_t row);
/*
 * The amounts of a row's replicates, each divided by its units, in no order: `values`
 * has room.  Returns how many; the row has nothing in all other replicates.
 */
size_t diff_rows_samples(const struct diff_side *side, uint32_t row, double *values);

/* diff_headline.c: samples of the sides, what they are on average, and their test. */
void diff_headline_make(struct diff *d);

/* From d->sides, whose sums are merged, to all of the rest but the headline. */
void diff_rows_make(struct diff *d);

/*
 * diff_read.c: to the sums of the sides, once their steps and the metric are known.
 * ERR_EMPTY: a side never had what was asked for; what the filters alone left out is no error.
 */
int diff_read_rows(struct diff *d, struct err *err);
/* ERR_EMPTY when no row is on both sides, unless the filters chose them. */
int diff_read_check(const struct diff *d, struct err *err);

/* diff_headline.c: from the samples of the headline to d->outliers, as ptool steps does. */
void diff_outliers_release(struct diff_outliers *o);
/*
 * "2 of 6 new steps are outliers: 5, 9; without them -29.0%", in the arena; NULL: there
 * are none.
 */
const char *diff_outliers_text(const struct diff *d, struct arena *arena);

#endif
