/*
 * Where a series of measurements changes for good: E-divisive means (Matteson, James 2014,
 * "A nonparametric approach for multiple change point analysis of multivariate data"), as
 * MongoDB finds changes of performance by (Daly and others 2020, "The use of change point
 * detection to identify software performance regressions in a continuous integration
 * system").
 *
 * A series is cut where the two sides differ most, by the energy distance of their
 * values; the cut is kept when of PERMUTATIONS random orders of the series so few differ
 * as much somewhere that p <= CHANGE_P, and both sides are cut again.  The random orders
 * are the same at every run.
 */
#ifndef PTOOL_QUERY_CHANGE_POINTS_H
#define PTOOL_QUERY_CHANGE_POINTS_H

#include <stddef.h>

#define CHANGE_P     0.01
#define CHANGE_LEAST 3    /* measurements on either side */
#define CHANGE_RUNS  10   /* of fewer, no order is as unlikely as CHANGE_P */
#define CHANGE_MOST  1000 /* measurements of which changes are looked for: the last ones */

struct change_point {
	size_t at; /* the first measurement of what is new */
	double p;
};

/*
 * Writes them in rising order and returns how many there are; `out` has room for n.  What
 * comes before the last CHANGE_MOST is not looked at.
 */
size_t change_points_find(const double *values, size_t n, struct change_point *out);

#endif
