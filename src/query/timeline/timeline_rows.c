/* Rows of a track: see timeline_rows.h. */
#include "query/timeline/timeline_rows.h"

#include <stdlib.h>

#include "base/array.h"

void timeline_rows_clear(struct timeline_rows *r)
{
	r->n = 0;
	r->rows = 0;
}

void timeline_rows_release(struct timeline_rows *r)
{
	free(r->ends);
	*r = (struct timeline_rows){ .n = 0 };
}

uint32_t timeline_rows_nest(struct timeline_rows *r, int64_t start_ns, int64_t end_ns)
{
	while (r->n > 0 && r->ends[r->n - 1] <= start_ns)
		r->n--;
	*ARRAY_PUSH(r->ends, r->n, r->cap) = end_ns;
	if (r->rows < r->n)
		r->rows = (uint32_t)r->n;
	return (uint32_t)r->n - 1;
}

/*
 * Lanes are the leaves of a tree, `n` of them, a power of two, from ends[n] on: each node
 * has the earliest end below it.
 */
static void set_end(struct timeline_rows *r, size_t lane, int64_t end_ns)
{
	size_t at = r->n + lane;

	r->ends[at] = end_ns;
	for (at /= 2; at > 0; at /= 2) {
		const int64_t *below = &r->ends[2 * at];
		r->ends[at] = below[0] < below[1] ? below[0] : below[1];
	}
}

/* Twice as many, the new ones free since ever. */
static void add_lanes(struct timeline_rows *r)
{
	size_t n = r->n ? r->n * 2 : 8;
	int64_t *old = r->ends;

	r->ends = xrealloc_array(NULL, 2 * n, sizeof(*r->ends));
	for (size_t i = 0; i < 2 * n; i++)
		r->ends[i] = INT64_MIN;
	for (size_t i = 0; i < r->n; i++)
		r->ends[n + i] = old[r->n + i];
	for (size_t i = n - 1; i > 0; i--)
		r->ends[i] = r->ends[2 * i] < r->ends[2 * i + 1] ? r->ends[2 * i]
								 : r->ends[2 * i + 1];
	free(old);
	r->n = n;
	r->cap = 2 * n;
}

uint32_t timeline_rows_lane(struct timeline_rows *r, int64_t start_ns, int64_t end_ns)
{
	size_t at = 1;

	while (r->n == 0 || r->ends[1] > start_ns)
		add_lanes(r);
	while (at < r->n)
		at = 2 * at + (r->ends[2 * at] > start_ns);
	uint32_t lane = (uint32_t)(at - r->n);
	set_end(r, lane, end_ns);
	if (r->rows <= lane)
		r->rows = lane + 1;
	return lane;
}
