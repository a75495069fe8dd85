/* Mean and median of numbers. */
#ifndef PTOOL_QUERY_MIDDLE_H
#define PTOOL_QUERY_MIDDLE_H

#include <stddef.h>

/* Of n > 0 values. */
double middle_mean(const double *values, size_t n);
/* Of n > 0 values, which it sorts; of an even number the mean of the two in the middle. */
double middle_median(double *values, size_t n);

#endif
