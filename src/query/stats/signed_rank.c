/* Statistics of pairs by rank: see signed_rank.h. */
#include "query/stats/signed_rank.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"

#define SQRT_HALF 0.70710678118654752440

static int compare_sizes(const void *a, const void *b)
{
	double x = fabs(*(const double *)a), y = fabs(*(const double *)b);

	return (x > y) - (x < y);
}

/*
 * P(W <= w) for w = 0 to the sum of the weights, each of which is in W or not, as likely as
 * not: the caller frees.
 */
static double *distribution(const size_t *weights, size_t n)
{
	size_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += weights[i];
	double *p = xcalloc(all + 1, sizeof(*p));
	p[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t w = all + 1; w-- > 0;)
			p[w] = p[w] / 2 + (w >= weights[i] ? p[w - weights[i]] / 2 : 0);
	for (size_t w = 1; w <= all; w++)
		p[w] += p[w - 1];
	return p;
}

struct ranked {
	double w, tie_term; /* the sum of t^3 - t over groups of t equal sizes */
	size_t n;
	size_t twice[SIGNED_RANK_MAX]; /* ranks, which may be halves; of the first */
};

/* `sorted` by size, without zeros; equal sizes share the mean of their ranks. */
static struct ranked rank_all(const double *sorted, size_t n)
{
	struct ranked r = { .n = n };

	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1;
		     end < n && fabs(sorted[end]) == fabs(sorted[first]);)
			end++;
		double t = (double)(end - first), rank = (double)(first + 1 + end) / 2;
		for (size_t i = first; i < end; i++) {
			r.w += sorted[i] > 0 ? rank : 0;
			if (i < SIGNED_RANK_MAX)
				r.twice[i] = first + 1 + end;
		}
		r.tie_term += t * t * t - t;
	}
	return r;
}

static double approximate_p(const struct ranked *r)
{
	double n = (double)r->n, all = n * (n + 1) / 2;
	double larger = r->w > all - r->w ? r->w : all - r->w;
	double variance = n * (n + 1) * (2 * n + 1) / 24 - r->tie_term / 48;

	if (!(variance > 0))
		return 1;
	double p = erfc((larger - all / 2 - 0.5) / sqrt(variance) * SQRT_HALF);
	return p < 1 ? p : 1;
}

/* Of these ranks, whatever ties they have. */
static double exact_p(const struct ranked *r)
{
	double n = (double)r->n, all = n * (n + 1) / 2;
	double smaller = r->w < all - r->w ? r->w : all - r->w;
	double *at_most = distribution(r->twice, r->n);
	double p = 2 * at_most[(size_t)(2 * smaller)];

	free(at_most);
	return p < 1 ? p : 1;
}

struct signed_rank signed_rank_test(const double *differences, size_t n)
{
	double *sorted = xrealloc_array(NULL, n, sizeof(*sorted));
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		if (differences[i] != 0)
			sorted[left++] = differences[i];
	qsort(sorted, left, sizeof(*sorted), compare_sizes);
	struct ranked r = rank_all(sorted, left);
	free(sorted);
	struct signed_rank out = { .w = r.w, .p = 1, .n = left };
	if (left == 0)
		return out;
	out.is_exact = left <= SIGNED_RANK_MAX;
	out.p = out.is_exact ? exact_p(&r) : approximate_p(&r);
	return out;
}

/* R's qsignrank(alpha / 2, n), at least 1: which mean from below is the interval's end. */
static size_t lower_place(size_t n, double alpha)
{
	size_t place = 0;

	if (n > SIGNED_RANK_MAX) {
		double m = (double)n;
		double mean = m * (m + 1) / 4, variance = mean * (2 * m + 1) / 6;
		double at =
			ceil(mean - normal_quantile_above(alpha / 2) * sqrt(variance));
		return at < 1 ? 1 : (size_t)at;
	}
	size_t ranks[SIGNED_RANK_MAX] = { 0 };
	for (size_t i = 0; i < n; i++)
		ranks[i] = i + 1;
	double *at_most = distribution(ranks, n);
	while (at_most[place] < alpha / 2)
		place++;
	free(at_most);
	return place ? place : 1;
}

struct hodges_lehmann signed_rank_shift(const double *differences, size_t n, double alpha)
{
	size_t all = n * (n + 1) / 2, count = 0;
	double *means = xrealloc_array(NULL, all, sizeof(*means));

	for (size_t i = 0; i < n; i++)
		for (size_t k = i; k < n; k++)
			means[count++] = (differences[i] + differences[k]) / 2;
	qsort(means, all, sizeof(*means), sort_compare_double);
	size_t place = lower_place(n, alpha);
	struct hodges_lehmann h = {
		.shift = (means[(all - 1) / 2] + means[all / 2]) / 2,
		.low = means[place - 1],
		.high = means[all - place],
	};
	free(means);
	return h;
}

double signed_rank_least_p(size_t n)
{
	double p = ldexp(2, -(int)(n < 1000 ? n : 1000));

	return p < 1 ? p : 1;
}
