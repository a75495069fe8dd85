/*
 * How Mann and Whitney's U is distributed when two samples without ties come from
 * one population: every order of the m + n values is as likely as any other.
 *
 *	P(u; m, n) = (m P(u - n; m - 1, n) + n P(u; m, n - 1)) / (m + n)
 *
 * (Mann, Whitney 1947), by which the largest value belongs to either sample.  All
 * terms are positive, so that the smallest probabilities are as exact as the others.
 */
#ifndef PTOOL_QUERY_U_DISTRIBUTION_H
#define PTOOL_QUERY_U_DISTRIBUTION_H

#include <stddef.h>

/* Of either sample: beyond it p is the normal approximation's. */
#define U_DISTRIBUTION_MAX 50
/* m * n at most: what is beyond takes too long, and its normal quantiles are as good. */
#define U_DISTRIBUTION_PAIRS_MAX 10000

struct u_distribution {
	size_t m, n;     /* sizes of the samples, 1 or more; m >= n */
	double *at_most; /* owned: P(U <= u) for u = 0 to m * n */
};

/*
 * In either order: it is the same.  Takes (m n)^2 / 4 steps, and room for m n^2 numbers,
 * n the smaller.  u_distribution_release() frees; it accepts a zeroed one.
 */
void u_distribution_init(struct u_distribution *d, size_t a, size_t b);
void u_distribution_release(struct u_distribution *d);

/* The smallest u with P(U <= u) >= p, for p up to 0.5: R's qwilcox(p, m, n). */
size_t u_distribution_quantile(const struct u_distribution *d, double p);

#endif
