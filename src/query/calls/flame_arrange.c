/* Nodes of a flame graph in the order in which they are drawn: see flame.h. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/calls/flame.h"

/* A base of other steps (or runs) is told for as many as the drawn side has. */
static void scale_base(struct flame *f)
{
	double steps = (double)f->steps[FLAME_NOW], base = (double)f->steps[FLAME_BASE];

	f->is_scaled = f->has_base && steps > 0 && base > 0 && steps != base;
	if (!f->is_scaled)
		return;
	for (size_t i = 0; i < f->n; i++) {
		struct flame_sums *sums = &f->nodes[i].side[FLAME_BASE];
		for (int k = 0; k < NFLAME_AMOUNTS; k++)
			sums->self[k] = sum_of_double(
				round((double)sums->self[k] * steps / base));
	}
}

/* Nodes stand behind their parents here. */
static void sum_up(struct flame *f)
{
	for (size_t i = f->n; i-- > 0;) {
		struct flame_node *node = &f->nodes[i];
		for (int s = 0; s < NFLAME_SIDES; s++)
			for (int k = 0; k < NFLAME_AMOUNTS; k++) {
				struct flame_sums *sums = &node->side[s];
				sums->total[k] = sum_add(sums->total[k], sums->self[k]);
				if (i == FLAME_ROOT)
					continue;
				int64_t *up = &f->nodes[node->parent].side[s].total[k];
				*up = sum_add(*up, sums->total[k]);
			}
	}
}

static bool has_amount(const struct flame_node *node)
{
	for (int s = 0; s < NFLAME_SIDES; s++)
		for (int k = 0; k < NFLAME_AMOUNTS; k++)
			if (node->side[s].total[k] > 0)
				return true;
	return false;
}

/* Siblings together; the largest first, of equal ones by base, by the other amount, by name. */
static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct flame *f = context;
	const struct flame_node *x = &f->nodes[a], *y = &f->nodes[b];
	int other = f->by == FLAME_HOST ? FLAME_DEVICE : FLAME_HOST;

	if (x->parent != y->parent)
		return x->parent < y->parent;
	if (flame_total(f, x) != flame_total(f, y))
		return flame_total(f, x) > flame_total(f, y);
	if (flame_base(f, x) != flame_base(f, y))
		return flame_base(f, x) > flame_base(f, y);
	if (x->side[FLAME_NOW].total[other] != y->side[FLAME_NOW].total[other])
		return x->side[FLAME_NOW].total[other] > y->side[FLAME_NOW].total[other];
	int order = str_compare(intern_str(&f->texts, x->name),
				intern_str(&f->texts, y->name));
	return order ? order < 0 : x->kind < y->kind;
}

/* The walk through sorted siblings that gives the preorder; numbers are places + 1. */
struct walk {
	uint32_t *order; /* of nodes, siblings together */
	uint32_t *first; /* by node: of its first child; 0: none */
	uint32_t *next;  /* by depth: of the next sibling; 0: none */
	uint32_t *path;  /* by depth: the new number of the open node */
	size_t depth;
};

/* The next node of this depth, or CALL_NONE. */
static uint32_t step(const struct flame *f, struct walk *w)
{
	uint32_t place = w->next[w->depth];

	if (!place)
		return CALL_NONE;
	uint32_t at = w->order[place - 1];
	bool has_more =
		place < f->n && f->nodes[w->order[place]].parent == f->nodes[at].parent;
	w->next[w->depth] = has_more ? place + 1 : 0;
	return at;
}

/* Into `nodes`, without those that have no amount; how many they are. */
static size_t in_preorder(struct flame *f, struct walk *w, struct flame_node *nodes)
{
	size_t n = 1;

	nodes[FLAME_ROOT] = f->nodes[FLAME_ROOT];
	nodes[FLAME_ROOT].parent = FLAME_ROOT;
	w->path[0] = FLAME_ROOT;
	w->next[0] = w->first[FLAME_ROOT];
	for (;;) {
		uint32_t at = step(f, w), open = w->path[w->depth];
		if (at == CALL_NONE) {
			nodes[open].span = (uint32_t)n - open;
			if (w->depth-- == 0)
				return n;
			continue;
		}
		if (!has_amount(&f->nodes[at]))
			continue;
		nodes[n] = f->nodes[at];
		nodes[n].parent = open;
		nodes[n].depth = (uint32_t)++w->depth;
		if (nodes[n].depth > f->depth)
			f->depth = nodes[n].depth;
		w->path[w->depth] = (uint32_t)n++;
		w->next[w->depth] = w->first[at];
	}
}

static void put_in_order(struct flame *f)
{
	size_t n = f->n;
	struct walk w = { .order = sorted_places(n, is_before, f),
			  .first = xcalloc(n, sizeof(*w.first)),
			  .next = xcalloc(n, sizeof(*w.next)),
			  .path = xcalloc(n, sizeof(*w.path)) };
	struct flame_node *nodes = xrealloc_array(NULL, n, sizeof(*nodes));

	for (size_t i = n; i-- > 0;)
		if (w.order[i] != FLAME_ROOT)
			w.first[f->nodes[w.order[i]].parent] = (uint32_t)i + 1;
	f->n = in_preorder(f, &w, nodes);
	free(w.order);
	free(w.first);
	free(w.next);
	free(w.path);
	free(f->nodes);
	f->nodes = nodes;
	f->cap = n;
}

void flame_arrange(struct flame *f)
{
	scale_base(f);
	sum_up(f);
	put_in_order(f);
}
