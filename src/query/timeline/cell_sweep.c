/* Cells of one track: see cell_sweep.h. */
#include "query/timeline/cell_sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"

#define NAMES_FIRST 64 /* a power of two */

__extension__ typedef __int128 wide;

int64_t cell_start(const struct cell_axis *axis, size_t i)
{
	wide length = (wide)axis->to_ns - axis->from_ns;

	return (int64_t)(axis->from_ns + length * (wide)i / (wide)axis->n);
}

size_t cell_of(const struct cell_axis *axis, int64_t ns)
{
	wide length = (wide)axis->to_ns - axis->from_ns;
	size_t i = (size_t)(((wide)ns - axis->from_ns) * (wide)axis->n / length);

	while (i + 1 < axis->n && cell_start(axis, i + 1) <= ns)
		i++;
	return i;
}

void cell_sweep_begin(struct cell_sweep *s, const struct cell_axis *axis,
		      struct swept_cell *cells)
{
	s->axis = *axis;
	s->cells = cells;
	s->nopen = s->nused = 0;
	s->cell = 0;
	s->at_ns = axis->from_ns;
	memset(s->kind_ns, 0, sizeof(s->kind_ns));
	memset(s->total_ns, 0, sizeof(s->total_ns));
	for (size_t i = 0; i < s->nnames; i++)
		s->names[i].cell = 0;
}

static uint64_t hash_of(int64_t name_id, uint8_t kind)
{
	return ((uint64_t)name_id * NCOVERS + kind) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The place of a name in a table of n places: its own, or a free one. */
static size_t find(const struct cell_sweep *s, const struct swept_slice *slice)
{
	size_t at =
		(size_t)(hash_of(slice->name_id, slice->kind) >> 32) & (s->nnames - 1);

	while (s->names[at].cell == s->cell + 1 &&
	       (s->names[at].name_id != slice->name_id ||
		s->names[at].kind != slice->kind))
		at = (at + 1) & (s->nnames - 1);
	return at;
}

static void put(struct cell_sweep *s, const struct swept_slice *slice, int64_t ns)
{
	size_t at = find(s, slice);
	struct swept_name *name = &s->names[at];

	if (name->cell != s->cell + 1) {
		*name = (struct swept_name){ .name_id = slice->name_id,
					     .kind = slice->kind,
					     .cell = s->cell + 1 };
		*ARRAY_PUSH(s->used, s->nused, s->used_cap) = (uint32_t)at;
	}
	name->ns += ns;
}

/* Twice as large, with the names of the newest cell. */
static void grow(struct cell_sweep *s)
{
	struct swept_name *old = s->names;
	size_t nused = s->nused;
	struct swept_name *kept = xcalloc(nused + 1, sizeof(*kept));

	for (size_t i = 0; i < nused; i++)
		kept[i] = old[s->used[i]];
	free(old);
	s->nnames = s->nnames ? s->nnames * 2 : NAMES_FIRST;
	s->names = xcalloc(s->nnames, sizeof(*s->names));
	s->nused = 0;
	for (size_t i = 0; i < nused; i++)
		put(s,
		    &(struct swept_slice){ .name_id = kept[i].name_id,
					   .kind = kept[i].kind },
		    kept[i].ns);
	free(kept);
}

/* What covers most of the newest cell, which has no more to come. */
static void close_cell(struct cell_sweep *s)
{
	struct swept_cell *cell = &s->cells[s->cell];
	const struct swept_name *top = NULL;

	for (size_t kind = 0; kind < NCOVERS; kind++) {
		cell->busy_ns += s->kind_ns[kind];
		if (s->kind_ns[kind] > s->kind_ns[cell->kind])
			cell->kind = (uint8_t)kind;
	}
	for (size_t i = 0; i < s->nused; i++) {
		const struct swept_name *name = &s->names[s->used[i]];
		if (name->kind == cell->kind && (!top || name->ns > top->ns))
			top = name;
	}
	cell->name_id = top ? top->name_id : 0;
	memset(s->kind_ns, 0, sizeof(s->kind_ns));
	s->nused = 0;
}

/* [from, to), within the span and not before what was charged last, goes to the slice. */
static void charge(struct cell_sweep *s, const struct swept_slice *slice, int64_t from_ns,
		   int64_t to_ns)
{
	while (from_ns < to_ns) {
		int64_t end_ns;
		while ((end_ns = cell_start(&s->axis, s->cell + 1)) <= from_ns) {
			close_cell(s);
			s->cell++;
		}
		if (end_ns > to_ns)
			end_ns = to_ns;
		if ((s->nused + 1) * 2 > s->nnames)
			grow(s);
		put(s, slice, end_ns - from_ns);
		s->kind_ns[slice->kind] += end_ns - from_ns;
		s->total_ns[slice->kind] += end_ns - from_ns;
		from_ns = end_ns;
	}
}

/* Charges all until then; slices that end by then are left. */
static void sweep_to(struct cell_sweep *s, int64_t ns)
{
	while (s->nopen && s->at_ns < ns) {
		const struct swept_slice *top = &s->open[s->nopen - 1];
		int64_t end_ns = top->end_ns < ns ? top->end_ns : ns;
		if (end_ns > s->at_ns) {
			charge(s, top, s->at_ns, end_ns);
			s->at_ns = end_ns;
		}
		if (top->end_ns <= s->at_ns)
			s->nopen--;
	}
	if (s->at_ns < ns)
		s->at_ns = ns;
}

void cell_sweep_add(struct cell_sweep *s, const struct swept_slice *slice)
{
	if (slice->end_ns <= s->axis.from_ns || slice->start_ns >= s->axis.until_ns ||
	    slice->end_ns <= slice->start_ns)
		return;
	sweep_to(s, slice->start_ns);
	*ARRAY_PUSH(s->open, s->nopen, s->open_cap) = *slice;
}

void cell_sweep_end(struct cell_sweep *s)
{
	sweep_to(s, s->axis.until_ns);
	close_cell(s);
}

void cell_sweep_release(struct cell_sweep *s)
{
	free(s->open);
	free(s->names);
	free(s->used);
	*s = (struct cell_sweep){ .nopen = 0 };
}
