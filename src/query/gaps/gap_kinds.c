/*
 * Kinds of segments: see gap_kinds.h.  Devices that share a thread cost as much as they are
 * times the kinds that it has.  The devices of a real host are few, and so are the names on
 * a host of many; a file of a megabyte may have thousands of both.
 */
#include "query/gaps/gap_kinds.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/search.h"
#include "base/sort.h"

/* A line may have so many amounts whatever it is, and as if so many devices walked it. */
#define AMOUNTS_MOST 1000000
#define WALKS_MOST   64

static uint32_t key_of(const struct gap_segment *s, enum gap_key key)
{
	switch (key) {
	case GAP_KEY_OP:
		return s->op;
	case GAP_KEY_FRAME:
		return s->frame;
	case GAP_KEY_ANNOTATION:
		return s->annotation;
	case GAP_KEY_NONE:
	case GAP_NKEYS:
		break;
	}
	return 0;
}

int gap_kinds_compare(const struct gap_segment *x, const struct gap_segment *y,
		      enum gap_key key)
{
	if (x->cause != y->cause)
		return x->cause < y->cause ? -1 : 1;
	if (x->blamed != y->blamed)
		return x->blamed < y->blamed ? -1 : 1;
	return sort_order(key_of(x, key), key_of(y, key));
}

struct ordering {
	const struct gap_segment *items;
	enum gap_key key;
};

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct ordering *o = context;

	return gap_kinds_compare(&o->items[a], &o->items[b], o->key) < 0;
}

static uint64_t count_kinds(const struct gap_line *line, enum gap_key key)
{
	const struct ordering ordering = { line->items, key };
	uint32_t *at = sorted_places(line->n, is_before, &ordering);
	uint64_t n = line->n > 0;

	for (size_t i = 1; i < line->n; i++)
		n += is_before(&ordering, at[i - 1], at[i]);
	free(at);
	return n;
}

/* A root is entered at each wait, and left behind it. */
static uint64_t count_waits(const struct gap_line *line)
{
	uint64_t n = 0;

	for (size_t i = 0; i < line->n; i++)
		n += line->items[i].drains;
	return 2 * n;
}

/* Steps and windows cut the span into about so many parts. */
static uint64_t count_parts(const struct gap_range *r, const struct gap_span *span)
{
	size_t first, end;

	SEARCH(first, 0, r->nsteps, r->steps[first].end_ns <= span->start_ns);
	SEARCH(end, first, r->nsteps, r->steps[end].start_ns < span->end_ns);
	return 1 + 2 * (end - first) + intervals_after(&r->wanted, span->end_ns) -
	       intervals_after(&r->wanted, span->start_ns);
}

/* Cut to the time from the first that counts to the last. */
static struct gap_span cut(const struct gap_range *r, const struct gap_line *line,
			   struct gap_span span)
{
	const struct intervals *wanted = &r->wanted;
	int64_t from_ns = wanted->n ? wanted->items[0].start_ns : span.end_ns;
	int64_t to_ns = wanted->n ? wanted->items[wanted->n - 1].end_ns : span.end_ns;
	uint32_t first = span.first, end = span.first + span.n;

	if (from_ns > span.start_ns)
		first = gap_span_find(line, &span, from_ns);
	if (to_ns < span.end_ns)
		end = gap_span_find(line, &span, to_ns);
	span.start_ns = from_ns > span.start_ns ? from_ns : span.start_ns;
	span.end_ns = to_ns < span.end_ns ? to_ns : span.end_ns;
	span.first = first;
	span.n = end > first ? end - first : 0;
	return span;
}

/* What is read of it: as gap_reader_next() walks or looks up. */
static uint64_t amounts_of(const struct gap_range *r, const struct gap_span *span,
			   uint64_t kinds)
{
	uint64_t looked_up = span->n / GAP_LOOK_UP_WALKS;

	if (looked_up <= kinds)
		return span->n;
	uint64_t parts = count_parts(r, span);
	return looked_up / parts > kinds ? kinds * parts : span->n;
}

