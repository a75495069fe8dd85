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

#endif
