/* The standard normal distribution: see normal.h. */
#include "query/stats/normal.h"

#include <math.h>

#define SQRT_HALF 0.70710678118654752440

/* No double is that many deviations from 0 likely. */
#define FARTHEST 40.0

double normal_above(double z)
{
	return 0.5 * erfc(z * SQRT_HALF);
}

double normal_quantile_above(double p)
{
	double low = -FARTHEST, high = FARTHEST;

	for (;;) {
		double middle = low + (high - low) / 2;
		if (middle <= low || middle >= high)
			return middle;
		if (normal_above(middle) > p)
			low = middle;
		else
			high = middle;
	}
}
