/* What the host did in gaps: see gap_blame.h. */

#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/gaps/gap_blame.h"
#include "query/gaps/gap_stack.h"
#include "query/query.h"
#include "query/slices/slice_pack.h"

/*
 * What is asked of the host: which thread is charged for which part of which gap.
 */
#define GAP_NONE_ENDED UINT32_MAX

/*
 * The host's part of a gap, on the thread that launched what ends it, or that marks the
 * steps after the last work; it is empty when the launch was made before.
 */
struct gap_question {
	int64_t track_id; /* 0: no thread is known */
	int64_t from_ns, to_ns;
	int64_t until_ns; /* to_ns, or just after the launch; slices until then are read */
	uint32_t gap;
	bool is_chosen; /* else what streams were told until then is all that is wanted */
};

struct gap_questions {
	struct gap_question *items; /* owned; by (track, from, gap) */
	size_t n;
	uint32_t *gap_of; /* owned; by item: the gap that it ends, or GAP_NONE_ENDED */
};

/* The thread that launched most of the device's work, of equal ones the first; or 0. */
static int64_t busiest_thread(const struct device_work *work, uint32_t device)
{
	const struct work_device *d = &work->devices[device];
	int64_t *tracks = xrealloc_array(NULL, d->n + 1, sizeof(*tracks));
	int64_t busiest = 0;
	size_t n = 0, most = 0;

	for (size_t i = d->first; i < d->first + d->n; i++)
		if (work->items[i].launch_id)
			tracks[n++] = work->items[i].launch_track_id;
	sort_by_field(tracks, n, sizeof(*tracks), 0);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && tracks[end] == tracks[i]; end++)
			;
		if (end - i > most) {
			most = end - i;
			busiest = tracks[i];
		}
	}
	free(tracks);
	return busiest;
}

/* Nothing was launched any more: what the thread that marks the steps did instead. */
static struct gap_question ask_last(const struct gap_blame_request *request,
				    const struct gap *g)
{
	struct gap_question q = { .track_id = request->range->track_id };

	if (!q.track_id)
		q.track_id = busiest_thread(request->work, g->device);
	q.until_ns = g->end_ns;
	return q;
}

static struct gap_question ask_launch(const struct device_work *work, const struct gap *g)
{
	const struct work_item *after = &work->items[g->after];
	struct gap_question q = { .track_id = after->launch_track_id };

	q.until_ns = sum_add(after->launch_start_ns, 1);
	if (q.until_ns < g->host_end_ns)
		q.until_ns = g->host_end_ns;
	return q;
}

/* gap_questions_release() afterwards. */
static void gap_questions_find(const struct gap_blame_request *request,
			       const struct gap_blame *blame, struct gap_questions *out)
{
	const struct device_work *work = request->work;
	const struct gaps *gaps = &blame->gaps;

	*out = (struct gap_questions){ .n = 0 };
	out->items = xrealloc_array(NULL, gaps->n + 1, sizeof(*out->items));
	out->gap_of = xrealloc_array(NULL, work->n + 1, sizeof(*out->gap_of));
	for (size_t i = 0; i < work->n; i++)
		out->gap_of[i] = GAP_NONE_ENDED;
	for (size_t i = 0; i < gaps->n; i++) {
		const struct gap *g = &gaps->items[i];
		bool is_last = g->after == GAP_NO_WORK;
		bool is_chosen = gap_blame_has_chosen(blame, i);
		if (!is_last && !work->items[g->after].launch_id)
			continue;
		if (!is_chosen && (is_last || blame->knows_waits))
			continue;
		struct gap_question q =
			is_last ? ask_last(request, g) : ask_launch(work, g);
		q.from_ns = g->start_ns;
		q.to_ns = g->host_end_ns;
		q.gap = (uint32_t)i;
		q.is_chosen = is_chosen;
		if (!is_last && is_chosen)
			out->gap_of[g->after] = q.gap;
		out->items[out->n++] = q;
	}
	SORT_BY(out->items, out->n, from_ns);
	SORT_BY(out->items, out->n, track_id);
}

static void gap_questions_release(struct gap_questions *q)
{
	free(q->items);
	free(q->gap_of);
	*q = (struct gap_questions){ .n = 0 };
}

ASSET(asset_query_views_host_tracks_sql);

struct pass {
	const struct gap_blame_request *request;
	struct gap_blame *blame;
	struct gap_stack stack;
	struct gap_questions asking;
	size_t next, end; /* those of the track: next to end */
	uint32_t line;    /* of the thread */
	int64_t until_ns; /* to here the gaps reach that the pass has come to */
	int64_t at_ns;    /* all before it is charged */
	struct gap_charge
		drained; /* the last wait for the device with no launch behind it */
	bool has_waited; /* a stream was told to wait since the last launch */
	size_t launch;   /* the first that is not of a slice before */
};