struct limiting {
	struct gap_blame *b;
	const struct gap_range *range;
	uint64_t *kinds;   /* owned; by line */
	uint64_t *amounts; /* owned; by line */
	uint64_t *most;    /* owned; by line: so many amounts may there be */
	bool is_whole;     /* roots are found in all of each gap, whatever counts */
};

static void count_amounts(struct limiting *l)
{
	const struct gap_blame *b = l->b;

	for (size_t i = 0; i < b->nlines; i++)
		l->amounts[i] = 0;
	for (size_t i = 0; i < b->nspans; i++) {
		struct gap_span span = b->spans[i];
		uint32_t line = span.line;
		if (!l->is_whole)
			span = cut(l->range, &b->lines[line], span);
		l->amounts[line] += amounts_of(l->range, &span, l->kinds[line]);
	}
}

/* Lines that are in order however many kinds they have are not looked at any more. */
static bool find_lines(struct limiting *l)
{
	struct gap_blame *b = l->b;
	bool any = false;

	for (size_t i = 0; i < b->nlines; i++) {
		l->most[i] = AMOUNTS_MOST + (uint64_t)WALKS_MOST * b->lines[i].n;
		l->kinds[i] = UINT64_MAX;
	}
	for (size_t i = 0; i < b->nspans; i++) /* which cut a segment at either end */
		l->most[b->spans[i].line] += 2;
	count_amounts(l);
	for (size_t i = 0; i < b->nlines; i++) {
		if (!b->lines[i].is_shared || l->amounts[i] <= l->most[i])
			l->most[i] = UINT64_MAX;
		any |= l->most[i] != UINT64_MAX;
	}
	return any;
}

static void leave_out(struct gap_segment *s, unsigned what)
{
	switch (what) {
	case GAP_KEY_NONE: /* a wait without a name is no root, and has no callers */
		s->blamed = TEXT_NONE;
		s->slice_id = 0;
		s->drains = false;
		break;
	case GAP_KEY_OP:
		s->op = TEXT_NONE;
		break;
	case GAP_KEY_FRAME:
		s->frame = TEXT_NONE;
		break;
	case GAP_KEY_ANNOTATION:
		s->annotation = TEXT_NONE;
		break;
	default:
		s->drains = false;
	}
}

/* what: an enum gap_key, or GAP_LEFT_WAITS. */
static void limit(struct limiting *l, unsigned what)
{
	struct gap_blame *b = l->b;

	for (size_t i = 0; i < b->nlines; i++)
		if (l->most[i] != UINT64_MAX)
			l->kinds[i] =
				what == GAP_LEFT_WAITS
					? count_waits(&b->lines[i])
					: count_kinds(&b->lines[i], (enum gap_key)what);
	l->is_whole = what == GAP_LEFT_WAITS;
	count_amounts(l);
	for (size_t i = 0; i < b->nlines; i++) {
		if (l->amounts[i] <= l->most[i])
			continue;
		for (size_t k = 0; k < b->lines[i].n; k++)
			leave_out(&b->lines[i].items[k], what);
		b->left_out |= 1U << what;
	}
}

void gap_kinds_limit(struct gap_blame *b, const struct gap_range *range)
{
	struct limiting l = { .b = b, .range = range, .is_whole = true };

	l.kinds = xcalloc(b->nlines + 1, sizeof(*l.kinds));
	l.amounts = xcalloc(b->nlines + 1, sizeof(*l.amounts));
	l.most = xcalloc(b->nlines + 1, sizeof(*l.most));
	if (find_lines(&l))
		for (unsigned what = GAP_KEY_NONE; what <= GAP_LEFT_WAITS; what++)
			limit(&l, what);
	free(l.kinds);
	free(l.amounts);
	free(l.most);
}
