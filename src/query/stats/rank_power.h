/*
 * What Mann and Whitney's test of samples of some sizes can tell at all, and how
 * many values a side it would take.
 */
#ifndef PTOOL_QUERY_RANK_POWER_H
#define PTOOL_QUERY_RANK_POWER_H

#include <stdbool.h>
#include <stddef.h>

/* A normal population would be told from its shifted self in so many of 100 cases. */
#define RANK_POWER_PCT 80

/* The smallest two-sided p of samples without ties: 2 / (m + n over n), at most 1. */
double rank_power_least_p(size_t m, size_t n);

/*
 * Can any order of samples of these sizes be less likely than alpha?  If not, neither is
 * what the normal approximation says of ties: it is wrong for so few.
 */
bool rank_power_can_decide(size_t m, size_t n, double alpha);

/*
 * The fewest values a side with which one of `tests` tests can have a p that stands
 * up to all of them: p < alpha / tests.  0 < alpha < 1.
 */
size_t rank_power_sides(double alpha, size_t tests);

/*
 * The shift that is found at alpha in RANK_POWER_PCT of 100 cases, in the unit of the
 * deviations, by the normal approximation and the test's efficiency of 3 / pi
 * (Hodges, Lehmann 1956); NaN when these sizes can find none.
 */
double rank_power_least_shift(double deviation_a, size_t m, double deviation_b, size_t n,
			      double alpha);

#endif
