/* What the device waited for: see gap_blame.h. */
#include "query/gaps/gap_blame.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sparse.h"
#include "base/sum.h"
#include "query/gaps/gap_usual.h"
#include "query/gaps/gap_wait.h"
#include "query/graphs/replays.h"

/* How long a launch, or the distance of work that is queued, may be. */
static const struct gap_bounds launches_last = { .few_ns = 100000, .least_ns = 20000 };
static const struct gap_bounds queued_apart = { .few_ns = 20000, .least_ns = 10000 };

/* What is found out of a gap before it is known what is ordinary. */
enum way {
	WAY_DONE,   /* cause and blame stand */
	WAY_LAUNCH, /* the work was on its way */
	WAY_REPLAY, /* so was a graph, whose call was not over as the gap began */
	WAY_QUEUED /* work of its stream, a copy, or any before a graph ran right before it */
};

struct verdict {
	struct gap_sample sample; /* but of WAY_DONE */
	int64_t wait_slice_id; /* of the wait that its stream was told; 0: none known */
	int64_t slice_id;
	uint32_t wait_for; /* text: what that waits for */
	uint32_t blamed;
	uint8_t way, cause;
	bool was_told;     /* to wait for an event */
	bool is_first_use; /* the first work of that name */
	bool is_first;     /* the first work of its stream */
};

struct judging {
	const struct gap_blame_request *request;
	struct gap_blame *blame;
	const struct stream_waits *waits;
	struct replays replays;
	struct stream_past *past; /* owned; by stream, of the items before `after` */
	/* uint32_t by name and 1: the device, and 1, that ran it last; owned */
	struct sparse seen;
	struct verdict *verdicts; /* owned; by gap */
	struct gap_usual launches, queued;
};

static const struct work_item *item_of(const struct judging *j, uint32_t item)
{
	return &j->request->work->items[item];
}

/* Is it work of a graph? */
static bool is_replayed(const struct judging *j, uint32_t item)
{
	return item != GAP_NO_WORK && j->replays.of[item].replay != REPLAY_NONE;
}

/* "stream 7" */
static uint32_t numbered_text(const struct judging *j, const char *what, int64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%s %" PRId64, what, number);
	return intern_add(&j->request->texts->intern, str_of(text));
}

/* What a wait for an event is charged to. */
static void set_wait(const struct judging *j, const struct gap *g,
		     const struct stream_wait *wait, struct verdict *v)
{
	v->was_told = true;
	v->wait_slice_id = wait ? wait->slice_id : item_of(j, g->after)->slice_id;
	v->wait_for = wait && wait->other != GAP_NOT_SAID
			      ? numbered_text(j, "stream", wait->other)
			      : item_of(j, g->after)->name;
}

static void charge_to(struct verdict *v, enum gap_cause cause, int64_t slice_id,
		      uint32_t blamed)
{
	v->cause = (uint8_t)cause;
	v->slice_id = slice_id;
	v->blamed = blamed;
}

/* Launched before the gap began: was its stream told to wait for an event? */
static void find_hold(const struct judging *j, const struct gap_view *view,
		      struct verdict *v)
{
	const struct stream_wait *wait = stream_waits_holding(j->waits, view);

	if (!wait && (j->blame->knows_waits || !j->blame->waited[view->gap->after]))
		return;
	set_wait(j, view->gap, wait, v);
	charge_to(v, GAP_EVENT, v->wait_slice_id, v->wait_for);
}

/* What was queued behind work that ended as the gap began: GAP_NONE when nothing was. */
static enum gap_cause queued_cause(const struct judging *j, const struct gap *g,
				   uint32_t *behind)
{
	const struct work_item *after = item_of(j, g->after);
	const struct stream_past *past = &j->past[after->stream];

	*behind = past->item;
	if (past->item == GAP_NO_WORK || past->end_ns != g->start_ns) {
		*behind = g->before;
		return g->before != GAP_NO_WORK && after->class == CLASS_MEMCPY &&
				       item_of(j, g->before)->class == CLASS_MEMCPY
			       ? GAP_ENGINE
			       : GAP_NONE;
	}
	if (is_replayed(j, past->item))
		return GAP_GRAPH_END;
	return after->class == CLASS_MEMCPY ||
			       item_of(j, past->item)->class == CLASS_MEMCPY
		       ? GAP_ENGINE
		       : GAP_ORDER;
}

