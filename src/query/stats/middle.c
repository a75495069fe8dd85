/* Mean and median of numbers: see middle.h. */
#include "query/stats/middle.h"

#include <stdlib.h>

#include "base/sort.h"

/* From the first value: equal ones have no rounding, which would look like noise. */
double middle_mean(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 1; i < n; i++)
		sum += values[i] - values[0];
	return values[0] + sum / (double)n;
}

double middle_median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), sort_compare_double);
	return values[(n - 1) / 2] + (values[n / 2] - values[(n - 1) / 2]) / 2;
}
