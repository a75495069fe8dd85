/*
 * What each moment of a rank's steps went to: see rank_facts.h.  Computing comes first,
 * then copies, then collectives; the rest is idle, and charged as `ptool gaps` does.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/comm/comm_host.h"
#include "query/gaps/gap_profile.h"
#include "query/ranks/rank_facts.h"

/* Time of one kind without a break. */
struct piece {
	int64_t start_ns, end_ns, call;
	size_t step;
	uint8_t what, cause;
};

struct timeline {
	const struct gap_profile *gaps;              /* borrowed */
	const struct comm_calls *told;               /* borrowed */
	struct intervals host;                       /* without devices: operators */
	struct intervals compute, copies, all, idle; /* sets within the windows */
	struct comm_call *calls;                     /* owned; by start */
	size_t ncalls;
	struct piece *pieces; /* owned */
	size_t n, cap;
	int64_t *bounds; /* owned; starts and ends of calls, rising */
	size_t nbounds;
	size_t newest; /* the step of the newest piece, as pieces say it */
};

static void add_piece(struct timeline *t, struct piece piece)
{
	int64_t from_ns = piece.start_ns, end_ns = piece.end_ns;
	struct gap_part part;

	while (gap_range_next(&t->gaps->range, &from_ns, end_ns, &part)) {
		piece.start_ns = part.start_ns;
		piece.end_ns = part.end_ns;
		piece.step = part.step;
		*ARRAY_PUSH(t->pieces, t->n, t->cap) = piece;
	}
}

static void add_set(struct timeline *t, const struct intervals *set, enum rank_what what)
{
	for (size_t i = 0; i < set->n; i++)
		add_piece(t, (struct piece){ .start_ns = set->items[i].start_ns,
					     .end_ns = set->items[i].end_ns,
					     .what = (uint8_t)what });
}

/* When work of these kinds ran on any device. */
static void unite_devices(const struct timeline *t, unsigned kinds, struct intervals *out)
{
	const struct device_work *work = &t->gaps->work;

	*out = (struct intervals){ .n = 0 };
	for (size_t i = 0; i < work->ndevices; i++) {
		struct intervals one;
		device_work_union(work, &work->devices[i], kinds, &one);
		for (size_t k = 0; k < one.n; k++)
			intervals_add(out, one.items[k].start_ns, one.items[k].end_ns);
		intervals_release(&one);
	}
	intervals_unite(out);
}

static void find_sets(struct timeline *t)
{
	const struct intervals *windows = &t->gaps->range.wanted;
	struct intervals memory;

	if (!t->gaps->work.ndevices) {
		intervals_intersect(&t->host, windows, &t->compute);
		intervals_intersect(&t->host, windows, &t->all);
	} else {
		unite_devices(t, WORK_BIT(WORK_COMPUTE), &t->compute);
		unite_devices(t, WORK_MEMORY, &memory);
		unite_devices(t, WORK_ALL, &t->all);
		intervals_subtract(&memory, &t->compute, &t->copies);
		intervals_release(&memory);
	}
	intervals_subtract(windows, &t->all, &t->idle);
}

static int by_start(const void *a, const void *b)
{
	const struct comm_call *x = a, *y = b;
	int order = sort_order(x->start_ns, y->start_ns);

	return order ? order : sort_order(x->slice_id, y->slice_id);
}

/* Of recordings with devices those on devices, and those of the host behind them. */
static void sort_calls(struct timeline *t)
{
	const struct comm_calls *calls = t->told;

	t->calls = xcalloc(calls->n + 1, sizeof(*t->calls));
	t->bounds = xcalloc((calls->n * 2) + 1, sizeof(*t->bounds));
	for (size_t i = 0; i < calls->n; i++) {
		if (calls->items[i].side == COMM_LAUNCH_ONLY)
			continue;
		t->calls[t->ncalls++] = calls->items[i];
		t->bounds[t->nbounds++] = calls->items[i].start_ns;
		t->bounds[t->nbounds++] = calls->items[i].end_ns;
	}
	if (!t->ncalls)
		return;
	qsort(t->calls, t->ncalls, sizeof(*t->calls), by_start);
	sort_by_field(t->bounds, t->nbounds, sizeof(*t->bounds), 0);
}

/*
 * Of the set what each collective of a side covers, that which began first; what none
 * covers is left in it.
 */
