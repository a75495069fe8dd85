/* Slices as they nest: see slice_nest.h. */
#include "query/slices/slice_nest.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"

int slice_nest_open(struct store *store, struct slices *slices, struct slice_nest *out,
		    struct err *err)
{
	*out = (struct slice_nest){ .slices = slices,
				    .is_packed = !slices->is_by_category };
	if (!out->is_packed)
		return 0;
	return slice_pack_open(store, PACKED_NAME | PACKED_CLASS | PACKED_STEP,
			       &out->pack, err);
}

void slice_nest_close(struct slice_nest *n)
{
	slice_pack_close(&n->pack);
	free(n->open);
	*n = (struct slice_nest){ .depth = 0 };
}

static int read_next(struct slice_nest *n, struct err *err)
{
	const struct packed_slice *s = &n->pack.slice;
	int rc = n->is_packed ? slice_pack_next(&n->pack, err)
			      : slices_next(n->slices, &n->next, err);

	if (rc > 0 && n->is_packed)
		n->next = (struct slice_row){ .id = s->id,
					      .ts_ns = s->start_ns,
					      .dur_ns = s->end_ns - s->start_ns,
					      .name_id = s->name_id,
					      .step_id = s->step_id,
					      .class = s->class };
	n->has_next = rc > 0;
	return rc < 0 ? -1 : 0;
}

int slice_nest_track(struct slice_nest *n, const struct slices_track *track,
		     struct err *err)
{
	n->nopen = 0;
	if (!n->is_packed)
		slices_from(n->slices, track, track->first_id);
	else if (slice_pack_seek(&n->pack, track->first_id, track->slices, err) < 0)
		return -1;
	return read_next(n, err);
}

/* Its time is no self time of the slice around it. */
static int open_next(struct slice_nest *n, struct err *err)
{
	struct open_slice *around = n->nopen ? &n->open[n->nopen - 1] : NULL;
	int64_t end_ns = sum_add(n->next.ts_ns, n->next.dur_ns);

	if (around && end_ns > around->end_ns)
		end_ns = around->end_ns;
	n->next.self_ns = sum_sub(end_ns, n->next.ts_ns);
	if (around)
		around->row.self_ns = sum_sub(around->row.self_ns, n->next.self_ns);
	n->row = n->next;
	n->depth = n->nopen;
	*ARRAY_PUSH(n->open, n->nopen, n->cap) = (struct open_slice){ n->next, end_ns };
	return read_next(n, err) < 0 ? -1 : SLICE_OPENS;
}

int slice_nest_next(struct slice_nest *n, struct err *err)
{
	if (n->nopen == 0 && !n->has_next)
		return SLICE_ENDS;
	if (n->nopen == 0 ||
	    (n->has_next && n->open[n->nopen - 1].end_ns > n->next.ts_ns))
		return open_next(n, err);
	n->depth = --n->nopen;
	n->row = n->open[n->nopen].row;
	return SLICE_CLOSES;
}
