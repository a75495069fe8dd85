/* Causes of idle time below a timeline: see cell_causes.h. */
#include "query/timeline/cell_causes.h"

#include <stdlib.h>

#include "base/sum.h"
#include "base/units.h"
#include "query/view.h"

static int compare_sums(const void *a, const void *b)
{
	const struct cell_cause *x = a, *y = b;

	if (x->idle_ns != y->idle_ns)
		return x->idle_ns > y->idle_ns ? -1 : 1;
	return (x->cause > y->cause) - (x->cause < y->cause);
}

void cell_causes_rank(const struct cell_rows *r, int64_t lines, struct cell_ranking *out)
{
	size_t most = cell_causes_most(lines);
	int64_t most_ns[NGAP_CAUSES] = { 0 };

	*out = (struct cell_ranking){ .n = 0 };
	for (size_t i = 0; i < NGAP_CAUSES; i++)
		out->sums[i].cause = (enum gap_cause)i;
	for (size_t i = 0; i < r->ncauses; i++) {
		const struct cell_cause *c = &r->causes[i];
		struct cell_cause *sum = &out->sums[c->cause];
		sum->idle_ns = sum_add(sum->idle_ns, c->idle_ns);
		if (c->idle_ns > most_ns[c->cause]) {
			most_ns[c->cause] = c->idle_ns;
			sum->blamed = c->blamed;
		}
	}
	qsort(out->sums, NGAP_CAUSES, sizeof(out->sums[0]), compare_sums);
	for (size_t i = 0; i < NGAP_CAUSES; i++) {
		out->places[out->sums[i].cause] = i;
		out->n += out->sums[i].idle_ns > 0;
	}
	out->nshown = out->n <= most + 1 ? out->n : most;
}

size_t cell_cause_place(const struct cell_ranking *ranking, uint8_t cause)
{
	size_t place = ranking->places[cause];

	return place < ranking->nshown ? place : CELL_CAUSES_MOST;
}

enum { NUMBER, TITLE, IDLE, SHARE, LOOK_AT, NCOLUMNS };

#define CELL(place) .get = view_cell, .arg = (place), .flags = FIELD_PEOPLE

/* clang-format off */
static const struct field fields[] = {
	{ "number", "#", NULL, NULL, UNIT_TEXT, CELL(NUMBER) },
	{ "cause", "Cause", NULL, NULL, UNIT_TEXT, CELL(TITLE), .least = 24 },
	{ "idle_ns", "Idle", NULL, NULL, UNIT_NS, CELL(IDLE) },
	{ "share_pct", "Idle", NULL, NULL, UNIT_PERCENT, CELL(SHARE) },
	{ "look_at", "Look at", NULL, NULL, UNIT_TEXT, CELL(LOOK_AT), .least = 20 },
	{ .name = NULL },
};
/* clang-format on */

static const struct view causes_view = {
	.name = "timeline causes",
	.fields = fields,
	.people = VIEW_PART("number cause idle_ns! share_pct! look_at"),
	.is_form = true,
};

static void add_row(struct memtable *to, const char *number, const char *title,
		    const struct cell_cause *sum, int64_t all_ns)
{
	const struct cell cells[NCOLUMNS] = {
		[NUMBER] = cell_text(str_of(number)),
		[TITLE] = cell_text(str_of(title)),
		[IDLE] = cell_int(sum->idle_ns),
		[SHARE] = cell_real(percent_of(sum->idle_ns, all_ns)),
		[LOOK_AT] = sum->blamed.n ? cell_text(sum->blamed) : cell_null(),
	};

	memtable_add_row(to, cells);
}

static void add_rows(const struct cell_ranking *ranking, struct memtable *to)
{
	struct cell_cause others = { .idle_ns = 0 };
	int64_t all_ns = 0;

	for (size_t i = 0; i < ranking->n; i++) {
		all_ns = sum_add(all_ns, ranking->sums[i].idle_ns);
		if (i >= ranking->nshown)
			others.idle_ns =
				sum_add(others.idle_ns, ranking->sums[i].idle_ns);
	}
	for (size_t i = 0; i < ranking->nshown; i++) {
		const struct cell_cause *sum = &ranking->sums[i];
		const char number[] = { (char)('1' + i), '\0' };
		add_row(to, number, gap_causes[sum->cause].title, sum, all_ns);
	}
	if (ranking->n > ranking->nshown)
		add_row(to, "+",
			arena_printf(&to->arena, "%zu others",
				     ranking->n - ranking->nshown),
			&others, all_ns);
}

/* "Idle: 25.023 ms (19.7%) of 126.824 ms" */
static const char *caption_of(const struct cell_rows *r, struct arena *arena)
{
	char idle[UNITS_TEXT_MAX], span[UNITS_TEXT_MAX];
	int64_t idle_ns = 0, span_ns = 0;

	for (size_t i = 0; i < r->ndevices; i++) {
		idle_ns = sum_add(idle_ns, r->devices[i].idle_ns);
		span_ns = sum_add(span_ns, r->devices[i].span_ns);
	}
	units_text(UNIT_NS, cell_int(idle_ns), idle);
	units_text(UNIT_NS, cell_int(span_ns), span);
	if (r->ndevices > 1)
		return arena_printf(arena, "Idle, %zu devices: %s (%.1f%%) of %s",
				    r->ndevices, idle, percent_of(idle_ns, span_ns),
				    span);
	return arena_printf(arena, "Idle: %s (%.1f%%) of %s", idle,
			    percent_of(idle_ns, span_ns), span);
}

struct memtable *cell_causes_table(const struct cell_rows *r,
				   const struct cell_ranking *ranking)
{
	const struct view_request show = { .for_people = true };
	struct memtable *rows = memtable_new(NULL, NCOLUMNS);

	add_rows(ranking, rows);
	struct memtable *m = view_of_cells(&causes_view, rows, r->scope, &show);
	table_free(&rows->table);
	m->table.caption = caption_of(r, &m->arena);
	return m;
}
