/* Pairing and ordering: see order.h. */
#include "store/order.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"

/* The order of rows.  Ties keep the file's order: the sort is stable. */
static bool row_before(const void *context, uint32_t a, uint32_t b)
{
	const struct slice_rec *slices = context, *x = &slices[a], *y = &slices[b];

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns;
	return x->dur_ns > y->dur_ns;
}

/* The order in which begins and ends are paired. */
static bool time_before(const void *context, uint32_t a, uint32_t b)
{
	const struct slice_rec *slices = context;

	return slices[a].ts_ns < slices[b].ts_ns;
}

/* Open slices of the track being paired: indexes into slices. */
struct open_stack {
	uint32_t *at;
	size_t n, cap;
};

static void push(struct open_stack *stack, uint32_t slice)
{
	stack->at = xgrow(stack->at, &stack->cap, stack->n + 1, sizeof(*stack->at));
	stack->at[stack->n++] = slice;
}

static void finding_at(struct model *m, enum finding finding, const struct slice_rec *s)
{
	model_finding(m, finding, s->offset, STR_LIT(""), intern_str(m->texts, s->name));
}

static void close_slice(struct slice_rec *begin, int64_t end_ns)
{
	begin->dur_ns = end_ns - begin->ts_ns;
	begin->phase = PHASE_COMPLETE;
}

/*
 * An end on an asynchronous track closes the newest open slice of its name; on a
 * thread the newest one, whatever the name says (catapult does the same).
 */
static void pair_end(struct model *m, struct open_stack *open, struct slice_rec *end, bool by_name)
{
	uint32_t empty = intern_add(m->texts, STR_LIT(""));
	size_t at = open->n;

	end->dead = 1;
	while (by_name && at > 0 && m->slices[open->at[at - 1]].name != end->name)
		at--;
	if (at == 0) {
		finding_at(m, FINDING_END_WITHOUT_BEGIN, end);
		return;
	}
	struct slice_rec *begin = &m->slices[open->at[at - 1]];
	if (end->name != begin->name && end->name != empty)
		finding_at(m, FINDING_END_NAME, end);
	close_slice(begin, end->ts_ns);
	memmove(&open->at[at - 1], &open->at[at], (open->n - at) * sizeof(*open->at));
	open->n--;
}

/* The parts of a legacy asynchronous slice end where the next one begins. */
static void pair_step(struct model *m, struct open_stack *open, uint32_t slice, uint32_t *part)
{
	struct slice_rec *step = &m->slices[slice];

	if (step->phase == PHASE_STEP_PAST) {
		int64_t from = *part != ROW_NONE ? slice_end(&m->slices[*part]) :
			       open->n		  ? m->slices[open->at[open->n - 1]].ts_ns :
						    step->ts_ns;
		step->dur_ns = step->ts_ns - from;
		step->ts_ns = from;
	} else if (*part != ROW_NONE) {
		close_slice(&m->slices[*part], step->ts_ns);
	}
	step->phase = PHASE_COMPLETE;
	*part = slice;
}

static void pair_track(struct model *m, const struct track *t, const uint32_t *rows,
		       struct open_stack *open)
{
	uint32_t part = ROW_NONE; /* newest part of a legacy slice */

	open->n = 0;
	for (size_t i = 0; i < t->n; i++) {
		struct slice_rec *s = &m->slices[rows[i]];
		switch ((enum slice_phase)s->phase) {
		case PHASE_BEGIN:
			push(open, rows[i]);
			break;
		case PHASE_END:
			if (part != ROW_NONE && m->slices[part].dur_ns == 0)
				close_slice(&m->slices[part], s->ts_ns);
			part = ROW_NONE;
			pair_end(m, open, s, t->kind == TRACK_ASYNC);
			break;
		case PHASE_STEP_INTO:
		case PHASE_STEP_PAST:
			pair_step(m, open, rows[i], &part);
			break;
		case PHASE_COMPLETE:
		case PHASE_INSTANT:
			break;
		}
	}
	for (size_t i = 0; i < open->n; i++) {
		struct slice_rec *s = &m->slices[open->at[i]];
		if (!s->unfinished)
			finding_at(m, FINDING_BEGIN_WITHOUT_END, s);
		s->unfinished = 1;
		close_slice(s, m->end_ns);
	}
}

/* Counting sort by track, stable in the file's order. */
static void scatter(struct model *m)
{
	size_t at = 0;

	for (size_t i = 0; i < m->nslices; i++)
		m->tracks[m->slices[i].track].n++;
	for (size_t t = 0; t < m->ntracks; t++) {
		m->tracks[t].first = at;
		at += m->tracks[t].n;
		m->tracks[t].n = 0;
	}
	for (size_t i = 0; i < m->nslices; i++) {
		struct track *t = &m->tracks[m->slices[i].track];
		m->order[t->first + t->n++] = (uint32_t)i;
	}
}

/* Ends have done their work: rows move up over them. */
static void drop_dead(struct model *m)
{
	size_t to = 0;

	for (size_t t = 0; t < m->ntracks; t++) {
		struct track *track = &m->tracks[t];
		size_t first = to;
		for (size_t i = 0; i < track->n; i++) {
			uint32_t slice = m->order[track->first + i];
			if (!m->slices[slice].dead)
				m->order[to++] = slice;
		}
		track->first = first;
		track->n = to - first;
	}
	m->nrows = to;
}

void order_rows(struct model *m)
{
	uint32_t *spare = xrealloc_array(NULL, m->nslices, sizeof(*spare));
	struct open_stack open = { 0 };

	m->order = xrealloc_array(NULL, m->nslices, sizeof(*m->order));
	scatter(m);
	for (size_t t = 0; t < m->ntracks; t++) {
		struct track *track = &m->tracks[t];
		if (!track->has_pairs)
			continue;
		uint32_t *rows = m->order + track->first;
		sort_indexes(rows, track->n, spare, time_before, m->slices);
		pair_track(m, track, rows, &open);
	}
	drop_dead(m);
	for (size_t t = 0; t < m->ntracks; t++)
		sort_indexes(m->order + m->tracks[t].first, m->tracks[t].n, spare, row_before,
			     m->slices);
	free(open.at);
	free(spare);
}
