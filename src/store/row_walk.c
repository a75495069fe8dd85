/*
 * What the table of slices says of a row that no array holds: its depth and its
 * step.  Cells are asked for row after row, so that both are found from the row
 * before.  Apart from write_slices.c, whose cells need no room for calls.
 */
#include <stdlib.h>

#include "store/write_rows.h"

#define BLOB_MAX ((size_t)1 << 20)

void row_walk_init(struct row_walk *walk, const struct model *m)
{
	*walk = (struct row_walk){ .steps = step_cursor(m) };
	buf_init(&walk->blob, BLOB_MAX);
	allocation_walk_init(&walk->allocations, m);
}

void row_walk_release(struct row_walk *walk)
{
	spill_free(walk->steps.m->spill, walk->around);
	allocation_walk_release(&walk->allocations);
	buf_release(&walk->blob);
	free(walk->packed);
	*walk = (struct row_walk){ 0 };
}

void row_walk_seek(struct row_walk *walk, uint32_t row)
{
	const struct model *m = walk->steps.m;
	size_t depth = 0;

	walk->steps = step_cursor(m);
	if (row >= m->nrows)
		return;
	for (uint32_t at = m->parent[row]; at != ROW_NONE; at = m->parent[at])
		depth++;
	if (depth > walk->around_cap)
		walk->around = spill_grow(m->spill, walk->around, &walk->around_cap,
					  depth, sizeof(*walk->around));
	walk->naround = depth;
	for (uint32_t at = m->parent[row]; at != ROW_NONE; at = m->parent[at])
		walk->around[--depth] = at;
}

/* The parent is the row before or stands around it. */
struct bulk_cell cell_depth(const struct write_rows *w, uint32_t row)
{
	struct row_walk *walk = w->walk;
	uint32_t parent = w->m->parent[row];
	size_t depth = walk->naround;

	while (depth && walk->around[depth - 1] != parent)
		depth--;
	if (depth == walk->around_cap)
		walk->around = spill_grow(w->m->spill, walk->around, &walk->around_cap,
					  depth + 1, sizeof(*walk->around));
	walk->around[depth] = row;
	walk->naround = depth + 1;
	return bulk_int((int64_t)depth);
}

struct bulk_cell cell_step(const struct write_rows *w, uint32_t row)
{
	return cell_row(w->step, step_of_row(&w->walk->steps, row));
}