static void set_queued(const struct judging *j, const struct gap *g, enum gap_cause cause,
		       uint32_t behind, struct verdict *v)
{
	const struct work_item *after = item_of(j, g->after);
	const struct work_item *charged =
		after->class == CLASS_MEMCPY ? after : item_of(j, behind);

	v->way = WAY_QUEUED;
	v->sample.kind = (uint64_t)after->stream << 8 | cause;
	v->sample.ns = g->end_ns - g->start_ns;
	charge_to(v, cause, charged->slice_id, charged->name);
}

static void set_launch(const struct judging *j, const struct gap *g, struct verdict *v)
{
	const struct work_item *after = item_of(j, g->after);

	v->way = WAY_LAUNCH;
	v->sample.kind = (uint64_t)after->launch_name << 8 | after->class;
	v->sample.ns = sum_sub(g->end_ns, after->launch_start_ns);
	charge_to(v, GAP_LATENCY, after->launch_id, after->launch_name);
}

/* The first work of a replay: the graph was being launched, or was queued. */
static void judge_replay(const struct judging *j, const struct gap *g, struct verdict *v)
{
	const struct work_item *after = item_of(j, g->after);
	const struct stream_past *past = &j->past[after->stream];
	uint32_t behind = past->item != GAP_NO_WORK && past->end_ns == g->start_ns
				  ? past->item
				  : g->before;

	if (after->launch_end_ns > g->start_ns) {
		v->way = WAY_REPLAY;
		v->cause = GAP_GRAPH_LAUNCH;
		v->sample.kind = (uint64_t)after->launch_name << 8 | after->class;
		v->sample.ns = g->end_ns > after->launch_end_ns
				       ? sum_sub(g->end_ns, after->launch_end_ns)
				       : 0;
		return;
	}
	v->way = WAY_QUEUED;
	v->cause = is_replayed(j, behind) ? GAP_GRAPH_BETWEEN : GAP_GRAPH_START;
	v->sample.kind = (uint64_t)after->stream << 8 | v->cause;
	v->sample.ns = g->end_ns - g->start_ns;
}

/* Nothing says when it was launched; a graph's id may say what the gap lies in. */
static void judge_unlaunched(const struct judging *j, const struct gap *g,
			     struct verdict *v)
{
	const struct work_item *after = item_of(j, g->after);
	const struct replay_place *place = &j->replays.of[g->after];

	charge_to(v, GAP_UNKNOWN, after->slice_id, after->name);
	if (!place->is_later)
		return;
	uint32_t graph = j->replays.items[place->replay].graph;
	charge_to(v, GAP_GRAPH_NODES, after->slice_id,
		  numbered_text(j, "graph", j->replays.graphs[graph].id));
}

/* The rules in their order, as far as they need not know what is ordinary. */
static void judge(const struct judging *j, const struct gap *g, struct verdict *v)
{
	const struct gap_view view = { j->request->work, g, j->past };
	const struct work_item *after = item_of(j, g->after);
	bool is_inside = g->host_end_ns > g->start_ns;
	bool is_graph = is_replayed(j, g->after);
	enum gap_cause queued;
	uint32_t behind;

	if (!after->launch_id) {
		judge_unlaunched(j, g, v);
		return;
	}
	charge_to(v, GAP_GRAPH_NODES, after->launch_id, after->launch_name);
	if (j->replays.of[g->after].is_later)
		return;
	if (!is_inside)
		find_hold(j, &view, v);
	if (v->was_told)
		return;
	queued = is_graph ? GAP_NONE : queued_cause(j, g, &behind);
	if (!is_inside && after->launch_end_ns <= g->start_ns && queued) {
		set_queued(j, g, queued, behind, v);
		return;
	}
	if (is_graph)
		judge_replay(j, g, v);
	else
		set_launch(j, g, v);
	const struct stream_wait *wait = stream_waits_told(j->waits, &view);
	if (is_inside && (wait || (!j->blame->knows_waits && j->blame->waited[g->after])))
		set_wait(j, g, wait, v);
}

static bool see_name(struct judging *j, uint32_t name, uint32_t device)
{
	size_t key = name == TEXT_NONE ? 0 : (size_t)name + 1;
	uint32_t *seen = SPARSE_AT(&j->seen, uint32_t, key);
	bool is_first = *seen != device + 1;

	*seen = device + 1;
	return is_first;
}

