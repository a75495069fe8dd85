/* Reading a blame: see gap_read.h. */
#include "query/gaps/gap_read.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"

/*
 * The segments of a line by kind: what of a range of them is of each kind, without a walk.
 */
struct gap_kind {
	uint32_t first, n; /* places in order */
};

struct gap_tally {
	const struct gap_line *line; /* borrowed */
	uint32_t *order;             /* owned; segments by kind, then in time */
	int64_t *before;             /* owned; n + 1 sums of the lengths in that order */
	uint32_t *longest;           /* owned; a tree of places in order */
	struct gap_kind *kinds;      /* owned */
	size_t nkinds, cap;
};

/* What a range of segments has of a kind. */
struct gap_found {
	int64_t ns;
	uint32_t first, longest; /* segments */
};

struct ordering {
	const struct gap_segment *items;
	enum gap_key key;
};

/* Below 0, 0 when they are of one kind, or above. */
static int compare_kinds(const struct ordering *o, uint32_t a, uint32_t b)
{
	return gap_kinds_compare(&o->items[a], &o->items[b], o->key);
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	return compare_kinds(context, a, b) < 0;
}

static int64_t length(const struct gap_tally *t, uint32_t place)
{
	const struct gap_segment *s = &t->line->items[t->order[place]];

	return sum_sub(s->end_ns, s->start_ns);
}

/* Of two places the longer one, of equal ones the first. */
static uint32_t longer(const struct gap_tally *t, uint32_t a, uint32_t b)
{
	int64_t a_ns = length(t, a), b_ns = length(t, b);

	return a_ns > b_ns || (a_ns == b_ns && a < b) ? a : b;
}

static void gap_tally_make(struct gap_tally *t, const struct gap_line *line,
			   enum gap_key key)
{
	const struct ordering ordering = { line->items, key };
	uint32_t n = (uint32_t)line->n;

	*t = (struct gap_tally){ .line = line };
	t->order = xrealloc_array(NULL, ((size_t)n * 2) + 1, sizeof(*t->order));
	t->before = xcalloc((size_t)n + 1, sizeof(*t->before));
	t->longest = xcalloc(((size_t)n * 2) + 1, sizeof(*t->longest));
	for (uint32_t i = 0; i < n; i++)
		t->order[i] = i;
	sort_indexes(t->order, n, t->order + n, is_before, &ordering);
	for (uint32_t i = 0; i < n; i++) {
		t->before[i + 1] = sum_add(t->before[i], length(t, i));
		t->longest[n + i] = i;
		if (i && !compare_kinds(&ordering, t->order[i - 1], t->order[i])) {
			t->kinds[t->nkinds - 1].n++;
			continue;
		}
		*ARRAY_PUSH(t->kinds, t->nkinds, t->cap) = (struct gap_kind){ i, 1 };
	}
	for (uint32_t i = n; i-- > 1;)
		t->longest[i] = longer(t, t->longest[2 * (size_t)i],
				       t->longest[2 * (size_t)i + 1]);
}

static void gap_tally_release(struct gap_tally *t)
{
	free(t->order);
	free(t->before);
	free(t->longest);
	free(t->kinds);
	*t = (struct gap_tally){ .line = NULL };
}

/* The place of the first of the kind that is `segment` or a later one. */
static uint32_t place_of(const struct gap_tally *t, const struct gap_kind *kind,
			 uint32_t segment)
{
	uint32_t at;

	SEARCH(at, kind->first, kind->first + kind->n, t->order[at] < segment);
	return at;
}

/* The longest of the places from low up to end, of which there is one at least. */
static uint32_t longest_of(const struct gap_tally *t, uint32_t low, uint32_t end)
{
	size_t a = t->line->n + low, b = t->line->n + end;
	uint32_t best = low;

	for (; a < b; a /= 2, b /= 2) {
		if (a & 1)
			best = longer(t, best, t->longest[a++]);
		if (b & 1)
			best = longer(t, best, t->longest[--b]);
	}
	return best;
}

static int compare_found(const void *a, const void *b)
{
	const struct gap_found *x = a, *y = b;

	return sort_order(x->first, y->first);
}

/*
 * Of the segments from `first` up to `end`, by the first of each kind.  *out has room for
 * all kinds; returns how many are met.
 */
static size_t gap_tally_find(const struct gap_tally *t, uint32_t first, uint32_t end,
			     struct gap_found *out)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nkinds; i++) {
		uint32_t low = place_of(t, &t->kinds[i], first);
		uint32_t high = place_of(t, &t->kinds[i], end);
		if (low == high)
			continue;
		out[n++] = (struct gap_found){
			.ns = sum_sub(t->before[high], t->before[low]),
			.first = t->order[low],
			.longest = t->order[longest_of(t, low, high)],
		};
	}
	if (n > 1)
		qsort(out, n, sizeof(*out), compare_found);
	return n;
}

