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

struct gap_piece gap_piece_of(uint32_t gap, int64_t start_ns, int64_t end_ns)
{
	return (struct gap_piece){ .start_ns = start_ns,
				   .end_ns = end_ns,
				   .gap = gap,
				   .blamed = TEXT_NONE,
				   .op = TEXT_NONE,
				   .frame = TEXT_NONE,
				   .annotation = TEXT_NONE };
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
	qsort(b->launches, b->nlaunches, sizeof(*b->launches), compare_launches);
}

const struct gap_launch *gap_blame_launch(const struct gap_blame *b,
					  const struct device_work *work,
					  int64_t launch_id, uint32_t device)
{
	struct gap_launch wanted = { .launch_id = launch_id };
	size_t low = 0, high = b->nlaunches;

	if (high)
		wanted.item = (uint32_t)work->devices[device].first;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare_launches(&b->launches[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < b->nlaunches && b->launches[low].launch_id == launch_id
		       ? &b->launches[low]
		       : NULL;
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
	const struct gap_range *range = request->range;
	if (gaps_find(request->work, range->is_inner ? NULL : &range->extent, &out->gaps,
		      err) < 0)
		return -1;
	if (out->gaps.n >= UINT32_MAX)
		return err_set(err, ERR_INPUT, "the store has too many gaps");
	find_launches(out, request->work);
	if (gap_host_blame(request, out, err) < 0 ||
	    gap_device_blame(request, out, err) < 0)
		return -1;
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
	free(b->launches);
	free(b->contexts);
	free(b->waited);
	*b = (struct gap_blame){ .n = 0 };
}