static void pass_item(struct judging *j, uint32_t item, uint32_t device)
{
	const struct work_item *w = item_of(j, item);
	struct stream_past *past = &j->past[w->stream];

	see_name(j, w->name, device);
	past->item = item;
	if (w->end_ns > past->end_ns)
		past->end_ns = w->end_ns;
}

/* Does it say how long launches of its kind take? */
static bool is_launch(const struct verdict *v, const struct gap *g)
{
	return v->way == WAY_REPLAY ||
	       (v->way == WAY_LAUNCH && g->host_end_ns > g->start_ns);
}

/* Gaps and items in one walk: what each stream ran before the work that ends a gap. */
static void judge_all(struct judging *j)
{
	const struct device_work *work = j->request->work;
	const struct gaps *gaps = &j->blame->gaps;
	uint32_t item = 0, device = 0;

	for (size_t i = 0; i < work->nstreams; i++)
		j->past[i] = (struct stream_past){ GAP_NO_WORK, INT64_MIN };
	for (uint32_t gap = 0; gap < gaps->n; gap++) {
		const struct gap *g = &gaps->items[gap];
		struct verdict *v = &j->verdicts[gap];
		if (g->after == GAP_NO_WORK)
			continue;
		for (; item < g->after; item++) {
			while (item >=
			       work->devices[device].first + work->devices[device].n)
				device++;
			pass_item(j, item, device);
		}
		v->sample.gap = gap;
		v->is_first = j->past[item_of(j, g->after)->stream].item == GAP_NO_WORK;
		v->is_first_use = see_name(j, item_of(j, g->after)->name, g->device);
		judge(j, g, v);
		if (is_launch(v, g) && !v->was_told)
			gap_usual_add(&j->launches, v->sample);
		if (v->way == WAY_QUEUED)
			gap_usual_add(&j->queued, v->sample);
	}
}

static void add(const struct judging *j, uint32_t gap, int64_t *at_ns, int64_t to_ns,
		enum gap_cause cause, const struct verdict *v)
{
	const struct gap_context *context = &j->blame->contexts[gap];
	int64_t end_ns = j->blame->gaps.items[gap].end_ns;
	struct gap_segment segment;

	to_ns = to_ns < end_ns ? to_ns : end_ns;
	if (*at_ns >= to_ns)
		return;
	segment = gap_segment_of(*at_ns, to_ns);
	segment.slice_id = v->slice_id;
	segment.blamed = v->blamed;
	segment.cause = (uint8_t)cause;
	segment.op = context->op;
	segment.frame = context->frame;
	segment.annotation = context->annotation;
	gap_line_add(&j->blame->lines[GAP_OWN_LINE], segment);
	*at_ns = to_ns;
}

/* What is left of a gap when nothing ordinary holds the work back any more. */
static void add_rest(const struct judging *j, uint32_t gap, int64_t *at_ns,
		     struct verdict *v)
{
	const struct gap *g = &j->blame->gaps.items[gap];
	const struct work_item *after = item_of(j, g->after);
	bool is_inside = g->host_end_ns > g->start_ns;

	v->slice_id = after->slice_id;
	v->blamed = after->name;
	add(j, gap, at_ns, g->end_ns,
	    is_inside && v->is_first_use && !v->is_first ? GAP_SLOW : GAP_EARLIER, v);
}

/* What a launching call of unusual length is charged to. */
static enum gap_cause call_cause(const struct judging *j, const struct work_item *after)
{
	const struct text_pool *texts = j->request->texts;

	if (!gap_call_copies(text_pool_str(texts, after->launch_name)))
		return GAP_SLOW;
	return gap_copy_of(text_pool_str(texts, after->name)).is_read ? GAP_READ
								      : GAP_COPY;
}

static void add_launch(const struct judging *j, uint32_t gap, int64_t at_ns,
		       struct verdict *v)
{
	const struct gap *g = &j->blame->gaps.items[gap];
	const struct work_item *after = item_of(j, g->after);
	int64_t from_ns = after->launch_start_ns;
	int64_t bound_ns = gap_usual_bound(&j->launches, &v->sample, &launches_last);

	if (v->was_told && v->sample.ns > bound_ns) {
		v->slice_id = v->wait_slice_id;
		v->blamed = v->wait_for;
		add(j, gap, &at_ns, g->end_ns, GAP_EVENT, v);
		return;
	}
	if (sum_sub(after->launch_end_ns, from_ns) > bound_ns) {
		from_ns = after->launch_end_ns;
		add(j, gap, &at_ns, from_ns, call_cause(j, after), v);
	}
	add(j, gap, &at_ns, sum_add(from_ns, bound_ns), GAP_LATENCY, v);
	add_rest(j, gap, &at_ns, v);
}