static int compare_drains(const void *a, const void *b)
{
	const struct gap_drain *x = a, *y = b;

	return (x->gap > y->gap) - (x->gap < y->gap);
}

/* What the top of the stack, or nothing, is charged as. */
static struct gap_segment segment_of(const struct gap_frame *top)
{
	struct gap_segment segment = gap_segment_of(0, 0);

	segment.cause = GAP_UNTRACED;
	if (!top)
		return segment;
	const struct gap_charge *charge = top->named.cause ? &top->named : &top->general;
	segment.drains = top->is_draining;
	segment.op = top->op;
	segment.frame = top->frame;
	segment.annotation = top->annotation;
	if (charge->cause) {
		segment.cause = charge->cause;
		segment.blamed = charge->blamed;
		segment.slice_id = charge->slice_id;
		segment.dur_ns = charge->dur_ns;
	}
	return segment;
}

static bool is_continued(const struct gap_segment *a, const struct gap_segment *b)
{
	return a->end_ns == b->start_ns && a->slice_id == b->slice_id &&
	       a->cause == b->cause && a->op == b->op && a->frame == b->frame &&
	       a->annotation == b->annotation;
}

/* Charges [from, to), if it has a length, to what the thread runs. */
static void charge(struct pass *p, int64_t from_ns, int64_t to_ns)
{
	struct gap_line *line = &p->blame->lines[p->line];
	struct gap_segment *last = line->n ? &line->items[line->n - 1] : NULL;

	if (from_ns >= to_ns)
		return;
	struct gap_segment segment = segment_of(gap_stack_top(&p->stack));
	segment.start_ns = from_ns;
	segment.end_ns = to_ns;
	if (segment.drains)
		intervals_add(&line->draining, from_ns, to_ns);
	if (last && is_continued(last, &segment)) {
		last->end_ns = to_ns;
		last->drains |= segment.drains;
		return;
	}
	gap_line_add(line, segment);
}

/* The pass comes to the start of a gap: had a wait for the device emptied its queue? */
static void ask(struct pass *p, const struct gap_question *q)
{
	struct gap_blame *b = p->blame;

	if (!p->drained.cause || q->from_ns == q->to_ns)
		return;
	*ARRAY_PUSH(b->drains, b->ndrains, b->drains_cap) = (struct gap_drain){
		.slice_id = p->drained.slice_id,
		.dur_ns = p->drained.dur_ns,
		.gap = q->gap,
		.blamed = p->drained.blamed,
		.cause = p->drained.cause,
	};
}

/* Charges of [at, to) what any gap has. */
static void pass_over(struct pass *p, int64_t to_ns)
{
	int64_t from_ns = p->at_ns;

	if (to_ns <= p->at_ns)
		return;
	p->at_ns = to_ns;
	if (p->until_ns <= from_ns &&
	    (p->next == p->end || p->asking.items[p->next].from_ns >= to_ns))
		return; /* as mostly: the device has work */
	while (p->next < p->end && p->asking.items[p->next].from_ns < to_ns) {
		const struct gap_question *q = &p->asking.items[p->next++];
		if (!q->is_chosen)
			continue;
		ask(p, q);
		if (q->from_ns > p->until_ns) {
			charge(p, from_ns, p->until_ns);
			from_ns = q->from_ns;
		}
		if (q->to_ns > p->until_ns)
			p->until_ns = q->to_ns;
	}
	charge(p, from_ns, p->until_ns < to_ns ? p->until_ns : to_ns);
}

/* Leaves the slices that end until then. */
static void pass_to(struct pass *p, int64_t ns)
{
	int64_t end_ns;

	while ((end_ns = gap_stack_end(&p->stack)) <= ns && p->stack.nopen) {
		pass_over(p, end_ns);
		gap_stack_pop(&p->stack, &p->drained);
	}
	pass_over(p, ns);
}

/* What the call was made in, for the gaps that its work ends. */
static void keep_context(struct pass *p, const struct gap_launch *launch)
{
	const struct gap_launch *end = p->blame->launches + p->blame->nlaunches;

	for (int64_t id = launch->launch_id; launch < end && launch->launch_id == id;
	     launch++) {
		uint32_t gap = p->asking.gap_of[launch->item];
		const struct gap_frame *top =
			gap == GAP_NONE_ENDED ? NULL : gap_stack_top(&p->stack);
		if (top)
			p->blame->contexts[gap] =
				(struct gap_context){ top->op, top->frame,
						      top->annotation };
	}
}

/* What the call launched; NULL: nothing.  Calls come by their ids. */
static const struct gap_launch *launch_of(struct pass *p, int64_t id)
{
	const struct gap_blame *b = p->blame;

	while (p->launch < b->nlaunches && b->launches[p->launch].launch_id < id)
		p->launch++;
	return p->launch < b->nlaunches && b->launches[p->launch].launch_id == id
		       ? &b->launches[p->launch]
		       : NULL;
}

