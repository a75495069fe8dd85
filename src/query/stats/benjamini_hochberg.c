/* Benjamini and Hochberg's q: see benjamini_hochberg.h. */
#include "query/stats/benjamini_hochberg.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"

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
