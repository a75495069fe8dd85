/* Mann and Whitney's test: see mann_whitney.h. */
#include "query/stats/mann_whitney.h"

#include <math.h>

#include "query/stats/normal.h"

/* Both samples as one, group of equal values by group. */
struct merging {
	struct sample a, b;
	size_t at_a, at_b;
};

/* How many of each sample have the next value; false behind the last. */
static bool next_group(struct merging *m, size_t *in_a, size_t *in_b)
{
	bool has_a = m->at_a < m->a.n, has_b = m->at_b < m->b.n;

	*in_a = *in_b = 0;
	if (!has_a && !has_b)
		return false;
	double value = has_a ? m->a.values[m->at_a] : m->b.values[m->at_b];
	if (has_a && has_b && m->b.values[m->at_b] < value)
		value = m->b.values[m->at_b];
	while (m->at_a < m->a.n && m->a.values[m->at_a] <= value) {
		m->at_a++;
		++*in_a;
	}
	while (m->at_b < m->b.n && m->b.values[m->at_b] <= value) {
		m->at_b++;
		++*in_b;
	}
	return true;
}

struct counts {
	double u, tie_term; /* the sum of t^3 - t over groups of t equal values */
	bool has_ties;
};

static struct counts count_pairs(struct sample a, struct sample b)
{
	struct merging m = { .a = a, .b = b };
	struct counts c = { 0, 0, false };
	size_t in_a, in_b, smaller = 0; /* of a, than the group */

	while (next_group(&m, &in_a, &in_b)) {
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

struct mann_whitney mann_whitney(struct sample a, struct sample b,
				 const struct u_distribution *exact)
{
	double m = (double)a.n, n = (double)b.n;
	struct counts c = count_pairs(a, b);
	double larger_u = c.u > m * n - c.u ? c.u : m * n - c.u;
	struct mann_whitney test = { .u = c.u, .is_exact = exact && !c.has_ties };

	test.p = test.is_exact ? exact_p(larger_u, exact)
			       : approximate_p(larger_u, c.tie_term, m, n);
	return test;
}