void gap_reader_open(struct gap_reader *r, const struct gap_blame *blame,
		     const struct gap_roots *roots, enum gap_key key)
{
	size_t most = 0;

	*r = (struct gap_reader){ .blame = blame, .roots = roots };
	r->tallies = xcalloc(blame->nlines + 1, sizeof(*r->tallies));
	for (size_t i = 0; i < blame->nlines; i++) {
		if (!blame->lines[i].is_shared)
			continue;
		gap_tally_make(&r->tallies[i], &blame->lines[i], key);
		if (r->tallies[i].nkinds > most)
			most = r->tallies[i].nkinds;
	}
	r->found = xrealloc_array(NULL, most + 1, sizeof(*r->found));
}

void gap_reader_close(struct gap_reader *r)
{
	for (size_t i = 0; r->tallies && i < r->blame->nlines; i++)
		gap_tally_release(&r->tallies[i]);
	free(r->tallies);
	free(r->found);
	*r = (struct gap_reader){ .blame = NULL };
}

void gap_reader_seek(struct gap_reader *r, const struct gap *gap, int64_t from_ns,
		     int64_t to_ns)
{
	const struct gap_span *spans = &r->blame->spans[gap->first_span];
	uint32_t low;

	/* the first that ends after from_ns */
	SEARCH(low, 0, gap->nspans, spans[low].end_ns <= from_ns);
	r->from_ns = from_ns;
	r->to_ns = to_ns;
	r->span = gap->first_span + low;
	r->end_span = gap->first_span + gap->nspans;
	r->at = r->end = 0;
	r->nfound = r->next_found = 0;
}

static bool next_span(struct gap_reader *r)
{
	if (r->span == r->end_span)
		return false;
	const struct gap_span *span = &r->blame->spans[r->span];
	if (span->start_ns >= r->to_ns)
		return false;
	r->line = &r->blame->lines[span->line];
	r->tally = &r->tallies[span->line];
	r->root = span->root;
	r->clip = (struct interval){ span->start_ns, span->end_ns };
	r->at = span->first;
	r->end = span->first + span->n;
	if (r->from_ns > span->start_ns) {
		r->clip.start_ns = r->from_ns;
		r->at = gap_span_find(r->line, span, r->from_ns);
	}
	if (r->to_ns < span->end_ns) {
		r->clip.end_ns = r->to_ns;
		r->end = gap_span_find(r->line, span, r->to_ns - 1) + 1;
	}
	r->span++;
	return true;
}

/* Segment `of` of the span, ns of it. */
static void give(const struct gap_reader *r, uint32_t of, int64_t ns,
		 struct gap_amount *out)
{
	const struct gap_segment *s = &r->line->items[of];

	*out = (struct gap_amount){ .ns = ns,
				    .longest_ns = ns,
				    .of = s,
				    .blamed = s->blamed,
				    .root = GAP_NO_ROOT,
				    .cause = s->cause };
	if (r->root == GAP_NO_ROOT || !gap_cause_is_burst((enum gap_cause)s->cause))
		return;
	out->root = r->root;
	if (!r->roots)
		return;
	out->cause = r->roots->items[r->root].cause;
	out->blamed = r->roots->items[r->root].blamed;
}

static void give_found(struct gap_reader *r, struct gap_amount *out)
{
	const struct gap_found *found = &r->found[r->next_found++];
	const struct gap_segment *longest = &r->line->items[found->longest];

	give(r, found->longest, found->ns, out);
	out->longest_ns = longest->end_ns - longest->start_ns;
}

/* All but the last of what is to come of the span, which is cut perhaps. */
static void look_up(struct gap_reader *r)
{
	uint32_t n = r->end - r->at;

	if (n / GAP_LOOK_UP_WALKS <= r->tally->nkinds)
		return;
	r->nfound = gap_tally_find(r->tally, r->at, r->end - 1, r->found);
	r->next_found = 0;
	r->at = r->end - 1;
}

bool gap_reader_next(struct gap_reader *r, struct gap_amount *out)
{
	if (r->next_found < r->nfound) {
		give_found(r, out);
		return true;
	}
	while (r->at >= r->end)
		if (!next_span(r))
			return false;
	const struct gap_segment *s = &r->line->items[r->at];
	int64_t from_ns = s->start_ns > r->clip.start_ns ? s->start_ns : r->clip.start_ns;
	int64_t to_ns = s->end_ns < r->clip.end_ns ? s->end_ns : r->clip.end_ns;
	give(r, r->at++, to_ns - from_ns, out);
	if (r->tally->line)
		look_up(r);
	return true;
}
