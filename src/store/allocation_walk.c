/* Allocations one after the other: see allocation_walk.h. */
#include "store/allocation_walk.h"

#include <assert.h>

void allocation_walk_init(struct allocation_walk *w, const struct model *m)
{
	*w = (struct allocation_walk){
		.m = m, .row = ROW_NONE, .open = { .spill = m->spill }, .track = TEXT_NONE
	};
}

void allocation_walk_release(struct allocation_walk *w)
{
	ranges_release(&w->open);
}

const struct allocation_walk *allocation_walk_to(struct allocation_walk *w, int64_t at)
{
	while (w->n <= at) {
		assert(w->next_row < w->m->nrows);
		uint32_t row = w->next_row++;
		model_tick(w->m, row);
		const struct slice_rec *s = model_slice(w->m, row);
		if (s->track != w->track)
			ranges_clear(&w->open);
		w->track = s->track;
		ranges_pass(&w->open, w->m, row);
		if (!slice_is_allocation(s))
			continue;
		w->row = row;
		w->n++;
	}
	return w;
}
