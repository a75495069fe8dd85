/* Flow arrows: see flow.h. */
#include "store/flow.h"

#include "base/sort.h"
#include "store/apart.h"

/* The first row of the track that begins behind ts. */
static uint32_t first_behind(const struct model *m, const struct track *t, int64_t ts_ns)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (model_slice(m, (uint32_t)(t->first + middle))->ts_ns <= ts_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)(t->first + low);
}

static bool is_instant(const struct model *m, uint32_t row)
{
	return model_slice(m, row)->phase == PHASE_INSTANT;
}

/* The innermost slice around ts; one that begins there counts.  Instants do not. */
static uint32_t enclosing(const struct model *m, const struct track *t, int64_t ts_ns)
{
	uint32_t row = first_behind(m, t, ts_ns);

	if (row == t->first)
		return ROW_NONE;
	row--;
	if (t->kind == TRACK_STREAM)
		return slice_end(model_slice(m, row)) >= ts_ns ? row : ROW_NONE;
	while (row != ROW_NONE &&
	       (is_instant(m, row) || slice_end(model_slice(m, row)) < ts_ns))
		row = m->parent[row];
	return row;
}

/* The next slice that begins at ts or later. */
static uint32_t following(const struct model *m, const struct track *t, int64_t ts_ns)
{
	uint32_t row =
		ts_ns == INT64_MIN ? (uint32_t)t->first : first_behind(m, t, ts_ns - 1);

	while (row < t->first + t->n && is_instant(m, row))
		row++;
	return row < t->first + t->n ? row : ROW_NONE;
}

/* The slice that an arrow was drawn for is set apart: none that stands near is meant. */
static bool is_for_apart(const struct model *m, const struct flow_rec *f)
{
	const struct place *place = &m->places[f->place];

	if (apart_is_far(m, f->ts_ns))
		return true;
	for (size_t kind = 0; kind < TRACK_ASYNC && m->napart; kind++)
		if (place->track[kind] != TEXT_NONE &&
		    apart_begins_at(m, place->track[kind], f->ts_ns))
			return true;
	return false;
}

/*
 * A (pid, tid) may be a thread and a stream at once (devices are small numbers):
 * the track with a slice that begins right there counts, else the thread.
 */
static uint32_t bind(const struct model *m, const struct flow_rec *f)
{
	const struct place *place = &m->places[f->place];
	uint32_t best = ROW_NONE;

	for (size_t kind = 0; kind < TRACK_ASYNC; kind++) {
		if (place->track[kind] == TEXT_NONE)
			continue;
		const struct track *t = &m->tracks[place->track[kind]];
		uint32_t row = f->enclosing ? enclosing(m, t, f->ts_ns)
					    : following(m, t, f->ts_ns);
		if (row == ROW_NONE)
			continue;
		if (best == ROW_NONE || (model_slice(m, row)->ts_ns == f->ts_ns &&
					 model_slice(m, best)->ts_ns != f->ts_ns))
			best = row;
	}
	if (best != ROW_NONE && model_slice(m, best)->ts_ns != f->ts_ns &&
	    is_for_apart(m, f))
		return ROW_NONE;
	return best;
}

static bool same_arrow(const struct flow_rec *a, const struct flow_rec *b)
{
	return a->id_number == b->id_number && a->id_text == b->id_text &&
	       a->category == b->category && a->name == b->name;
}

static bool flow_before(const void *context, uint32_t a, uint32_t b)
{
	const struct flow_rec *flows = context, *x = &flows[a], *y = &flows[b];

	if (x->id_number != y->id_number)
		return x->id_number < y->id_number;
	if (x->id_text != y->id_text)
		return x->id_text < y->id_text;
	if (x->category != y->category)
		return x->category < y->category;
	if (x->name != y->name)
		return x->name < y->name;
	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns;
	return x->end < y->end;
}

static void unbound(struct model *m, const struct flow_rec *f)
{
	model_finding(m, FINDING_FLOW_UNBOUND, f->offset,
		      intern_str(m->texts, f->category), STR_LIT(""));
}

static void add_arrow(struct model *m, uint32_t out, uint32_t in,
		      const struct flow_rec *f)
{
	int64_t id = f->id_text == TEXT_NONE ? f->id_number : NUMBER_NONE;

	*APPEND(m, arrows) =
		(struct arrow_rec){ out, in, f->category, wide_add(&m->arrow_ids, id) };
}

/* Two ends may stand in the wrong order: clocks of host and device drift. */
static bool is_swapped_pair(const struct model *m, const uint32_t *at, size_t n)
{
	return n == 2 && m->flows[at[0]].end == FLOW_FINISH &&
	       m->flows[at[1]].end == FLOW_START;
}

/* The ends of one (category, name, id), by time: each binds to the one before it. */
static void join(struct model *m, const uint32_t *at, size_t n)
{
	uint32_t swapped[2], from = ROW_NONE;

	if (is_swapped_pair(m, at, n)) {
		swapped[0] = at[1];
		swapped[1] = at[0];
		at = swapped;
	}
	for (size_t i = 0; i < n; i++) {
		const struct flow_rec *f = &m->flows[at[i]];
		uint32_t row = bind(m, f);
		bool has_partner = f->end == FLOW_START || from != ROW_NONE;
		if (row == ROW_NONE || !has_partner)
			unbound(m, f);
		else if (f->end != FLOW_START)
			add_arrow(m, from, row, f);
		if (f->end != FLOW_FINISH)
			from = row;
	}
}

void flow_rows(struct model *m)
{
	uint32_t *at = spill_alloc(m->spill, m->nflows, sizeof(*at));
	uint32_t *spare = spill_alloc(m->spill, m->nflows, sizeof(*spare));

	for (size_t i = 0; i < m->nflows; i++)
		at[i] = (uint32_t)i;
	sort_spilled(m->spill, at, m->nflows, spare, flow_before, m->flows);
	spill_free(m->spill, spare);
	for (size_t i = 0; i < m->nflows;) {
		size_t n = 1;
		while (i + n < m->nflows &&
		       same_arrow(&m->flows[at[i]], &m->flows[at[i + n]]))
			n++;
		join(m, at + i, n);
		i += n;
	}
	spill_free(m->spill, at);
	model_drop_flows(m);
}
