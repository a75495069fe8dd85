/* Flow arrows: see flow.h. */
#include "store/flow.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/crew.h"
#include "base/search.h"
#include "base/sort.h"
#include "store/apart.h"
#include "store/around.h"

/* Tracks whose newest row is remembered: more than that few arrows cross in turn. */
#define NEAR_TRACKS 16

/* Where arrows ended last: the next ones do so near by. */
struct near {
	uint32_t rows[NEAR_TRACKS]; /* by track % NEAR_TRACKS: offset in it */
};

static bool begins_behind(const struct model *m, const struct track *t, size_t at,
			  int64_t ts_ns)
{
	return model_slice(m, (uint32_t)(t->first + at))->ts_ns > ts_ns;
}

/*
 * The bounds [*low, *high] between which the answer of first_behind() is, found with
 * steps that double, from where the last one was.
 */
static void bound(const struct model *m, const struct track *t, int64_t ts_ns,
		  size_t *low, size_t *high)
{
	size_t at = *low < t->n ? *low : t->n, step = 1;

	*low = 0;
	*high = t->n;
	if (at < t->n && !begins_behind(m, t, at, ts_ns)) {
		*low = at + 1;
		for (; step < t->n - at; step *= 2) {
			if (begins_behind(m, t, at + step, ts_ns)) {
				*high = at + step;
				return;
			}
			*low = at + step + 1;
		}
		return;
	}
	*high = at;
	for (; step <= at; step *= 2) {
		if (!begins_behind(m, t, at - step, ts_ns)) {
			*low = at - step + 1;
			return;
		}
		*high = at - step;
	}
}

/* The first row of the track that begins behind ts. */
static uint32_t first_behind(const struct model *m, const struct track *t, int64_t ts_ns,
			     struct near *near)
{
	uint32_t *newest = &near->rows[(size_t)(t - m->tracks) % NEAR_TRACKS];
	size_t low = *newest, high, at;

	bound(m, t, ts_ns, &low, &high);
	SEARCH(at, low, high, !begins_behind(m, t, at, ts_ns));
	*newest = (uint32_t)at;
	return (uint32_t)(t->first + at);
}

/* The innermost slice around ts; one that begins there counts.  Instants do not. */
static uint32_t enclosing(const struct around *a, const struct track *t, int64_t ts_ns,
			  struct near *near)
{
	const struct model *m = a->m;
	uint32_t row = first_behind(m, t, ts_ns, near);

	if (row == t->first)
		return ROW_NONE;
	row--;
	if (t->kind == TRACK_STREAM)
		return slice_end(model_slice(m, row)) >= ts_ns ? row : ROW_NONE;
	return around_row(a, row, ts_ns);
}

/* The next slice that begins at ts or later. */
static uint32_t following(const struct around *a, const struct track *t, int64_t ts_ns,
			  struct near *near)
{
	uint32_t row = ts_ns == INT64_MIN ? (uint32_t)t->first
					  : first_behind(a->m, t, ts_ns - 1, near);

