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
	SORT_BY(u->items, u->n, ns);
	sort_by_field(u->items, u->n, sizeof(*u->items),
		      offsetof(struct gap_sample, kind));
	u->nkinds = 0;
	for (size_t i = 0; i < u->n; i++)
		if (i == 0 || u->items[i].kind != u->items[i - 1].kind)
			*ARRAY_PUSH(u->firsts, u->nkinds, u->firsts_cap) = i;
}

void gap_usual_release(struct gap_usual *u)
{
	free(u->items);
	free(u->firsts);
	*u = (struct gap_usual){ .n = 0 };
}

/* Those of a kind: from the first to the end; both n when there are none. */
static size_t find_kind(const struct gap_usual *u, uint64_t kind, size_t *end)
{
	size_t at;

	SEARCH(at, 0, u->nkinds, u->items[u->firsts[at]].kind < kind);
	*end = u->n;
	if (at == u->nkinds || u->items[u->firsts[at]].kind != kind)
		return u->n;
	if (at + 1 < u->nkinds)
		*end = u->firsts[at + 1];
	return u->firsts[at];
}

int64_t gap_usual_bound(const struct gap_usual *u, const struct gap_sample *own,
			const struct gap_bounds *bounds)
{
	size_t end, self, first = find_kind(u, own->kind, &end);

	SEARCH(self, first, end, compare(&u->items[self], own) < 0);
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
