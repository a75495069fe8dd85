/* Mann and Whitney's test: see mann_whitney.h. */
#include "query/stats/mann_whitney.h"

#include <math.h>

#include "query/stats/normal.h"

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
	bool has_ties;
};

static struct counts count_pairs(struct sparse_sample a, struct sparse_sample b)
{
	struct walk walk_a = { .of = a }, walk_b = { .of = b };
	struct counts c = { 0, 0, false };
	size_t smaller = 0; /* of a, than the group */
	double value;

	while ((value = least_of(&walk_b, least_of(&walk_a, (double)INFINITY))) <
	       (double)INFINITY) {
		size_t in_a = take_group(&walk_a, value),
		       in_b = take_group(&walk_b, value);
		double t = (double)(in_a + in_b);
		c.u += (double)in_b * ((double)smaller + 0.5 * (double)in_a);
		c.tie_term += t * t * t - t;
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
	struct mann_whitney test = { .u = c.u, .is_exact = exact && !c.has_ties };

	test.p = test.is_exact ? exact_p(larger_u, exact)
			       : approximate_p(larger_u, c.tie_term, m, n);
	return test;
}

struct mann_whitney mann_whitney(struct sample a, struct sample b,
				 const struct u_distribution *exact)
{
	return mann_whitney_sparse((struct sparse_sample){ a, 0 },
				   (struct sparse_sample){ b, 0 }, exact);
}