	return around_next(a, t, row);
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
static uint32_t bind(const struct around *a, const struct flow_rec *f, struct near *near)
{
	const struct model *m = a->m;
	const struct place *place = &m->places[f->place];
	uint32_t best = ROW_NONE;

	for (size_t kind = 0; kind < TRACK_ASYNC; kind++) {
		if (place->track[kind] == TEXT_NONE)
			continue;
		const struct track *t = &m->tracks[place->track[kind]];
		uint32_t row = f->enclosing ? enclosing(a, t, f->ts_ns, near)
					    : following(a, t, f->ts_ns, near);
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

static void add_arrow(struct model *m, uint32_t out, uint32_t in,
		      const struct flow_rec *f)
{
	int64_t id = f->id_text == TEXT_NONE ? f->id_number : NUMBER_NONE;

	*APPEND(m, arrows) =
		(struct arrow_rec){ out, in, f->category, wide_add(&m->arrow_ids, id) };
}

/* Arrow ends in order: which they are, and the rows that they are bound to. */
struct ends {
	struct model *m;
	struct around around;
	uint32_t *at, *rows;
	size_t parts, *begins;    /* one more of these, see part_begins() */
	struct finding_rec *told; /* of ends that are bound to nothing: the last one */
	uint32_t told_category;
};

/* Half of a recording's ends may be such. */
static void unbound(struct ends *e, const struct flow_rec *f)
{
	if (e->told && e->told_category == f->category && f->offset >= e->told->offset) {
		e->told->count++;
		return;
	}
	e->told = model_finding(e->m, FINDING_FLOW_UNBOUND, f->offset,
				intern_str(e->m->texts, f->category), STR_LIT(""));
	e->told_category = f->category;
}

/* Two ends may stand in the wrong order: clocks of host and device drift. */
static bool is_swapped_pair(const struct model *m, const uint32_t *at, size_t n)
{
	return n == 2 && m->flows[at[0]].end == FLOW_FINISH &&
	       m->flows[at[1]].end == FLOW_START;
}

/* The ends of one (category, name, id), by time: each binds to the one before it. */
static void join(struct ends *e, size_t first, size_t n)
{
	bool is_swapped = is_swapped_pair(e->m, e->at + first, n);
	uint32_t from = ROW_NONE;

	for (size_t i = 0; i < n; i++) {
		size_t end = first + (is_swapped ? n - 1 - i : i);
		const struct flow_rec *f = &e->m->flows[e->at[end]];
		uint32_t row = e->rows[end];
		bool has_partner = f->end == FLOW_START || from != ROW_NONE;
		if (row == ROW_NONE || !has_partner)
			unbound(e, f);
		else if (f->end != FLOW_START)
			add_arrow(e->m, from, row, f);
		if (f->end != FLOW_FINISH)
			from = row;
	}
}

static bool is_of_id_before(const struct ends *e, size_t at)
{
	const struct flow_rec *flows = e->m->flows;

	return flows[e->at[at]].id_number == flows[e->at[at - 1]].id_number;
}

/*
 * Where each part begins: with the first end of an id.  Known before threads order the ends
 * of ids, and so change what stands where.
 */
static size_t *part_begins(const struct ends *e)
{
	size_t *begins = xcalloc(e->parts + 1, sizeof(*begins));

	for (size_t part = 1; part <= e->parts; part++) {
		size_t at = crew_cut(e->m->nflows, e->parts, part);
		if (at < begins[part - 1])
			at = begins[part - 1];
		while (at > 0 && at < e->m->nflows && is_of_id_before(e, at))
			at++;
		begins[part] = at;
	}
	return begins;
}

/* Orders the ends of each id, and finds their rows. */
static void bind_part(void *to, size_t part)
{
	const struct ends *e = to;
	const struct model *m = e->m;
	size_t first = e->begins[part], end = e->begins[part + 1];
	struct near near = { { 0 } };

	for (size_t n; first < end; first += n) {
		for (n = 1; first + n < end && is_of_id_before(e, first + n);)
			n++;
		sort_spilled(n < SPILL_TICK ? NULL : m->spill, e->at + first, n,
			     e->rows + first, flow_before, m->flows);
		for (size_t i = first; i < first + n; i++) {
			model_tick(m, i);
			e->rows[i] = bind(&e->around, &m->flows[e->at[i]], &near);
		}
	}
}

static int64_t id_of(const void *context, uint32_t flow)
{
	const struct flow_rec *flows = context;

	return flows[flow].id_number;
}

void flow_rows(struct model *m)
{
	unsigned others = model_others(m, m->nflows);
	struct ends e = { .m = m,
			  .at = spill_alloc(m->spill, m->nflows, sizeof(*e.at)),
			  .rows = spill_alloc(m->spill, m->nflows, sizeof(*e.rows)),
			  .parts = others ? 4 * (size_t)(others + 1) : 1 };

	for (size_t i = 0; i < m->nflows; i++)
		e.at[i] = (uint32_t)i;
	sort_numbered(m->spill, e.at, m->nflows, e.rows, id_of, m->flows);
	e.begins = part_begins(&e);
	if (m->nflows)
		around_init(&e.around, m);
	crew_run(others, e.parts, bind_part, &e);
	if (m->nflows)
		around_release(&e.around);
	free(e.begins);
	for (size_t i = 0; i < m->nflows;) {
		size_t n = 1;
		while (i + n < m->nflows &&
		       same_arrow(&m->flows[e.at[i]], &m->flows[e.at[i + n]]))
			n++;
		model_tick(m, i);
		join(&e, i, n);
		i += n;
	}
	spill_free(m->spill, e.rows);
	spill_free(m->spill, e.at);
	model_drop_flows(m);
}
