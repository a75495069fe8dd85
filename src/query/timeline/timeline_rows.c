/* Rows of a track: see timeline_rows.h. */
#include "query/timeline/timeline_rows.h"

#include <stdlib.h>

#include "base/array.h"

void timeline_rows_clear(struct timeline_rows *r)
{
	r->n = 0;
	r->rows = 0;
	lanes_clear(&r->lanes);
}

void timeline_rows_release(struct timeline_rows *r)
{
	free(r->ends);
	lanes_release(&r->lanes);
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

uint32_t timeline_rows_lane(struct timeline_rows *r, int64_t start_ns, int64_t end_ns)
{
	size_t lane = lanes_at_most(&r->lanes, start_ns);

	if (lane == r->lanes.n)
		lanes_add(&r->lanes, end_ns);
	else
		lanes_set(&r->lanes, lane, end_ns);
	if (r->rows <= lane)
		r->rows = (uint32_t)lane + 1;
	return (uint32_t)lane;
}
