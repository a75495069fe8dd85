/* Roots of bursts: see gap_root.h. */
#include "query/gaps/gap_root.h"

#include <stdlib.h>

#include "base/alloc.h"

struct tracing {
	const struct gap_blame *b;
	struct gap_roots *out;
	size_t drain;  /* the next of b->drains */
	uint32_t root; /* of the burst that the walk is in, or GAP_NO_ROOT */
};

static uint32_t add_root(struct gap_roots *r, struct gap_drain drain)
{
	/* another part of one wait is the same root */
	if (r->n && r->items[r->n - 1].slice_id == drain.slice_id)
		return (uint32_t)(r->n - 1);
	r->items = xgrow(r->items, &r->cap, r->n + 1, sizeof(*r->items));
	r->items[r->n] = drain;
	return (uint32_t)r->n++;
}

static void trace_piece(struct tracing *t, uint32_t at)
{
	const struct gap_piece *p = &t->b->pieces[at];
	enum gap_cause cause = (enum gap_cause)p->cause;

	if (p->drains)
		t->root = add_root(t->out, (struct gap_drain){ p->slice_id, p->gap,
							       p->blamed, p->cause });
	else if (gap_cause_is_burst(cause))
		t->out->of_piece[at] = t->root;
	else if (!gap_cause_drains(cause))
		t->root = GAP_NO_ROOT;
}

static void trace_gap(struct tracing *t, uint32_t gap)
{
	const struct gap_blame *b = t->b;
	const struct gap *g = &b->gaps.items[gap];

	while (t->drain < b->ndrains && b->drains[t->drain].gap < gap)
		t->drain++;
	if (gap && b->gaps.items[gap - 1].device != g->device)
		t->root = GAP_NO_ROOT;
	if (g->host_end_ns == g->start_ns) { /* the host is ahead, or not known */
		t->root = GAP_NO_ROOT;
		return;
	}
	if (t->drain < b->ndrains && b->drains[t->drain].gap == gap)
		t->root = add_root(t->out, b->drains[t->drain]);
	for (uint32_t i = 0; i < g->npieces; i++)
		trace_piece(t, g->first_piece + i);
}

void gap_roots_find(const struct gap_blame *b, struct gap_roots *out)
{
	struct tracing t = { .b = b, .out = out, .root = GAP_NO_ROOT };

	*out = (struct gap_roots){ .of_piece = xrealloc_array(NULL, b->n + 1,
							      sizeof(*out->of_piece)) };
	for (size_t i = 0; i < b->n; i++)
		out->of_piece[i] = GAP_NO_ROOT;
	for (size_t i = 0; i < b->gaps.n; i++)
		trace_gap(&t, (uint32_t)i);
}

void gap_roots_release(struct gap_roots *r)
{
	free(r->items);
	free(r->of_piece);
	*r = (struct gap_roots){ .n = 0 };
}

struct gap_piece gap_roots_charge(const struct gap_roots *r, const struct gap_blame *b,
				  uint32_t piece)
{
	struct gap_piece charged = b->pieces[piece];

	if (r->of_piece && r->of_piece[piece] != GAP_NO_ROOT) {
		const struct gap_drain *root = &r->items[r->of_piece[piece]];
		charged.cause = root->cause;
		charged.blamed = root->blamed;
		charged.slice_id = root->slice_id;
	}
	return charged;
}
