/* Statistics of two samples by rank: see rank_tests.h. */
#include "query/stats/rank_tests.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"

#define SQRT_HALF 0.70710678118654752440

/* No double is that many deviations from 0 likely. */
#define FARTHEST 40.0

/* P(Z > z). */
static double normal_above(double z)
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

/*
 * From P(u; i - 1, j) in `row` and P(u; i, j - 1) in `left` to P(u; i, j) in `row`:
 * from the largest u down, because each takes one of a smaller u.
 */
static void step(double *row, const double *left, size_t i, size_t j)
{
	double from_first = (double)i / (double)(i + j);
	double from_second = (double)j / (double)(i + j);
	size_t reach = i * (j - 1); /* the largest u of (i, j - 1) */

	for (size_t u = i * j + 1; u-- > 0;) {
		double p = u >= j ? from_first * row[u - j] : 0;
		row[u] = p + (u <= reach ? from_second * left[u] : 0);
	}
}

void u_distribution_init(struct u_distribution *d, size_t a, size_t b)
{
	size_t m = a < b ? b : a, n = a < b ? a : b;
	size_t values = m * n + 1;
	double *rows = xcalloc((n + 1) * values, sizeof(*rows));

	assert(n >= 1 && m * n <= U_DISTRIBUTION_PAIRS_MAX);
	for (size_t j = 0; j <= n; j++)
		rows[j * values] = 1; /* an empty sample: U is 0 */
	for (size_t i = 1; i <= m; i++)
		for (size_t j = 1; j <= n; j++)
			step(rows + j * values, rows + (j - 1) * values, i, j);
	*d = (struct u_distribution){ m, n,
				      xrealloc_array(NULL, values, sizeof(double)) };
	double sum = 0;
	for (size_t u = 0; u < values; u++) {
		sum += rows[n * values + u];
		d->at_most[u] = sum;
	}
	free(rows);
}

void u_distribution_release(struct u_distribution *d)
{
	free(d->at_most);
	*d = (struct u_distribution){ 0, 0, NULL };
}

size_t u_distribution_quantile(const struct u_distribution *d, double p)
{
	size_t u = 0;

	/* as in R: a probability that is p but for its last digits is p */
	while (u < d->m * d->n && d->at_most[u] < p - 10 * DBL_EPSILON)
		u++;
	return u;
}

/* A sample, of which the values before `at` are counted. */
struct walk {
	struct sparse_sample of;
	size_t at;
	bool had_zeros;
};

/* The next value, if it is smaller than `least`, else that. */
static double least_of(const struct walk *w, double least)
{
	if (w->at < w->of.listed.n && w->of.listed.values[w->at] < least)
		least = w->of.listed.values[w->at];
	return w->of.zeros && !w->had_zeros && least > 0 ? 0 : least;
}

/* How many values are the next, which is `value`, if they are. */
static size_t take_group(struct walk *w, double value)
{
	const struct sample *listed = &w->of.listed;
	size_t from = w->at, zeros = 0;

	while (w->at < listed->n && listed->values[w->at] <= value)
		w->at++;
	if (!w->had_zeros && value >= 0) {
		zeros = w->of.zeros;
		w->had_zeros = true;
	}
	return w->at - from + zeros;
}

struct counts {
	double u, tie_term; /* the sum of t^3 - t over groups of t equal values */
	double equal_pairs; /* of a value of a and one of b */
	bool has_ties;
};

static struct counts count_pairs(struct sparse_sample a, struct sparse_sample b)
{
	struct walk walk_a = { .of = a }, walk_b = { .of = b };
	struct counts c = { .u = 0 };
	size_t smaller = 0; /* of a, than the group */
	double value;

	while ((value = least_of(&walk_b, least_of(&walk_a, (double)INFINITY))) <
	       (double)INFINITY) {
		size_t in_a = take_group(&walk_a, value),
		       in_b = take_group(&walk_b, value);
		double t = (double)(in_a + in_b);
		c.u += (double)in_b * ((double)smaller + 0.5 * (double)in_a);
		c.tie_term += t * t * t - t;
		c.equal_pairs += (double)in_a * (double)in_b;
		c.has_ties |= in_a + in_b > 1;
		smaller += in_a;
	}
	return c;
}

static double approximate_p(double larger_u, double tie_term, double m, double n)
{
	double all = m + n;
	double variance = m * n / 12 * (all + 1 - tie_term / (all * (all - 1)));

	if (!(variance > 0))
		return 1; /* all values are equal */
	double p = 2 * normal_above((larger_u - m * n / 2 - 0.5) / sqrt(variance));
	return p < 1 ? p : 1;
}

/* Of one value among `all`: it is as likely to be any of them. */
static double lone_p(double smaller_u, double equal_pairs, double all)
{
	double p = 2 * (1 + smaller_u + equal_pairs / 2) / all;

	return p < 1 ? p : 1;
}

/* P(U >= u) is P(U <= m n - u): the distribution is symmetric. */
static double exact_p(double larger_u, const struct u_distribution *d)
{
	size_t smaller_u = d->m * d->n - (size_t)larger_u;
	double p = 2 * d->at_most[smaller_u];

	return p < 1 ? p : 1;
}