static void add_calls(struct timeline *t, struct intervals *set, bool on_host)
{
	struct intervals covered = { .n = 0 }, rest, within;
	int64_t until_ns = INT64_MIN;

	for (size_t i = 0; i < t->ncalls; i++) {
		const struct comm_call *call = &t->calls[i];
		int64_t from_ns = call->start_ns > until_ns ? call->start_ns : until_ns;
		if ((call->side == COMM_ON_HOST) != on_host || from_ns >= call->end_ns)
			continue;
		intervals_within(set, from_ns, call->end_ns, &within);
		for (size_t k = 0; k < within.n; k++)
			add_piece(t, (struct piece){ .start_ns = within.items[k].start_ns,
						     .end_ns = within.items[k].end_ns,
						     .call = call->slice_id,
						     .what = RANK_COLLECTIVE });
		intervals_release(&within);
		intervals_add(&covered, from_ns, call->end_ns);
		until_ns = call->end_ns;
	}
	intervals_unite(&covered);
	intervals_subtract(set, &covered, &rest);
	intervals_release(set);
	intervals_release(&covered);
	*set = rest;
}

static void add_collectives(struct timeline *t)
{
	struct intervals ran, memory_free;

	intervals_subtract(&t->all, &t->compute, &memory_free);
	intervals_subtract(&memory_free, &t->copies, &ran);
	intervals_release(&memory_free);
	add_calls(t, &ran, false);
	add_set(t, &ran, RANK_COLLECTIVE);
	intervals_release(&ran);
}

/* What a segment of the blame says of idle time of all devices in [from, to). */
static void add_segment(struct timeline *t, const struct gap_segment *s, int64_t from_ns,
			int64_t to_ns, struct intervals *waiting)
{
	struct intervals within;

	if (s->start_ns > from_ns)
		from_ns = s->start_ns;
	if (s->end_ns < to_ns)
		to_ns = s->end_ns;
	if (from_ns >= to_ns)
		return;
	intervals_within(&t->idle, from_ns, to_ns, &within);
	for (size_t i = 0; i < within.n; i++) {
		const struct interval *w = &within.items[i];
		if (s->cause == GAP_COMMUNICATION)
			intervals_add(waiting, w->start_ns, w->end_ns);
		else
			add_piece(t, (struct piece){ .start_ns = w->start_ns,
						     .end_ns = w->end_ns,
						     .what = RANK_IDLE,
						     .cause = s->cause });
	}
	intervals_release(&within);
}

static void add_idle_set(struct timeline *t, const struct intervals *set,
			 enum gap_cause cause)
{
	for (size_t i = 0; i < set->n; i++)
		add_piece(t, (struct piece){ .start_ns = set->items[i].start_ns,
					     .end_ns = set->items[i].end_ns,
					     .what = RANK_IDLE,
					     .cause = (uint8_t)cause });
}

/* While all are idle the first device is: what it is charged with says why. */
static void add_idle(struct timeline *t)
{
	const struct gap_blame *b = &t->gaps->blame;
	struct intervals waiting = { .n = 0 };

	for (size_t i = 0; i < b->gaps.n && b->gaps.items[i].device == 0; i++) {
		const struct gap *gap = &b->gaps.items[i];
		for (uint32_t k = 0; k < gap->nspans; k++) {
			const struct gap_span *span = &b->spans[gap->first_span + k];
			const struct gap_line *line = &b->lines[span->line];
			for (uint32_t s = 0; s < span->n; s++)
				add_segment(t, &line->items[span->first + s],
					    span->start_ns, span->end_ns, &waiting);
		}
	}
	intervals_unite(&waiting);
	add_calls(t, &waiting, true);
	add_idle_set(t, &waiting, GAP_COMMUNICATION);
	intervals_release(&waiting);
}

/* Without a device: the host is in collectives, or between operators. */
static void add_host_idle(struct timeline *t)
{
	add_calls(t, &t->idle, true);
	add_idle_set(t, &t->idle, GAP_UNTRACED);
}

/* What no piece says, so that all of a step is there whatever the blame left out. */
static void add_rest(struct timeline *t)
{
	struct intervals known = { .n = 0 }, rest;

	for (size_t i = 0; i < t->n; i++)
		intervals_add(&known, t->pieces[i].start_ns, t->pieces[i].end_ns);
	intervals_unite(&known);
	intervals_subtract(&t->gaps->range.wanted, &known, &rest);
	add_idle_set(t, &rest, GAP_UNKNOWN);
	intervals_release(&known);
	intervals_release(&rest);
	SORT_BY(t->pieces, t->n, start_ns);
}

/* A stretch under way: time by kind, idle time by cause. */
struct stretch {
	int64_t start_ns, end_ns;
	int64_t ns[NRANK_WHATS], idle_ns[NGAP_CAUSES];
	uint32_t step;
	bool is_open;
};

