/* What a rank test can tell: see rank_power.h. */
#include "query/stats/rank_power.h"

#include <math.h>

#include "query/stats/normal.h"

#define PI 3.14159265358979323846

double rank_power_least_p(size_t m, size_t n)
{
	size_t few = m < n ? m : n, many = m < n ? n : m;
	double p = 2;

	/* beyond, p is 0 in any case */
	for (size_t i = 1; i <= few && p > 0; i++)
		p *= (double)i / (double)(many + i);
	return p < 1 ? p : 1;
}

bool rank_power_can_decide(size_t m, size_t n, double alpha)
{
	return rank_power_least_p(m, n) < alpha;
}

size_t rank_power_sides(double alpha, size_t tests)
{
	double limit = alpha / (double)(tests ? tests : 1);
	size_t n = 1;

	while (!rank_power_can_decide(n, n, limit))
		n++;
	return n;
}

double rank_power_least_shift(double deviation_a, size_t m, double deviation_b, size_t n,
			      double alpha)
{
	double error = sqrt(deviation_a * deviation_a / (double)m +
			    deviation_b * deviation_b / (double)n);
	double deviations = normal_quantile_above(alpha / 2) +
			    normal_quantile_above(1 - RANK_POWER_PCT / 100.0);

	if (!rank_power_can_decide(m, n, alpha))
		return (double)NAN;
	return deviations * error * sqrt(PI / 3);
}
