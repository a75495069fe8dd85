/*
 * The table of annotations: for each label of record_function its host time, recursion
 * counted once, the device work that was launched inside it (on its own thread), and the span
 * of that work, from its first start to its last end, each device apart.  The
 * exporter's own gpu_user_annotation is one span for each stream instead.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"
#include "store/launch_spans.h"
#include "store/steps.h"
#include "store/summary.h"
#include "trace/op_pass.h"

/* Beyond it labels are collected and asked together: labels x devices takes too long. */
#define FEW_DEVICES 32

/* Device work from the first start to the last end, and the sum of its durations. */
struct span {
	int64_t start_ns, end_ns, device_ns;
};

#define SPAN_NONE ((struct span){ INT64_MAX, INT64_MIN, 0 })

/* All work with a launch, by the launch's track, then by device, then by launch. */
struct launched {
	const struct model *m;
	uint32_t *works; /* owned */
	size_t n;
	/* Spans of blocks of works, and of pairs of those, as a heap (1 is the root). */
	struct span *nodes; /* owned */
	size_t nblocks;
	/* Those of one track and device: where each begins, and a last one, n. */
	size_t *groups; /* owned */
	size_t ngroups, groups_cap;
};

#define BLOCK_WORKS 16

#define LABEL_ID(step, name) ((int64_t)((uint64_t)(step) << 32 | (name)))

static void add_span(struct span *to, const struct span *from)
{
	if (from->start_ns < to->start_ns)
		to->start_ns = from->start_ns;
	if (from->end_ns > to->end_ns)
		to->end_ns = from->end_ns;
	to->device_ns = sum_add(to->device_ns, from->device_ns);
}

/* Adds the works [from, to), one by one. */
static void add_works(struct span *span, const struct launched *l, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct slice_rec *s = model_slice(l->m, l->works[i]);
		add_span(span, &(struct span){ s->ts_ns, slice_end(s), s->dur_ns });
	}
}

/* The works [from, to) together, in a time that grows with the logarithm of them. */
static struct span span_of(const struct launched *l, size_t from, size_t to)
{
	size_t first = (from + BLOCK_WORKS - 1) / BLOCK_WORKS, last = to / BLOCK_WORKS;
	struct span span = SPAN_NONE;

	if (first >= last) {
		add_works(&span, l, from, to);
		return span;
	}
	add_works(&span, l, from, first * BLOCK_WORKS);
	add_works(&span, l, last * BLOCK_WORKS, to);
	for (first += l->nblocks, last += l->nblocks; first < last;
	     first /= 2, last /= 2) {
		if (first % 2)
			add_span(&span, &l->nodes[first++]);
		if (last % 2)
			add_span(&span, &l->nodes[--last]);
	}
	return span;
}

static uint32_t launch_track(const struct model *m, uint32_t work)
{
	return model_slice(m, row_launch(m, work))->track;
}

static bool launched_before(const void *context, uint32_t a, uint32_t b)
{
	const struct model *m = context;
	uint32_t track_a = launch_track(m, a), track_b = launch_track(m, b);
	int64_t device_a = device_of_work(m, a);
	int64_t device_b = device_of_work(m, b);

	if (track_a != track_b)
		return track_a < track_b;
	if (device_a != device_b)
		return device_a < device_b;
	return row_launch(m, a) < row_launch(m, b);
}

static void find_groups(struct launched *l)
{
	const struct model *m = l->m;

	for (size_t i = 0; i <= l->n; i++) {
		if (i > 0 && i < l->n &&
		    launch_track(m, l->works[i]) == launch_track(m, l->works[i - 1]) &&
		    device_of_work(m, l->works[i]) == device_of_work(m, l->works[i - 1]))
			continue;
		l->groups = spill_grow(m->spill, l->groups, &l->groups_cap,
				       l->ngroups + 1, sizeof(*l->groups));
		l->groups[l->ngroups++] = i;
	}
	l->ngroups--;
}

