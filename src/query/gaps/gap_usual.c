/* What is ordinary: see gap_usual.h. */
#include "query/gaps/gap_usual.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"

#define PERCENTILE   99 /* by nearest rank */
#define MEDIANS_MOST 10

void gap_usual_add(struct gap_usual *u, struct gap_sample sample)
{
	*ARRAY_PUSH(u->items, u->n, u->cap) = sample;
}

static int compare(const void *a, const void *b)
{
	const struct gap_sample *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->gap > y->gap) - (x->gap < y->gap);
}

void gap_usual_sort(struct gap_usual *u)
{
	sort_by_field(u->items, u->n, sizeof(*u->items), offsetof(struct gap_sample, ns));
	sort_by_field(u->items, u->n, sizeof(*u->items),
		      offsetof(struct gap_sample, kind));
}

void gap_usual_release(struct gap_usual *u)
{
	free(u->items);
	*u = (struct gap_usual){ .n = 0 };
}

/* The place of the first that is not before it. */
static size_t lower(const struct gap_usual *u, struct gap_sample of)
{
	size_t at;

	SEARCH(at, 0, u->n, compare(&u->items[at], &of) < 0);
	return at;
}

int64_t gap_usual_bound(const struct gap_usual *u, const struct gap_sample *own,
			const struct gap_bounds *bounds)
{
	size_t first = lower(u, (struct gap_sample){ own->kind, INT64_MIN, 0 });
	size_t end = lower(u, (struct gap_sample){ own->kind + 1, INT64_MIN, 0 });
	size_t self = lower(u, *own);
	int is_in = self < end && compare(&u->items[self], own) == 0;
	size_t n = end - first - (size_t)is_in;

	if (n < GAP_USUAL_MIN)
		return bounds->few_ns;
	size_t middle = first + (n - 1) / 2;
	size_t last = first + ((PERCENTILE * n) + 99) / 100 - 1;
	int64_t median_ns = u->items[middle + (is_in && middle >= self)].ns;
	int64_t ns = u->items[last + (is_in && last >= self)].ns;
	if (median_ns < INT64_MAX / MEDIANS_MOST && ns > median_ns * MEDIANS_MOST)
		ns = median_ns * MEDIANS_MOST;
	return ns > bounds->least_ns ? ns : bounds->least_ns;
}
