/* What a rank test can tell: see rank_power.h. */
#include "query/stats/rank_power.h"

#include <float.h>
#include <math.h>

#include "query/stats/normal.h"

#define PI        3.14159265358979323846
#define SHIFT_MAX 16.0 /* deviations: no sample of one side reaches the other */
#define HALVINGS  60

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

/* The smallest U that is significant, when it is the larger of the two. */
static double least_u(double m, double n, const struct u_distribution *exact,
		      double alpha)
{
	size_t less = 0;

	if (!exact)
		return m * n / 2 + 0.5 +
		       normal_quantile_above(alpha / 2) * sqrt(m * n * (m + n + 1) / 12);
	while (less < exact->m * exact->n && 2 * exact->at_most[less + 1] < alpha)
		less++;
	return m * n - (double)less;
}

/* P(X < Y and X' < Y), of standard normal X and X' and of Y that is `shift` above. */
static double both_below(double shift)
{
	double sum = 0;

	for (int i = -160; i <= 160; i++) {
		double z = i / 20.0, below = normal_above(-z - shift);
		sum += below * below * exp(-z * z / 2);
	}
	return sum / (20 * sqrt(2 * PI));
}

/* How many deviations above `limit` the mean of U is, when b is `shift` above a. */
static double excess(double m, double n, double shift, double limit)
{
	double one = normal_above(-shift / sqrt(2)), both = both_below(shift);
	double variance = m * n * (one * (1 - one) + (m + n - 2) * (both - one * one));

	return (m * n * one - limit) / sqrt(variance > 0 ? variance : DBL_MIN);
}

double rank_power_least_shift(double deviation_a, size_t m, double deviation_b, size_t n,
			      const struct u_distribution *exact, double alpha)
{
	double a = (double)m, b = (double)n, low = 0, high = SHIFT_MAX;
	double wanted = normal_quantile_above(1 - RANK_POWER_PCT / 100.0);
	double deviation =
		sqrt((deviation_a * deviation_a / a + deviation_b * deviation_b / b) /
		     (1 / a + 1 / b));

	if (!rank_power_can_decide(m, n, alpha))
		return (double)NAN;
	double limit = least_u(a, b, exact, alpha) - 0.5; /* for continuity */
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;
		if (excess(a, b, middle, limit) < wanted)
			low = middle;
		else
			high = middle;
	}
	return high * deviation;
}