struct launched *launched_make(const struct model *m)
{
	struct launched *l = xcalloc(1, sizeof(*l));
	uint32_t *spare = spill_alloc(m->spill, m->nworks, sizeof(*spare));

	*l = (struct launched){ .m = m, .n = m->nworks };
	l->works = spill_alloc(m->spill, l->n, sizeof(*l->works));
	if (l->n)
		memcpy(l->works, m->works, l->n * sizeof(*l->works));
	sort_spilled(m->spill, l->works, l->n, spare, launched_before, m);
	spill_free(m->spill, spare);
	find_groups(l);

	l->nblocks = l->n / BLOCK_WORKS;
	l->nodes = spill_alloc(m->spill, 2 * l->nblocks, sizeof(*l->nodes));
	for (size_t i = 0; i < l->nblocks; i++) {
		l->nodes[l->nblocks + i] = SPAN_NONE;
		add_works(&l->nodes[l->nblocks + i], l, i * BLOCK_WORKS,
			  (i + 1) * BLOCK_WORKS);
	}
	for (size_t i = l->nblocks; i-- > 1;) {
		l->nodes[i] = l->nodes[2 * i];
		add_span(&l->nodes[i], &l->nodes[2 * i + 1]);
	}
	return l;
}

static void launched_free(struct launched *l)
{
	spill_free(l->m->spill, l->works);
	spill_free(l->m->spill, l->nodes);
	spill_free(l->m->spill, l->groups);
	free(l);
}

/* The first group of that track or a later one. */
static size_t first_group(const struct launched *l, uint32_t track)
{
	size_t at;

	SEARCH(at, 0, l->ngroups, launch_track(l->m, l->works[l->groups[at]]) < track);
	return at;
}

/* The first work of [low, high) whose launch is that row or one after it. */
static size_t first_from_row(const struct launched *l, size_t low, size_t high,
			     uint32_t row)
{
	size_t at;

	SEARCH(at, low, high, row_launch(l->m, l->works[at]) < row);
	return at;
}

/* The first work of [low, high) whose launch begins at that time or later. */
static size_t first_from_time(const struct launched *l, size_t low, size_t high,
			      int64_t ts_ns)
{
	size_t at;

	SEARCH(at, low, high,
	       model_slice(l->m, row_launch(l->m, l->works[at]))->ts_ns < ts_ns);
	return at;
}

/* STEP_BY_START: whichever step came first.  UINT32_MAX: there is none yet. */
static uint32_t label_at(const struct idmap *labels, uint32_t step, uint32_t name)
{
	size_t probe = idmap_first(labels, LABEL_ID(step, name));

	return idmap_next(labels, &probe);
}

static struct annotation_stat *find_label(struct summary *s, struct idmap *labels,
					  uint32_t step, uint32_t name)
{
	uint32_t at = label_at(labels, step, name);

	if (at != UINT32_MAX)
		return &s->annotations[at];
	uint32_t first = label_at(labels, STEP_BY_START, name);
	if (first == UINT32_MAX) {
		first = (uint32_t)s->nannotations;
		idmap_add(labels, LABEL_ID(STEP_BY_START, name), first);
	}
	s->annotations = spill_grow(s->spill, s->annotations, &s->annotations_cap,
				    s->nannotations + 1, sizeof(*s->annotations));
	s->annotations[s->nannotations] =
		(struct annotation_stat){ .step = step,
					  .name = name,
					  .first_ts_ns = INT64_MAX,
					  .track = UINT32_MAX,
					  .first = first };
	idmap_add(labels, LABEL_ID(step, name), (uint32_t)s->nannotations);
	return &s->annotations[s->nannotations++];
}

/* Labels of a track whose launches go to many devices. */
struct asking {
	struct span_query *queries; /* owned */
	size_t n, cap;
};

