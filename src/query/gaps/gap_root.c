/* Roots of bursts: see gap_root.h. */
#include "query/gaps/gap_root.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sum.h"
#include "query/gaps/gap_blame.h"

/*
 * What helps to trace roots (gap_root.h) through a line that many gaps share, without a
 * walk through its segments for each of them.
 */

/* Who is charged for a burst, and what is left of its wait. */
struct gap_debt {
	uint32_t root; /* place in the roots, or GAP_NO_ROOT: then nothing is left */
	int64_t left_ns;
};

struct gap_path {
	int64_t *bursts_ns; /* owned; n + 1 sums of the lengths of bursts */
	uint32_t *next_drain,
		*next_other; /* owned; by segment: it or the next that drains,
					      that is no burst; n: there is none */
	/* What gap_roots_find() fills in: */
	struct gap_debt
		*usual; /* owned; by segment: behind it, for a gap from far before */
	struct gap_span *spans; /* owned; with their roots, for such a gap */
	size_t nspans;
};

static void gap_path_make(struct gap_path *p, const struct gap_line *line)
{
	uint32_t n = (uint32_t)line->n;

	*p = (struct gap_path){ .nspans = 0 };
	p->bursts_ns = xcalloc((size_t)n + 1, sizeof(*p->bursts_ns));
	p->next_drain = xcalloc((size_t)n + 1, sizeof(*p->next_drain));
	p->next_other = xcalloc((size_t)n + 1, sizeof(*p->next_other));
	p->next_drain[n] = p->next_other[n] = n;
	for (uint32_t i = 0; i < n; i++) {
		const struct gap_segment *s = &line->items[i];
		int64_t ns = gap_cause_is_burst((enum gap_cause)s->cause)
				     ? sum_sub(s->end_ns, s->start_ns)
				     : 0;
		p->bursts_ns[i + 1] = sum_add(p->bursts_ns[i], ns);
	}
	for (uint32_t i = n; i-- > 0;) {
		enum gap_cause cause = (enum gap_cause)line->items[i].cause;
		p->next_drain[i] = line->items[i].drains ? i : p->next_drain[i + 1];
		p->next_other[i] = gap_cause_is_burst(cause) ? p->next_other[i + 1] : i;
	}
}

static void gap_path_release(struct gap_path *p)
{
	free(p->bursts_ns);
	free(p->next_drain);
	free(p->next_other);
	free(p->usual);
	free(p->spans);
	*p = (struct gap_path){ .nspans = 0 };
}

/* The place behind the bursts from `at` on that take no more than that together. */
static uint32_t gap_path_bursts(const struct gap_path *p, uint32_t at, uint32_t end,
				int64_t most_ns)
{
	int64_t until_ns = sum_add(p->bursts_ns[at], most_ns);
	uint32_t low;

	/* the first whose end is beyond it */
	SEARCH(low, at, p->next_other[at] < end ? p->next_other[at] : end,
	       p->bursts_ns[low + 1] <= until_ns);
	return low;
}

/* The first of its spans that ends after ns. */
static size_t gap_path_find(const struct gap_path *p, int64_t ns)
{
	size_t at;

	SEARCH(at, 0, p->nspans, p->spans[at].end_ns <= ns);
	return at;
}

struct tracing {
	const struct gap_blame *b;
	struct gap_roots *out;
	struct gap_path *paths; /* by line; of those that are shared */
	struct gap_span *spans; /* those of the gaps, cut where roots change */
	size_t nspans, cap;
	size_t first; /* span of the gap */
	size_t drain; /* the next of b->drains */
	struct gap_debt debt;
};

static bool is_of(const struct gap_roots *r, uint32_t root, int64_t slice_id)
{
	return root != GAP_NO_ROOT && r->items[root].slice_id == slice_id;
}

static void enter(struct tracing *t, struct gap_drain drain)
{
	struct gap_roots *r = t->out;

	/* another part of one wait is the same root */
	if (is_of(r, t->debt.root, drain.slice_id))
		return;
	t->debt.left_ns = drain.dur_ns;
	t->debt.root = (uint32_t)r->n - 1;
	if (r->n && r->items[r->n - 1].slice_id == drain.slice_id)
		return;
	*ARRAY_PUSH(r->items, r->n, r->cap) = drain;
	t->debt.root = (uint32_t)r->n - 1;
}

/* What is no burst is of the root of what is before. */
static void add_span(struct tracing *t, struct gap_span span, bool is_burst)
{
	struct gap_span *last = t->nspans > t->first ? &t->spans[t->nspans - 1] : NULL;

	if (last && last->line == span.line && last->end_ns == span.start_ns &&
	    (!is_burst || last->root == span.root)) {
		last->end_ns = span.end_ns;
		last->n = span.first + span.n - last->first;
		return;
	}
	*ARRAY_PUSH(t->spans, t->nspans, t->cap) = span;
}

