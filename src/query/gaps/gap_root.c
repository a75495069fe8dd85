/* Roots of bursts: see gap_root.h. */
#include "query/gaps/gap_root.h"

#include <stdlib.h>

#include "base/alloc.h"

struct tracing {
	const struct gap_blame *b;
	struct gap_roots *out;
	struct gap_blame cut; /* its pieces, cut where a root is paid off */
	size_t of_piece_cap;
	size_t drain;    /* the next of b->drains */
	uint32_t root;   /* of the burst that the walk is in, or GAP_NO_ROOT */
	int64_t left_ns; /* of its wait, that nothing is charged for yet */
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

static void enter(struct tracing *t, struct gap_drain drain)
{
	uint32_t root = add_root(t->out, drain);

	if (root != t->root)
		t->left_ns = drain.dur_ns;
	t->root = root;
}

static void add_piece(struct tracing *t, struct gap_piece piece, uint32_t root)
{
	struct gap_roots *r = t->out;

	r->of_piece =
		xgrow(r->of_piece, &t->of_piece_cap, t->cut.n + 1, sizeof(*r->of_piece));
	r->of_piece[t->cut.n] = root;
	gap_blame_add(&t->cut, &piece);
}

/* A damaged store may say that it was charged for longer than it lasted. */
static void pay(struct tracing *t, int64_t ns)
{
	t->left_ns = ns < t->left_ns ? t->left_ns - ns : 0;
}

/* Charges the root for as much of the burst as is left of its wait. */
static void add_burst(struct tracing *t, struct gap_piece piece)
{
	struct gap_piece charged = piece;
	int64_t ns = piece.end_ns - piece.start_ns;

	if (t->root == GAP_NO_ROOT || ns <= t->left_ns) {
		pay(t, ns);
		add_piece(t, piece, t->root);
		return;
	}
	charged.end_ns = piece.start_ns = piece.start_ns + t->left_ns;
	if (t->left_ns > 0)
		add_piece(t, charged, t->root);
	t->root = GAP_NO_ROOT;
	add_piece(t, piece, GAP_NO_ROOT);
}

static void trace_piece(struct tracing *t, const struct gap_piece *p)
{
	enum gap_cause cause = (enum gap_cause)p->cause;

	if (p->drains)
		enter(t, (struct gap_drain){ p->slice_id, p->dur_ns, p->gap, p->blamed,
					     p->cause });
	else if (gap_cause_is_burst(cause)) {
		add_burst(t, *p);
		return;
	} else if (!gap_cause_drains(cause))
		t->root = GAP_NO_ROOT;
	if (t->root != GAP_NO_ROOT && t->out->items[t->root].slice_id == p->slice_id)
		pay(t, p->end_ns - p->start_ns);
	add_piece(t, *p, GAP_NO_ROOT);
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
	uint32_t first = g->first_piece;

	while (t->drain < b->ndrains && b->drains[t->drain].gap < gap)
		t->drain++;
	if (is_ahead(g) || (gap && b->gaps.items[gap - 1].device != g->device))
		t->root = GAP_NO_ROOT;
	if (!is_ahead(g) && t->drain < b->ndrains && b->drains[t->drain].gap == gap)
		enter(t, b->drains[t->drain]);
	g->first_piece = (uint32_t)t->cut.n;
	for (uint32_t i = 0; i < g->npieces; i++) {
		if (is_ahead(g))
			add_piece(t, b->pieces[first + i], GAP_NO_ROOT);
		else
			trace_piece(t, &b->pieces[first + i]);
	}
	g->npieces = (uint32_t)(t->cut.n - g->first_piece);
}

void gap_roots_find(struct gap_blame *b, struct gap_roots *out)
{
	struct tracing t = { .b = b, .out = out, .root = GAP_NO_ROOT };

	*out = (struct gap_roots){ .n = 0 };
	for (size_t i = 0; i < b->gaps.n; i++)
		trace_gap(&t, (uint32_t)i);
	free(b->pieces);
	b->pieces = t.cut.pieces;
	b->n = t.cut.n;
	b->cap = t.cut.cap;
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
