/*
 * Statistics of pairs by rank: Wilcoxon's signed-rank test of their differences, and the
 * estimate of Hodges and Lehmann that goes with it, the median of all means of two
 * differences.  What both values of a pair share, the seed, the step, the hour, is no
 * noise here.
 */
#ifndef PTOOL_QUERY_SIGNED_RANK_H
#define PTOOL_QUERY_SIGNED_RANK_H

#include <stdbool.h>
#include <stddef.h>

#include "query/stats/rank_tests.h"

/* Beyond it p is the normal approximation's; zeros are left out, ties share their ranks. */
#define SIGNED_RANK_MAX 50

struct signed_rank {
	double w; /* sum of the ranks of what is above 0; zeros are left out */
	double p; /* two-sided; 1 when all differences are 0 */
	size_t n; /* differences that are not 0 */
	bool is_exact;
};

/* Of `n` finite differences, one at least, in any order. */
struct signed_rank signed_rank_test(const double *differences, size_t n);
/* The shift, and its interval of confidence 1 - alpha, or as much as n values allow. */
struct hodges_lehmann signed_rank_shift(const double *differences, size_t n,
					double alpha);
/* The smallest two-sided p of n pairs: 2 / 2^n, at most 1. */
double signed_rank_least_p(size_t n);

#endif