static void add_part(struct rank_facts *f, const struct stretch *s, enum rank_what what,
		     uint8_t cause, int64_t ns)
{
	if (ns)
		*ARRAY_PUSH(f->parts, f->nparts, f->parts_cap) =
			(struct rank_part){ .start_ns = s->start_ns,
					    .end_ns = s->end_ns,
					    .ns = ns,
					    .step = s->step,
					    .what = (uint8_t)what,
					    .cause = cause };
}

static void close_stretch(struct rank_facts *f, struct stretch *s)
{
	if (!s->is_open)
		return;
	for (int what = 0; what < RANK_IDLE; what++)
		add_part(f, s, (enum rank_what)what, 0, s->ns[what]);
	for (int cause = 0; cause < NGAP_CAUSES; cause++)
		add_part(f, s, RANK_IDLE, (uint8_t)cause, s->idle_ns[cause]);
	*s = (struct stretch){ .is_open = false };
}

static void add_to_stretch(struct rank_facts *f, struct stretch *s,
			   const struct piece *piece, uint32_t step)
{
	int64_t ns = piece->end_ns - piece->start_ns;

	f->steps[step].wall_ns = sum_add(f->steps[step].wall_ns, ns);
	if (s->is_open && s->step != step)
		close_stretch(f, s);
	if (piece->call) {
		close_stretch(f, s);
		*ARRAY_PUSH(f->parts, f->nparts, f->parts_cap) =
			(struct rank_part){ .start_ns = piece->start_ns,
					    .end_ns = piece->end_ns,
					    .ns = ns,
					    .call = piece->call,
					    .step = step,
					    .what = RANK_COLLECTIVE };
		return;
	}
	if (!s->is_open)
		*s = (struct stretch){ .start_ns = piece->start_ns,
				       .step = step,
				       .is_open = true };
	s->end_ns = piece->end_ns;
	if (piece->what == RANK_IDLE)
		s->idle_ns[piece->cause] += ns;
	else
		s->ns[piece->what] += ns;
}

/* The step's place: pieces come in time. */
static uint32_t step_of(struct timeline *t, struct rank_facts *f, const struct piece *p)
{
	const struct gap_step *step =
		p->step == GAP_NO_STEP ? NULL : &t->gaps->range.steps[p->step];

	if (!f->nsteps || t->newest != p->step)
		*ARRAY_PUSH(f->steps, f->nsteps, f->steps_cap) =
			(struct rank_step){ step ? step->number : NUMBER_NONE,
					    step ? step->start_ns : p->start_ns, 0 };
	t->newest = p->step;
	return (uint32_t)f->nsteps - 1;
}

static void add_stretches(struct timeline *t, struct rank_facts *f)
{
	struct stretch s = { .is_open = false };
	size_t bound = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct piece rest = t->pieces[i];
		uint32_t step = step_of(t, f, &rest);
		while (bound < t->nbounds && t->bounds[bound] <= rest.start_ns) {
			if (s.is_open && t->bounds[bound] > s.start_ns)
				close_stretch(f, &s);
			bound++;
		}
		for (; bound < t->nbounds && t->bounds[bound] < rest.end_ns; bound++) {
			struct piece first = rest;
			if (t->bounds[bound] == rest.start_ns)
				continue;
			first.end_ns = rest.start_ns = t->bounds[bound];
			add_to_stretch(f, &s, &first, step);
			close_stretch(f, &s);
		}
		add_to_stretch(f, &s, &rest, step);
	}
	close_stretch(f, &s);
}

static void release(struct timeline *t)
{
	intervals_release(&t->host);
	intervals_release(&t->compute);
	intervals_release(&t->copies);
	intervals_release(&t->all);
	intervals_release(&t->idle);
	free(t->calls);
	free(t->pieces);
	free(t->bounds);
}

int rank_facts_make(struct summary_source *from, const struct comm_calls *calls,
		    struct rank_facts *out, struct err *err)
{
	struct timeline t = { .told = calls };
	int rc = 0;

	*out = (struct rank_facts){ .profile = from->profile };
	t.gaps = summary_idle(from, err);
	if (!t.gaps)
		return -1;
	bool has_devices = t.gaps->work.ndevices > 0;
	if (!has_devices)
		rc = comm_host_compute(from->store, from->texts, from->profile, &t.host,
				       err);
	if (rc == 0) {
		find_sets(&t);
		sort_calls(&t);
		add_set(&t, &t.compute, RANK_COMPUTE);
		add_set(&t, &t.copies, RANK_COPY);
		add_collectives(&t);
		if (has_devices)
			add_idle(&t);
		else
			add_host_idle(&t);
		add_rest(&t);
		add_stretches(&t, out);
	}
	release(&t);
	return rc;
}

void rank_facts_release(struct rank_facts *f)
{
	free(f->steps);
	free(f->parts);
	*f = (struct rank_facts){ .nsteps = 0 };
}