/* A damaged store may say that it was charged for longer than it lasted. */
static void pay(struct tracing *t, int64_t ns)
{
	t->debt.left_ns = ns < t->debt.left_ns ? t->debt.left_ns - ns : 0;
}

/* Charges the root for as much of the burst as is left of its wait. */
static void add_burst(struct tracing *t, struct gap_span span)
{
	struct gap_span charged = span;
	int64_t ns = span.end_ns - span.start_ns;

	if (t->debt.root == GAP_NO_ROOT || ns <= t->debt.left_ns) {
		pay(t, ns);
		span.root = t->debt.root;
		add_span(t, span, true);
		return;
	}
	charged.end_ns = span.start_ns = span.start_ns + t->debt.left_ns;
	charged.root = t->debt.root;
	if (t->debt.left_ns > 0)
		add_span(t, charged, true);
	t->debt.root = GAP_NO_ROOT;
	add_span(t, span, true);
}

/* Did the host wait for the device in what the span has of the segment? */
static bool has_drained(const struct gap_line *line, const struct gap_segment *s,
			const struct gap_span *span)
{
	if (!s->drains)
		return false;
	return (s->start_ns == span->start_ns && s->end_ns == span->end_ns) ||
	       intervals_length_within(&line->draining, span->start_ns, span->end_ns) > 0;
}

/* One segment, from start_ns to end_ns. */
static void trace_segment(struct tracing *t, struct gap_span span)
{
	const struct gap_line *line = &t->b->lines[span.line];
	const struct gap_segment *s = &line->items[span.first];
	enum gap_cause cause = (enum gap_cause)s->cause;

	if (has_drained(line, s, &span)) {
		enter(t, (struct gap_drain){ .slice_id = s->slice_id,
					     .dur_ns = s->dur_ns,
					     .blamed = s->blamed,
					     .cause = s->cause });
	} else if (gap_cause_is_burst(cause)) {
		add_burst(t, span);
		return;
	} else if (!gap_cause_drains(cause)) {
		t->debt.root = GAP_NO_ROOT;
	}
	if (is_of(t->out, t->debt.root, s->slice_id))
		pay(t, span.end_ns - span.start_ns);
	add_span(t, span, false);
}

/* Segments `first` up to `end` of the line, which the span has, none of them cut. */
static struct gap_span whole(const struct gap_line *line, uint32_t of, uint32_t first,
			     uint32_t end)
{
	return (struct gap_span){ .start_ns = line->items[first].start_ns,
				  .end_ns = line->items[end - 1].end_ns,
				  .line = of,
				  .first = first,
				  .n = end - first,
				  .root = GAP_NO_ROOT };
}

/* Bursts from `at` on, as far as the root is charged for them; returns the place behind. */
static uint32_t skip_bursts(struct tracing *t, uint32_t of, uint32_t at, uint32_t end)
{
	const struct gap_path *path = &t->paths[of];
	uint32_t paid = gap_path_bursts(path, at, end, t->debt.left_ns);

	if (paid == at)
		return at;
	struct gap_span span = whole(&t->b->lines[of], of, at, paid);
	span.root = t->debt.root;
	pay(t, span.end_ns - span.start_ns);
	add_span(t, span, true);
	return paid;
}

/* Without a root nothing happens until the host waits. */
static uint32_t skip_rest(struct tracing *t, uint32_t of, uint32_t at, uint32_t end)
{
	uint32_t next = t->paths[of].next_drain[at];

	next = next < end ? next : end;
	if (next > at)
		add_span(t, whole(&t->b->lines[of], of, at, next), true);
	return next;
}

/* Is it as it always is behind that segment? */
static bool is_usual(const struct tracing *t, uint32_t of, uint32_t at)
{
	const struct gap_debt *usual = &t->paths[of].usual[at];

	if (t->debt.root == GAP_NO_ROOT || usual->root == GAP_NO_ROOT)
		return t->debt.root == usual->root;
	return t->debt.left_ns == usual->left_ns &&
	       is_of(t->out, t->debt.root, t->out->items[usual->root].slice_id);
}

