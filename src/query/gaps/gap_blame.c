/* The blame for idle time: see gap_blame.h. */
#include "query/gaps/gap_blame.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"
#include "query/gaps/gap_wait.h"

/* A line that so many gaps walk through, on average, is shared by them. */
#define SHARED_WALKS 16

struct gap_segment gap_segment_of(int64_t start_ns, int64_t end_ns)
{
	return (struct gap_segment){ .start_ns = start_ns,
				     .end_ns = end_ns,
				     .blamed = TEXT_NONE,
				     .op = TEXT_NONE,
				     .frame = TEXT_NONE,
				     .annotation = TEXT_NONE };
}

void gap_line_add(struct gap_line *line, struct gap_segment segment)
{
	segment.stretch = 0;
	if (line->n) {
		const struct gap_segment *last = &line->items[line->n - 1];
		segment.stretch = last->stretch + (last->end_ns != segment.start_ns);
	}
	*ARRAY_PUSH(line->items, line->n, line->cap) = segment;
}

static void gap_line_release(struct gap_line *line)
{
	free(line->items);
	intervals_release(&line->draining);
	*line = (struct gap_line){ .n = 0 };
}

/* The first segment of [low, high) that ends after ns; high: none does. */
static size_t find_end(const struct gap_line *line, size_t low, size_t high, int64_t ns)
{
	size_t at;

	SEARCH(at, low, high, line->items[at].end_ns <= ns);
	return at;
}

uint32_t gap_span_find(const struct gap_line *line, const struct gap_span *span,
		       int64_t ns)
{
	size_t end = (size_t)span->first + span->n;

	return (uint32_t)find_end(line, span->first, end, ns);
}

/* Most gaps are short: the search goes out from the first. */
struct gap_span gap_line_span(const struct gap_blame *b, uint32_t line, uint32_t first,
			      struct interval when)
{
	const struct gap_line *l = &b->lines[line];
	size_t low = find_end(l, first, l->n, when.start_ns), far = 1;

	while (far < l->n - low && l->items[low + far].start_ns < when.end_ns)
		far *= 2;
	size_t end = far < l->n - low ? low + far : l->n;
	end = find_end(l, low, end, when.end_ns - 1);
	return (struct gap_span){
		.start_ns = when.start_ns,
		.end_ns = when.end_ns,
		.line = line,
		.first = (uint32_t)low,
		.n = (uint32_t)(end - low +
				(end < l->n && l->items[end].start_ns < when.end_ns)),
		.root = GAP_NO_ROOT,
	};
}

uint32_t gap_blame_add_line(struct gap_blame *b)
{
	*ARRAY_PUSH(b->lines, b->nlines, b->lines_cap) = (struct gap_line){ .n = 0 };
	return (uint32_t)b->nlines - 1;
}

void gap_blame_add_span(struct gap_blame *b, struct gap *gap, struct gap_span span)
{
	if (gap->nspans == 0)
		gap->first_span = (uint32_t)b->nspans;
	gap->nspans++;
	*ARRAY_PUSH(b->spans, b->nspans, b->spans_cap) = span;
}

