/* The blame for idle time: see gap_blame.h. */
#include "query/gaps/gap_blame.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "query/gaps/gap_device.h"
#include "query/gaps/gap_host.h"

struct gap_piece *gap_blame_add(struct gap_blame *b, const struct gap_piece *piece)
{
	b->pieces = xgrow(b->pieces, &b->cap, b->n + 1, sizeof(*b->pieces));
	b->pieces[b->n] = *piece;
	return &b->pieces[b->n++];
}

/* From the launch on, the work was on its way; the call and what is around it are known. */
static void add_latency(const struct gap_blame_request *q, struct gap_blame *b,
			uint32_t gap)
{
	const struct gap *g = &b->gaps.items[gap];
	const struct work_item *after = &q->work->items[g->after];

	if (g->host_end_ns < g->end_ns)
		gap_blame_add(b, &(struct gap_piece){ .start_ns = g->host_end_ns,
						      .end_ns = g->end_ns,
						      .slice_id = after->launch_id,
						      .gap = gap,
						      .blamed = after->launch_name,
						      .op = TEXT_NONE,
						      .frame = TEXT_NONE,
						      .annotation = TEXT_NONE,
						      .cause = GAP_LATENCY });
}

/* Pieces by gap; those of one gap keep their order. */
static void arrange(struct gap_blame *b)
{
	struct gap_piece *sorted = xrealloc_array(NULL, b->n + 1, sizeof(*sorted));
	uint32_t at = 0;

	for (size_t i = 0; i < b->n; i++)
		b->gaps.items[b->pieces[i].gap].npieces++;
	for (size_t i = 0; i < b->gaps.n; i++) {
		b->gaps.items[i].first_piece = at;
		at += b->gaps.items[i].npieces;
		b->gaps.items[i].npieces = 0;
	}
	for (size_t i = 0; i < b->n; i++) {
		struct gap *g = &b->gaps.items[b->pieces[i].gap];
		sorted[g->first_piece + g->npieces++] = b->pieces[i];
	}
	free(b->pieces);
	b->pieces = sorted;
	b->cap = b->n + 1;
}

int gap_blame_check(const struct gap_blame *b, struct err *err)
{
	for (size_t i = 0; i < b->gaps.n; i++) {
		const struct gap *g = &b->gaps.items[i];
		int64_t at_ns = g->start_ns;
		for (uint32_t k = 0; k < g->npieces; k++) {
			const struct gap_piece *p = &b->pieces[g->first_piece + k];
			if (p->start_ns != at_ns || p->end_ns <= p->start_ns)
				break;
			at_ns = p->end_ns;
		}
		if (at_ns != g->end_ns)
			return err_set(err, ERR_INPUT,
				       "the blame of the gap at %" PRId64
				       " ns does not add up to it",
				       g->start_ns);
	}
	return 0;
}

int gap_blame_load(const struct gap_blame_request *request, struct gap_blame *out,
		   struct err *err)
{
	*out = (struct gap_blame){ .n = 0 };
	if (gaps_find(request->work, &out->gaps, err) < 0)
		return -1;
	if (out->gaps.n >= UINT32_MAX)
		return err_set(err, ERR_INPUT, "the store has too many gaps");
	if (gap_host_blame(request, out, err) < 0 ||
	    gap_device_blame(request, out, err) < 0)
		return -1;
	for (size_t i = 0; i < out->gaps.n; i++)
		if (out->gaps.items[i].host_end_ns > out->gaps.items[i].start_ns)
			add_latency(request, out, (uint32_t)i);
	if (out->n >= UINT32_MAX)
		return err_set(err, ERR_INPUT, "the store has too many slices in gaps");
	arrange(out);
	return gap_blame_check(out, err);
}

void gap_blame_release(struct gap_blame *b)
{
	gaps_release(&b->gaps);
	free(b->pieces);
	free(b->drains);
	free(b->waited);
	*b = (struct gap_blame){ .n = 0 };
}