/*
 * The launch of a graph until its call is over, and as long after it as is ordinary.
 * From then on the device has the graph: what it does there was not recorded.
 */
static void add_replay(const struct judging *j, uint32_t gap, int64_t at_ns,
		       struct verdict *v)
{
	const struct gap *g = &j->blame->gaps.items[gap];
	int64_t bound_ns = gap_usual_bound(&j->launches, &v->sample, &launches_last);
	int64_t end_ns = sum_add(item_of(j, g->after)->launch_end_ns, bound_ns);

	add(j, gap, &at_ns, end_ns, GAP_GRAPH_LAUNCH, v);
	if (v->was_told) {
		v->slice_id = v->wait_slice_id;
		v->blamed = v->wait_for;
	}
	add(j, gap, &at_ns, g->end_ns, v->was_told ? GAP_EVENT : GAP_GRAPH_NODES, v);
}

/* What the device waited for, once the host had launched. */
static void add_late(const struct judging *j, uint32_t gap)
{
	const struct gap *g = &j->blame->gaps.items[gap];
	struct verdict v = j->verdicts[gap];
	int64_t at_ns = g->host_end_ns;

	if (v.way == WAY_LAUNCH) {
		add_launch(j, gap, at_ns, &v);
	} else if (v.way == WAY_REPLAY) {
		add_replay(j, gap, at_ns, &v);
	} else if (v.way == WAY_QUEUED &&
		   v.sample.ns > gap_usual_bound(&j->queued, &v.sample, &queued_apart)) {
		if (v.cause == GAP_GRAPH_START || v.cause == GAP_GRAPH_BETWEEN)
			add(j, gap, &at_ns, g->end_ns, GAP_GRAPH_NODES, &v);
		else
			add_rest(j, gap, &at_ns, &v);
	} else {
		add(j, gap, &at_ns, g->end_ns, (enum gap_cause)v.cause, &v);
	}
}

/* A launch on what is no thread: nothing tells what the host did. */
static void add_untraced(const struct judging *j, const struct gap *g)
{
	struct gap_segment segment = gap_segment_of(g->start_ns, g->host_end_ns);

	segment.cause = GAP_UNTRACED;
	gap_line_add(&j->blame->lines[GAP_OWN_LINE], segment);
}

static void add_spans(const struct judging *j, uint32_t gap)
{
	struct gap_blame *b = j->blame;
	struct gap *g = &b->gaps.items[gap];
	const struct gap_line *own = &b->lines[GAP_OWN_LINE];
	size_t first = own->n;

	if (b->hosts[gap].n)
		gap_blame_add_span(b, g, b->hosts[gap]);
	else if (g->host_end_ns > g->start_ns)
		add_untraced(j, g);
	if (g->after != GAP_NO_WORK)
		add_late(j, gap);
	if (own->n == first)
		return;
	gap_blame_add_span(b, g,
			   (struct gap_span){ .start_ns = own->items[first].start_ns,
					      .end_ns = own->items[own->n - 1].end_ns,
					      .line = GAP_OWN_LINE,
					      .first = (uint32_t)first,
					      .n = (uint32_t)(own->n - first),
					      .root = GAP_NO_ROOT });
}

int gap_device_blame(const struct gap_blame_request *request,
		     const struct stream_waits *waits, struct gap_blame *blame,
		     struct err *err)
{
	struct judging j = { .request = request, .blame = blame, .waits = waits };
	int rc = replays_load(request->store, request->texts, request->work, &j.replays,
			      err);

	if (rc == 0) {
		j.past = xrealloc_array(NULL, request->work->nstreams + 1,
					sizeof(*j.past));
		j.verdicts = xcalloc(blame->gaps.n + 1, sizeof(*j.verdicts));
		judge_all(&j);
		gap_usual_sort(&j.launches);
		gap_usual_sort(&j.queued);
		for (uint32_t i = 0; i < blame->gaps.n; i++)
			if (gap_blame_has_chosen(blame, i))
				add_spans(&j, i);
	}
	gap_usual_release(&j.launches);
	gap_usual_release(&j.queued);
	replays_release(&j.replays);
	free(j.verdicts);
	free(j.past);
	sparse_release(&j.seen);
	return rc;
}
