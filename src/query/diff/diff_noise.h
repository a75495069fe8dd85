/*
 * The noise of one side: what a comparison of runs of one and the same program shows.
 * A change below it is none.
 */
#ifndef PTOOL_QUERY_DIFF_NOISE_H
#define PTOOL_QUERY_DIFF_NOISE_H

#include "query/diff/diff_table.h"

struct diff_noise {
	double mean, deviation;
	/*
	 * Of the shifts between halves of the values (all ways to halve them, up to
	 * DIFF_HALVED_MAX values; beyond, by the normal approximation) 95 of 100 are at
	 * most this; NaN with fewer than two values.
	 */
	double floor;
};

#define DIFF_HALVED_MAX 12

/* Of `n` values in any order, and so many zeros that are not among them. */
void diff_noise_of(const double *values, size_t n, size_t zeros, struct diff_noise *out);

/* --aa: the table of a comparison without a new side.  ERR_EMPTY: too few values. */
int diff_noise_table(const struct diff *d, const struct diff_style *style,
		     struct table **out, struct err *err);

#endif