static int compare_launches(const void *a, const void *b)
{
	const struct gap_launch *x = a, *y = b;

	if (x->launch_id != y->launch_id)
		return x->launch_id < y->launch_id ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

static void find_launches(struct gap_blame *b, const struct device_work *work)
{
	b->launches = xrealloc_array(NULL, work->n + 1, sizeof(*b->launches));
	for (size_t i = 0; i < work->n; i++)
		if (work->items[i].launch_id)
			b->launches[b->nlaunches++] =
				(struct gap_launch){ work->items[i].launch_id,
						     (uint32_t)i };
	SORT_BY(b->launches, b->nlaunches, launch_id);
}

const struct gap_launch *gap_blame_launch(const struct gap_blame *b,
					  const struct device_work *work,
					  int64_t launch_id, uint32_t device)
{
	struct gap_launch wanted = { .launch_id = launch_id };
	size_t at;

	if (b->nlaunches)
		wanted.item = (uint32_t)work->devices[device].first;
	SEARCH(at, 0, b->nlaunches, compare_launches(&b->launches[at], &wanted) < 0);
	return at < b->nlaunches && b->launches[at].launch_id == launch_id
		       ? &b->launches[at]
		       : NULL;
}

static void find_shared(struct gap_blame *b)
{
	uint64_t *walks = xcalloc(b->nlines, sizeof(*walks));

	for (size_t i = 0; i < b->nspans; i++)
		walks[b->spans[i].line] += b->spans[i].n;
	for (size_t i = 0; i < b->nlines; i++)
		b->lines[i].is_shared = walks[i] / SHARED_WALKS > b->lines[i].n;
	free(walks);
}

/* Do segments without a break cover the span? */
static bool is_covered(const struct gap_blame *b, const struct gap_span *span)
{
	const struct gap_segment *first = &b->lines[span->line].items[span->first];
	const struct gap_segment *last = first + span->n - 1;

	return span->n && span->start_ns < span->end_ns &&
	       first->start_ns <= span->start_ns && span->start_ns < first->end_ns &&
	       last->start_ns < span->end_ns && span->end_ns <= last->end_ns &&
	       first->stretch == last->stretch;
}

int gap_blame_check(const struct gap_blame *b, struct err *err)
{
	for (size_t i = 0; i < b->gaps.n; i++) {
		const struct gap *g = &b->gaps.items[i];
		int64_t at_ns = g->start_ns;
		for (uint32_t k = 0; k < g->nspans; k++) {
			const struct gap_span *span = &b->spans[g->first_span + k];
			if (span->start_ns != at_ns || !is_covered(b, span))
				break;
			at_ns = span->end_ns;
		}
		if (at_ns != g->end_ns)
			return err_set(err, ERR_INPUT,
				       "the blame of the gap at %" PRId64
				       " ns does not add up to it",
				       g->start_ns);
	}
	return 0;
}

/* The host is ahead, or nothing tells what it did: no wait reaches through. */
static bool ends_bursts(const struct gap *g)
{
	return g->host_end_ns == g->start_ns;
}

/*
 * Gaps that have a part which counts; and where roots are asked for, those before from
 * which something of a wait may be left.
 */
static void choose(struct gap_blame *b, const struct gap_blame_request *request)
{
	const struct gap *gaps = b->gaps.items;

	if (request->range->is_all)
		return;
	b->chosen = xcalloc(b->gaps.n + 1, sizeof(*b->chosen));
	for (size_t i = b->gaps.n; i-- > 0;) {
		struct gap_part ignored;
		int64_t from_ns = gaps[i].start_ns;
		if (gap_range_next(request->range, &from_ns, gaps[i].end_ns, &ignored))
			b->chosen[i] = true;
		if (b->chosen[i] && request->has_roots && i &&
		    gaps[i - 1].device == gaps[i].device && !ends_bursts(&gaps[i]) &&
		    !ends_bursts(&gaps[i - 1]))
			b->chosen[i - 1] = true;
	}
}

/* Leaves the others out; only gaps that were asked for have drains. */
static void keep_chosen(struct gap_blame *b)
{
	size_t n = 0, drain = 0;

	if (!b->chosen)
		return;
	for (size_t i = 0; i < b->gaps.n; i++) {
		if (!b->chosen[i])
			continue;
		for (; drain < b->ndrains && b->drains[drain].gap == i; drain++)
			b->drains[drain].gap = (uint32_t)n;
		b->gaps.items[n++] = b->gaps.items[i];
	}
	b->gaps.n = n;
	free(b->chosen);
	b->chosen = NULL;
}

static int charge_gaps(const struct gap_blame_request *request, struct gap_blame *b,
		       struct err *err)
{
	struct stream_waits waits;
	int rc = stream_waits_load(request, &waits, err);

	b->knows_waits = waits.n > 0;
	if (rc == 0)
		rc = gap_host_blame(request, b, err);
	if (rc == 0)
		rc = gap_device_blame(request, &waits, b, err);
	stream_waits_release(&waits);
	return rc;
}

int gap_blame_load(const struct gap_blame_request *request, struct gap_blame *out,
		   struct err *err)
{
	*out = (struct gap_blame){ .nspans = 0 };
	const struct gap_range *range = request->range;
	if (gaps_find(request->work, range->is_inner ? NULL : &range->extent, &out->gaps,
		      err) < 0)
		return -1;
	if (out->gaps.n >= UINT32_MAX)
		return err_set(err, ERR_INPUT, "the store has too many gaps");
	choose(out, request);
	find_launches(out, request->work);
	gap_blame_add_line(out);
	if (charge_gaps(request, out, err) < 0)
		return -1;
	keep_chosen(out);
	for (size_t i = 0; i < out->nlines; i++)
		if (out->lines[i].n >= UINT32_MAX)
			return err_set(err, ERR_INPUT,
				       "the store has too many slices in gaps");
	find_shared(out);
	return gap_blame_check(out, err);
}

void gap_blame_release(struct gap_blame *b)
{
	gaps_release(&b->gaps);
	for (size_t i = 0; i < b->nlines; i++)
		gap_line_release(&b->lines[i]);
	free(b->lines);
	free(b->spans);
	free(b->hosts);
	free(b->drains);
	free(b->launches);
	free(b->contexts);
	free(b->waited);
	free(b->chosen);
	*b = (struct gap_blame){ .nspans = 0 };
}
