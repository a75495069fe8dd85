/* The distribution of U: see u_distribution.h. */
#include "query/stats/u_distribution.h"

#include <assert.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

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
