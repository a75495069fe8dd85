/* Reading a blame: see gap_read.h. */
#include "query/gaps/gap_read.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/gaps/gap_tally.h"

/* As many segments may be walked through in the time that a kind is looked up in. */
#define LOOK_UP_WALKS 16

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
	uint32_t low = 0, high = gap->nspans;

	while (low < high) { /* the first that ends after from_ns */
		uint32_t middle = low + (high - low) / 2;
		if (spans[middle].end_ns <= from_ns)
			low = middle + 1;
		else
			high = middle;
	}
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

	if (n / LOOK_UP_WALKS <= r->tally->nkinds)
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