struct mann_whitney mann_whitney_sparse(struct sparse_sample a, struct sparse_sample b,
					const struct u_distribution *exact)
{
	double m = (double)(a.listed.n + a.zeros), n = (double)(b.listed.n + b.zeros);
	struct counts c = count_pairs(a, b);
	double larger_u = c.u > m * n - c.u ? c.u : m * n - c.u;
	struct mann_whitney test = { .u = c.u, .is_exact = true };

	test.least_p = rank_power_least_p((size_t)m, (size_t)n);
	if (m == 1 || n == 1) {
		test.p = lone_p(m * n - larger_u, c.equal_pairs, m + n);
	} else if (exact && !c.has_ties) {
		test.p = exact_p(larger_u, exact);
	} else {
		double extreme = approximate_p(m * n, c.tie_term, m, n);
		test.is_exact = false;
		test.p = fmax(approximate_p(larger_u, c.tie_term, m, n), test.least_p);
		if (c.equal_pairs < m * n) /* else p is 1 in any order */
			test.least_p = fmax(extreme, test.least_p);
	}
	return test;
}

struct mann_whitney mann_whitney(struct sample a, struct sample b,
				 const struct u_distribution *exact)
{
	return mann_whitney_sparse((struct sparse_sample){ a, 0 },
				   (struct sparse_sample){ b, 0 }, exact);
}

#define SIGN_BIT (UINT64_C(1) << 63)

/* Doubles as integers of the same order, and back: between two of them lies a middle. */
static uint64_t ordered(double value)
{
	uint64_t bits;

	value += 0.0; /* -0 is 0 */
	memcpy(&bits, &value, sizeof(bits));
	return bits & SIGN_BIT ? ~bits : bits | SIGN_BIT;
}

static double of_ordered(uint64_t order)
{
	uint64_t bits = order & SIGN_BIT ? order & ~SIGN_BIT : ~order;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* How many differences are at most `limit`: a larger value wants larger ones taken away. */
static uint64_t count_at_most(struct sample base, struct sample new_side, double limit)
{
	uint64_t count = 0;
	size_t first = 0;

	for (size_t i = 0; i < new_side.n; i++) {
		while (first < base.n && new_side.values[i] - base.values[first] > limit)
			first++;
		count += base.n - first;
	}
	return count;
}

/* The k-th smallest difference, from 1. */
static double kth_difference(struct sample base, struct sample new_side, uint64_t k)
{
	uint64_t low = ordered(new_side.values[0] - base.values[base.n - 1]);
	uint64_t high = ordered(new_side.values[new_side.n - 1] - base.values[0]);

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (count_at_most(base, new_side, of_ordered(middle)) >= k)
			high = middle;
		else
			low = middle + 1;
	}
	return of_ordered(low) + 0.0; /* counted, -0 is as good as 0 */
}

/* R's qwilcox(alpha / 2, m, n), at least 1. */
static uint64_t lower_place(double m, double n, const struct u_distribution *exact,
			    double alpha)
{
	double place;

	if (exact) {
		place = (double)u_distribution_quantile(exact, alpha / 2);
	} else {
		double deviation = sqrt(m * n * (m + n + 1) / 12);
		place = ceil(m * n / 2 - 0.5 -
			     normal_quantile_above(alpha / 2) * deviation);
	}
	return place < 1 ? 1 : (uint64_t)place;
}

struct hodges_lehmann hodges_lehmann(struct sample base, struct sample new_side,
				     const struct u_distribution *exact, double alpha)
{
	uint64_t all = (uint64_t)base.n * (uint64_t)new_side.n;
	uint64_t place = lower_place((double)new_side.n, (double)base.n, exact, alpha);
	double middle = kth_difference(base, new_side, (all + 1) / 2);
	struct hodges_lehmann h = { .shift = middle };

	if (all % 2 == 0)
		h.shift = (middle + kth_difference(base, new_side, all / 2 + 1)) / 2;
	h.low = kth_difference(base, new_side, place);
	h.high = kth_difference(base, new_side, all - place + 1);
	return h;
}

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
	/* no p is below 0, which the quotient may be */
	double limit = fmax(alpha / (double)(tests ? tests : 1), DBL_MIN);
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

	if (m == 1 || n == 1 || !rank_power_can_decide(m, n, alpha))
		return (double)NAN;
	double limit = least_u(a, b, exact, alpha) - 0.5; /* for continuity */
	if (limit >= a * b)
		return (double)NAN; /* by the approximation none is significant */
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;
		if (excess(a, b, middle, limit) < wanted)
			low = middle;
		else
			high = middle;
	}
	return high * deviation;
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const double *p = context;

	return p[a] < p[b];
}

void benjamini_hochberg(const double *p, double *q, size_t n)
{
	uint32_t *at = sorted_places(n, is_before, p);
	double *sorted = xrealloc_array(NULL, n, sizeof(*sorted));
	double least = 1;

	assert(n < UINT32_MAX);
	for (size_t i = 0; i < n; i++)
		sorted[i] = p[at[i]];
	for (size_t i = n; i-- > 0;) {
		double bound = sorted[i] * ((double)n / (double)(i + 1));
		if (bound < least)
			least = bound;
		q[at[i]] = least;
	}
	free(sorted);
	free(at);
}
