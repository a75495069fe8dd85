/* Boxes of a flame graph in terminal cells: see flame_places.h. */
#include "report/flame_places.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"

static size_t cell_of(const struct flame_places *p, int64_t amount)
{
	double whole = (double)flame_total(p->flame, &p->flame->nodes[FLAME_ROOT]);

	return (size_t)(((double)amount * (double)p->width / whole) + 0.5);
}

static bool is_small(const struct flame_places *p, int64_t total)
{
	double whole = (double)flame_total(p->flame, &p->flame->nodes[FLAME_ROOT]);

	return total < p->draw->min_amount || (double)total * (double)p->width < whole ||
	       (double)total * 100.0 < whole * p->draw->min_pct;
}

/* The only child that is drawn, where it has the same cells; FLAME_ROOT: none. */
static uint32_t only_child(const struct flame_places *p, uint32_t at, int64_t start)
{
	const struct flame_node *node = &p->flame->nodes[at];
	int64_t total = flame_total(p->flame, node);

	if (node->span < 2 || at == FLAME_ROOT)
		return FLAME_ROOT;
	int64_t child = flame_total(p->flame, &p->flame->nodes[at + 1]);
	bool is_same =
		cell_of(p, sum_add(start, child)) == cell_of(p, sum_add(start, total));
	return is_same && !is_small(p, child) ? at + 1 : FLAME_ROOT;
}

static uint32_t levels_below(const struct flame *flame, uint32_t at)
{
	uint32_t depth = flame->nodes[at].depth, most = depth;

	for (uint32_t i = at; i < at + flame->nodes[at].span; i++)
		if (flame->nodes[i].depth > most && flame_total(flame, &flame->nodes[i]))
			most = flame->nodes[i].depth;
	return most - depth;
}

static void put_box(struct flame_places *p, uint32_t at, int64_t start, size_t row,
		    bool is_odd);

static void put_rest(struct flame_places *p, uint32_t at, uint32_t end, int64_t start,
		     size_t row)
{
	int64_t sum = 0;

	for (uint32_t i = at; i < end; i += p->flame->nodes[i].span) {
		int64_t total = flame_total(p->flame, &p->flame->nodes[i]);
		sum = sum_add(sum, total);
		p->nsmall += total > 0;
	}
	p->small = sum_add(p->small, sum);
	const struct flame_box rest = { .row = row,
					.from = cell_of(p, start),
					.to = cell_of(p, sum_add(start, sum)),
					.is_rest = true };
	if (rest.to <= rest.from)
		return;
	*ARRAY_PUSH(p->boxes, p->n, p->cap) = rest;
	p->rows = row + 1 > p->rows ? row + 1 : p->rows;
}

static void put_children(struct flame_places *p, uint32_t at, int64_t start, size_t row)
{
	const struct flame_node *nodes = p->flame->nodes;
	uint32_t end = at + nodes[at].span;
	bool is_odd = false;

	for (uint32_t i = at + 1; i < end; i += nodes[i].span) {
		int64_t total = flame_total(p->flame, &nodes[i]);
		if (is_small(p, total)) {
			put_rest(p, i, end, start, row);
			return;
		}
		put_box(p, i, start, row, is_odd);
		start = sum_add(start, total);
		is_odd = !is_odd;
	}
}

/* Recursive, at most as deep as there are lines. */
static void put_box(struct flame_places *p, uint32_t at, int64_t start, size_t row,
		    bool is_odd)
{
	struct flame_box box = {
		.row = row,
		.from = cell_of(p, start),
		.to = cell_of(
			p, sum_add(start, flame_total(p->flame, &p->flame->nodes[at]))),
		.node = at,
		.is_odd = is_odd
	};
	uint32_t child;

	while (p->folds && (child = only_child(p, box.node, start)) != FLAME_ROOT) {
		box.node = child;
		box.chain++;
	}
	p->nchains += box.chain > 0;
	*ARRAY_PUSH(p->boxes, p->n, p->cap) = box;
	p->rows = row + 1 > p->rows ? row + 1 : p->rows;
	if (row + 1 < p->levels) {
		put_children(p, box.node, start, row + 1);
		return;
	}
	uint32_t below = levels_below(p->flame, box.node);
	if (below > p->deeper)
		p->deeper = below;
}

static void place(struct flame_places *p, bool folds)
{
	p->n = p->rows = p->nsmall = p->nchains = 0;
	p->small = 0;
	p->deeper = 0;
	p->folds = folds;
	put_box(p, FLAME_ROOT, 0, 0, false);
}

void flame_places_fill(struct flame_places *p)
{
	place(p, false);
	if (p->deeper > 0)
		place(p, true);
}

void flame_places_release(struct flame_places *p)
{
	free(p->boxes);
	*p = (struct flame_places){ .boxes = NULL };
}
