/* Mean and median of numbers. */
#ifndef PTOOL_QUERY_MIDDLE_H
#define PTOOL_QUERY_MIDDLE_H

#include <stddef.h>

/* The mean of n > 0 values; of equal ones exactly theirs. */
double middle_mean(const double *values, size_t n);
/* The median of n > 0 values, which it sorts; for an even n the mean of the middle two. */
double middle_median(double *values, size_t n);

#endif