/* A launch fills the queue again; a wait for an event is for the next work launched. */
static void pass_call(struct pass *p, const struct gap_slice *slice)
{
	const struct gap_launch *launch = launch_of(p, slice->id);

	if (launch) {
		keep_context(p, launch);
		p->blame->waited[launch->item] = p->has_waited;
		p->has_waited = false;
		p->drained.cause = GAP_NONE;
	} else if (gap_stack_tells_wait(&p->stack, slice->name)) {
		p->has_waited = true;
	}
}

static int pass_slice(struct pass *p, const struct packed_slice *packed, struct err *err)
{
	struct gap_slice slice = { .id = packed->id,
				   .start_ns = packed->start_ns,
				   .end_ns = packed->end_ns,
				   .class = (enum slice_class)packed->class };

	if (slice.start_ns < p->at_ns)
		return query_damaged("slices", err);
	if (text_pool_number(p->request->texts, packed->name_id, &slice.name, err) < 0)
		return -1;
	pass_to(p, slice.start_ns);
	if (slice.class == CLASS_RUNTIME || slice.class == CLASS_DRIVER)
		pass_call(p, &slice);
	if (slice.end_ns > slice.start_ns)
		gap_stack_push(&p->stack, &slice);
	return p->stack.rc;
}

/* What the thread did in each of the gaps that asked. */
static void find_hosts(struct pass *p, size_t first)
{
	uint32_t at = 0;

	for (size_t i = first; i < p->end; i++) {
		const struct gap_question *q = &p->asking.items[i];
		if (q->from_ns == q->to_ns || !q->is_chosen)
			continue;
		struct interval when = { q->from_ns, q->to_ns };
		p->blame->hosts[q->gap] = gap_line_span(p->blame, p->line, at, when);
		at = p->blame->hosts[q->gap].first;
	}
}

/* The slices of a thread, until its last question is answered. */
static int pass_thread(struct pass *p, struct slice_pack *slices, struct err *err)
{
	int64_t last_ns = INT64_MIN;
	size_t first = p->next;
	int rc = 0;

	for (size_t i = p->next; i < p->end; i++)
		if (p->asking.items[i].until_ns > last_ns)
			last_ns = p->asking.items[i].until_ns;
	p->line = gap_blame_add_line(p->blame);
	p->at_ns = p->until_ns = INT64_MIN;
	gap_stack_clear(&p->stack);
	p->has_waited = false;
	p->drained.cause = GAP_NONE;
	while (p->at_ns < last_ns && (rc = slice_pack_next(slices, err)) > 0)
		if (pass_slice(p, &slices->slice, err) < 0)
			return -1;
	if (rc < 0)
		return -1;
	pass_to(p, last_ns);
	if (p->stack.rc < 0)
		return -1;
	intervals_unite(&p->blame->lines[p->line].draining);
	find_hosts(p, first);
	return 0;
}

/* The questions about a track: p->next to p->end. */
static bool questions_of(struct pass *p, int64_t track_id)
{
	size_t at;

	SEARCH(at, 0, p->asking.n, p->asking.items[at].track_id < track_id);
	for (p->next = p->end = at;
	     p->end < p->asking.n && p->asking.items[p->end].track_id == track_id;
	     p->end++)
		;
	return p->end > p->next;
}

static int pass_threads(struct pass *p, struct slice_walk *threads, struct err *err)
{
	int rc;

	while ((rc = slice_walk_track(threads, err)) > 0) {
		if (!questions_of(p, threads->track_id))
			continue;
		if (pass_thread(p, &threads->slices, err) < 0)
			return -1;
	}
	return rc;
}

int gap_host_blame(const struct gap_blame_request *request, struct gap_blame *blame,
		   struct err *err)
{
	struct pass p = { .request = request, .blame = blame };
	struct slice_walk threads = { .tracks = NULL };
	int rc = -1;

	p.stack.request = request;
	p.stack.blame = blame;
	p.stack.err = err;
	gap_questions_find(request, blame, &p.asking);
	blame->contexts =
		xrealloc_array(NULL, blame->gaps.n + 1, sizeof(*blame->contexts));
	for (size_t i = 0; i < blame->gaps.n; i++)
		blame->contexts[i] =
			(struct gap_context){ TEXT_NONE, TEXT_NONE, TEXT_NONE };
	blame->waited = xcalloc(request->work->n + 1, sizeof(*blame->waited));
	blame->hosts = xcalloc(blame->gaps.n + 1, sizeof(*blame->hosts));
	if (slice_walk_open(request->store, asset_query_views_host_tracks_sql,
			    request->profile->id, PACKED_NAME | PACKED_CLASS, &threads,
			    err) == 0)
		rc = pass_threads(&p, &threads, err);
	if (blame->ndrains)
		qsort(blame->drains, blame->ndrains, sizeof(*blame->drains),
		      compare_drains);
	slice_walk_close(&threads);
	gap_stack_release(&p.stack);
	gap_questions_release(&p.asking);
	return rc;
}