static void ask_later(const struct model *m, struct asking *a, uint32_t row,
		      uint32_t label)
{
	a->queries =
		spill_grow(m->spill, a->queries, &a->cap, a->n + 1, sizeof(*a->queries));
	a->queries[a->n++] = (struct span_query){ .row = row, .label = label };
}

/* The works of the track are in another order then, and its groups are none. */
static void ask(const struct launched *l, struct asking *a, struct summary *s)
{
	if (a->n == 0)
		return;
	uint32_t track = model_slice(l->m, a->queries[0].row)->track;
	size_t from = l->groups[first_group(l, track)];
	size_t to = l->groups[first_group(l, track + 1)];
	launch_spans_ask(l->m, l->works + from, to - from, a->queries, a->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct span_query *q = &a->queries[i];
		struct annotation_stat *label = &s->annotations[q->label];
		label->device_ns = sum_add(label->device_ns, q->device_ns);
		label->device_span_ns = sum_add(label->device_span_ns, q->span_ns);
		label->launches += q->launches;
	}
	a->n = 0;
}

/* Adds the device work that was launched in a call, of each of the groups. */
static void add_launches(const struct launched *l, uint32_t row, size_t first,
			 size_t last, struct annotation_stat *label)
{
	const struct slice_rec *slice = model_slice(l->m, row);

	for (size_t g = first; g < last; g++) {
		size_t from = first_from_row(l, l->groups[g], l->groups[g + 1], row);
		size_t to = first_from_time(l, from, l->groups[g + 1], slice_end(slice));
		if (from == to)
			continue;
		struct span span = span_of(l, from, to);
		label->device_ns = sum_add(label->device_ns, span.device_ns);
		label->device_span_ns = sum_add(label->device_span_ns,
						sum_sub(span.end_ns, span.start_ns));
		label->launches += (int64_t)(to - from);
	}
}

/*
 * False: the call lies in another of its label, which has its time and work already, in
 * whatever step it began.
 */
static bool add_time(struct summary *s, const struct slice_rec *slice,
		     struct annotation_stat *label)
{
	struct annotation_stat *first = &s->annotations[label->first];

	if (slice->ts_ns < label->first_ts_ns)
		label->first_ts_ns = slice->ts_ns;
	label->calls++;
	if (first->track == slice->track && slice_end(slice) <= first->until_ns)
		return false;
	first->track = slice->track;
	first->until_ns = slice_end(slice);
	label->host_ns = sum_add(label->host_ns, slice->dur_ns);
	return true;
}

static void add_calls(const struct model *m, struct op_pass *pass,
		      const struct launched *l, struct summary *s)
{
	struct step_cursor steps = step_cursor(m);
	struct asking asking = { 0 };
	struct idmap labels;
	uint32_t track = UINT32_MAX;
	size_t first = 0, last = 0; /* groups of the track */

	idmap_init_in(&labels, 16, m->spill);
	for (uint32_t row = 0; row < m->nrows; row++) {
		model_tick(m, row);
		const struct slice_rec *slice = model_slice(m, row);
		if (slice->class != CLASS_ANNOTATION || slice->phase != PHASE_COMPLETE)
			continue;
		if (slice->track != track) {
			ask(l, &asking, s);
			track = slice->track;
			first = first_group(l, track);
			last = first_group(l, track + 1);
		}
		uint32_t name = op_pass_name(pass, slice->name, false).name;
		uint32_t step = step_of_row(&steps, row);
		struct annotation_stat *label = find_label(s, &labels, step, name);
		if (!add_time(s, slice, label))
			continue;
		if (last - first > FEW_DEVICES)
			ask_later(m, &asking, row, (uint32_t)(label - s->annotations));
		else
			add_launches(l, row, first, last, label);
	}
	ask(l, &asking, s);
	spill_free(m->spill, asking.queries);
	idmap_release(&labels);
}

void summary_annotations(struct launched *l, struct op_pass *pass, struct summary *s)
{
	add_calls(l->m, pass, l, s);
	launched_free(l);
}
