/* What is open on a thread: see ranges.h. */
#include "store/ranges.h"

#include <assert.h>

void ranges_release(struct ranges *r)
{
	spill_free(r->spill, r->ops.rows);
	spill_free(r->spill, r->labels.rows);
	*r = (struct ranges){ 0 };
}

/* Forgets all ranges: another track begins. */
static void ranges_clear(struct ranges *r)
{
	r->ops.n = r->labels.n = 0;
}

static void pop_ended(struct range_stack *s, const struct model *m, int64_t ts_ns)
{
	while (s->n && slice_end(model_slice(m, s->rows[s->n - 1])) <= ts_ns)
		s->n--;
}

static void push(struct range_stack *s, struct spill *spill, uint32_t row)
{
	s->rows = spill_grow(spill, s->rows, &s->cap, s->n + 1, sizeof(*s->rows));
	s->rows[s->n++] = row;
}

static void push_range(struct ranges *r, const struct model *m, uint32_t row)
{
	const struct slice_rec *s = model_slice(m, row);

	if (s->dur_ns == 0)
		return;
	if (s->class == CLASS_OP)
		push(&r->ops, r->spill, row);
	else if (s->class == CLASS_ANNOTATION)
		push(&r->labels, r->spill, row);
}

void ranges_pass(struct ranges *r, const struct model *m, uint32_t row)
{
	const struct slice_rec *s = model_slice(m, row);

	pop_ended(&r->ops, m, s->ts_ns);
	pop_ended(&r->labels, m, s->ts_ns);
	push_range(r, m, row);
}

/*
 * Where nothing ends behind what it began in, the ranges around a row are among those
 * that it is nested in.  Rows of streams are nested in none.
 */
static bool is_nested(const struct model *m, const struct track *t)
{
	return t->kind != TRACK_STREAM && !model_told(m, FINDING_CHILD_OVERRUNS);
}

static void turn_round(struct range_stack *s)
{
	for (size_t i = 0, j = s->n; i + 1 < j; i++) {
		uint32_t row = s->rows[i];
		s->rows[i] = s->rows[--j];
		s->rows[j] = row;
	}
}

void ranges_seek(struct ranges *r, const struct model *m, uint32_t row)
{
	const struct track *t = &m->tracks[model_slice(m, row)->track];

	ranges_clear(r);
	if (!is_nested(m, t)) {
		for (uint32_t at = (uint32_t)t->first; at < row; at++)
			ranges_pass(r, m, at);
		return;
	}
	for (uint32_t at = m->parent[row]; at != ROW_NONE; at = m->parent[at])
		push_range(r, m, at);
	turn_round(&r->ops);
	turn_round(&r->labels);
}

static uint32_t last(const struct range_stack *s)
{
	return s->n ? s->rows[s->n - 1] : ROW_NONE;
}

uint32_t ranges_innermost_op(const struct ranges *r)
{
	return last(&r->ops);
}

uint32_t ranges_innermost_label(const struct ranges *r)
{
	return last(&r->labels);
}

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
