/*
 * Ranks by steps for people: a line of blocks a rank, a block a step, as high as what
 * others waited because of that rank in that step.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bars.h"
#include "base/memtable.h"
#include "base/units.h"
#include "query/ranks/ranks.h"

#define LINES_MOST \
	32 /* ranks that are next to each other share a line where there are more */
#define CELLS_MOST 60   /* likewise steps a cell */
#define LITTLE     0.06 /* of the largest: less is a blank */

struct heat {
	double *cells;        /* owned: lines x nsteps, the largest of each */
	size_t nlines, width; /* ranks a line */
	double most;
};

static void find_cells(const struct ranks *r, struct heat *h)
{
	size_t n = r->matches.nparticipants;

	h->width = (n + LINES_MOST - 1) / LINES_MOST;
	h->nlines = (n + h->width - 1) / h->width;
	h->cells = xcalloc((h->nlines * r->nsteps) + 1, sizeof(*h->cells));
	for (size_t p = 0; p < n; p++)
		for (size_t i = 0; i < r->facts[p].nsteps; i++) {
			double ns = (double)r->models[p].steps[i].late_ns;
			size_t at = ranks_step_place(r, r->facts[p].steps[i].number);
			double *cell = &h->cells[(p / h->width * r->nsteps) + at];
			*cell = ns > *cell ? ns : *cell;
			h->most = ns > h->most ? ns : h->most;
		}
}

static const struct column columns[] = {
	{ "ranks", "Ranks", UNIT_TEXT },
	{ "heat", "Caused waiting", UNIT_TEXT },
};

static void add_line(const struct ranks *r, struct heat *h, size_t line,
		     struct memtable *to)
{
	const struct comm_participant *who = r->matches.participants;
	size_t first = line * h->width, last = first + h->width - 1;
	double *cells = h->cells + (line * r->nsteps);
	size_t n = bars_squeeze(cells, r->nsteps, CELLS_MOST);
	struct buf text;

	if (last >= r->matches.nparticipants)
		last = r->matches.nparticipants - 1;
	buf_init(&text, SIZE_MAX);
	for (size_t i = 0; i < n; i++)
		bars_add_cover(&text,
			       cells[i] < h->most * LITTLE ? 0 : cells[i] / h->most);
	const char *ranks =
		who[first].profile->rank == who[last].profile->rank
			? arena_printf(&to->arena, "%" PRId64, who[first].profile->rank)
			: arena_printf(&to->arena, "%" PRId64 "..%" PRId64,
				       who[first].profile->rank, who[last].profile->rank);
	const struct cell row[] = { cell_text(str_of(ranks)), cell_text(buf_str(&text)) };
	memtable_add_row(to, row);
	buf_release(&text);
}

struct memtable *ranks_heat(const struct ranks *r)
{
	struct heat h = { .cells = NULL };
	char most[UNITS_TEXT_MAX];

	if (r->nsteps < 2 || !r->waits.n)
		return NULL;
	find_cells(r, &h);
	if (h.most <= 0) {
		free(h.cells);
		return NULL;
	}
	struct memtable *m = memtable_new(columns, 2);
	struct str largest = units_text(UNIT_NS, cell_int((int64_t)h.most), most);
	m->table.caption = arena_printf(
		&m->arena,
		"How long others waited because of each rank, step by step: a full block "
		"is " STR_FMT "%s%s",
		STR_ARG(largest),
		h.width > 1 ? "; ranks that share a line show the largest" : "",
		r->nsteps > CELLS_MOST ? "; likewise steps that share a block" : "");
	for (size_t i = 0; i < h.nlines; i++)
		add_line(r, &h, i, m);
	free(h.cells);
	return m;
}
