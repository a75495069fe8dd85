/*
 * Which steps take much longer than the others: those that are more than a tenth, and
 * more than five median deviations, above the median.
 */
#ifndef PTOOL_QUERY_STEP_OUTLIERS_H
#define PTOOL_QUERY_STEP_OUTLIERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is usual among some durations, in nanoseconds. */
struct step_usual {
	int64_t median_ns;
	int64_t limit_ns; /* a longer step is an outlier */
};

/* Median; for an even n the mean of the middle two, rounded down.  Sorts ns; n > 0. */
int64_t step_median(int64_t *ns, size_t n);

/* False when n is too small to tell.  Overwrites ns. */
bool step_usual_of(int64_t *ns, size_t n, struct step_usual *out);

#endif