/* The segments from `at` up to `end` are charged as they always are. */
static void add_usual(struct tracing *t, uint32_t of, uint32_t at, uint32_t end)
{
	const struct gap_path *path = &t->paths[of];
	const struct gap_line *line = &t->b->lines[of];
	struct gap_span all = whole(line, of, at, end);

	for (size_t i = gap_path_find(path, all.start_ns);
	     i < path->nspans && path->spans[i].start_ns < all.end_ns; i++) {
		struct gap_span span = path->spans[i];
		uint32_t span_end = span.first + span.n;
		span.first = span.first > at ? span.first : at;
		span.n = (span_end < end ? span_end : end) - span.first;
		if (span.start_ns < all.start_ns)
			span.start_ns = all.start_ns;
		if (span.end_ns > all.end_ns)
			span.end_ns = all.end_ns;
		add_span(t, span, true);
	}
	t->debt = path->usual[end - 1];
}

/* Many gaps share the line: segments `at` up to `end`, none of them cut. */
static void trace_shared(struct tracing *t, uint32_t of, uint32_t at, uint32_t end)
{
	while (at < end) {
		if (at && is_usual(t, of, at - 1)) {
			add_usual(t, of, at, end);
			return;
		}
		at = t->debt.root == GAP_NO_ROOT ? skip_rest(t, of, at, end)
						 : skip_bursts(t, of, at, end);
		if (at < end) {
			trace_segment(t, whole(&t->b->lines[of], of, at, at + 1));
			at++;
		}
	}
}

static void trace_span(struct tracing *t, const struct gap_span *span)
{
	const struct gap_line *line = &t->b->lines[span->line];
	uint32_t end = span->first + span->n;

	for (uint32_t at = span->first; at < end; at++) {
		struct gap_span one = whole(line, span->line, at, at + 1);
		if (one.start_ns < span->start_ns)
			one.start_ns = span->start_ns;
		if (one.end_ns > span->end_ns)
			one.end_ns = span->end_ns;
		trace_segment(t, one);
		if (t->paths[span->line].usual && end - at > 2) {
			trace_shared(t, span->line, at + 1, end - 1);
			at = end - 2;
		}
	}
}

/* The host is ahead, or nothing tells what it did: a burst ends here. */
static bool is_ahead(const struct gap *g)
{
	return g->host_end_ns == g->start_ns;
}

static void trace_gap(struct tracing *t, uint32_t gap)
{
	const struct gap_blame *b = t->b;
	struct gap *g = &b->gaps.items[gap];
	const struct gap_span *spans = &b->spans[g->first_span];

	while (t->drain < b->ndrains && b->drains[t->drain].gap < gap)
		t->drain++;
	if (is_ahead(g) || (gap && b->gaps.items[gap - 1].device != g->device))
		t->debt.root = GAP_NO_ROOT;
	if (!is_ahead(g) && t->drain < b->ndrains && b->drains[t->drain].gap == gap)
		enter(t, b->drains[t->drain]);
	t->first = t->nspans;
	for (uint32_t i = 0; i < g->nspans; i++) {
		if (is_ahead(g))
			add_span(t, spans[i], true);
		else
			trace_span(t, &spans[i]);
	}
	g->first_span = (uint32_t)t->first;
	g->nspans = (uint32_t)(t->nspans - t->first);
}

/* How the line is charged to one who is there from its start. */
static void trace_line(struct tracing *t, uint32_t of)
{
	const struct gap_line *line = &t->b->lines[of];
	struct gap_path *path = &t->paths[of];

	path->usual = xrealloc_array(NULL, line->n, sizeof(*path->usual));
	for (uint32_t at = 0; at < line->n; at++) {
		if (at && line->items[at].stretch != line->items[at - 1].stretch)
			t->debt.root = GAP_NO_ROOT;
		trace_segment(t, whole(line, of, at, at + 1));
		path->usual[at] = t->debt;
	}
	path->spans = t->spans;
	path->nspans = t->nspans;
	t->spans = NULL;
	t->nspans = t->cap = 0;
	t->debt.root = GAP_NO_ROOT;
}

void gap_roots_find(struct gap_blame *b, struct gap_roots *out)
{
	struct tracing t = { .b = b, .out = out, .debt.root = GAP_NO_ROOT };

	*out = (struct gap_roots){ .n = 0 };
	t.paths = xcalloc(b->nlines, sizeof(*t.paths));
	for (uint32_t i = 0; i < b->nlines; i++) {
		if (!b->lines[i].is_shared)
			continue;
		gap_path_make(&t.paths[i], &b->lines[i]);
		trace_line(&t, i);
	}
	for (size_t i = 0; i < b->gaps.n; i++)
		trace_gap(&t, (uint32_t)i);
	for (size_t i = 0; i < b->nlines; i++)
		gap_path_release(&t.paths[i]);
	free(t.paths);
	free(b->spans);
	b->spans = t.spans;
	b->nspans = t.nspans;
	b->spans_cap = t.cap;
}

void gap_roots_release(struct gap_roots *r)
{
	free(r->items);
	*r = (struct gap_roots){ .n = 0 };
}
