/*
 * Samples in the order of their times are the leaves of a binary tree in an array, whose
 * nodes have the largest of what is below them: see sample_peaks.h.
 */
#include "query/memory/sample_peaks.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "trace/fact.h"

void sample_peaks_add(struct sample_peaks *p, const struct sample_peak *sample)
{
	*ARRAY_PUSH(p->samples, p->n, p->cap) = *sample;
}

static int compare(const void *a, const void *b)
{
	const struct sample_peak *x = a, *y = b;
	int by_profile = sort_order(x->profile, y->profile);

	return by_profile ? by_profile : sort_order(x->at_ns, y->at_ns);
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void sample_peaks_build(struct sample_peaks *p)
{
	if (p->n == 0)
		return;
	qsort(p->samples, p->n, sizeof(*p->samples), compare);
	p->largest = xcalloc(2 * p->n, sizeof(*p->largest));
	for (size_t i = 0; i < p->n; i++)
		p->largest[p->n + i] = p->samples[i].bytes;
	for (size_t i = p->n - 1; i > 0; i--)
		p->largest[i] = larger(p->largest[2 * i], p->largest[2 * i + 1]);
}

void sample_peaks_release(struct sample_peaks *p)
{
	free(p->samples);
	free(p->largest);
}

/* The first sample that is not before that moment. */
static size_t first_from(const struct sample_peaks *p, int64_t profile, int64_t ns)
{
	const struct sample_peak key = { .profile = profile, .at_ns = ns };
	size_t lo = 0, hi = p->n;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;
		if (compare(&p->samples[middle], &key) < 0)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

int64_t sample_peaks_between(const struct sample_peaks *p, int64_t profile,
			     int64_t from_ns, int64_t to_ns)
{
	int64_t most = NUMBER_NONE;
	size_t from = first_from(p, profile, from_ns);
	size_t to = to_ns < INT64_MAX ? first_from(p, profile, to_ns + 1)
				      : first_from(p, profile + 1, INT64_MIN);

	if (from >= to)
		return NUMBER_NONE;
	for (from += p->n, to += p->n; from < to; from /= 2, to /= 2) {
		if (from % 2)
			most = larger(most, p->largest[from++]);
		if (to % 2)
			most = larger(most, p->largest[--to]);
	}
	return most;
}
