/*
 * The operator table as columns: the same bare ones for machines whatever was
 * recorded; for people those that say something, as many as fit the terminal.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/memtable.h"
#include "query/top.h"

struct top_heading {
	const char *name, *title;
	enum top_column column;
	enum unit unit;
	bool is_asked_for; /* there only with its --by or --flops */
	int leaves; /* on a narrow terminal the largest number goes first; 0 stays */
};

/* clang-format off */
/* For machines in this order; people see splits behind the name, and calls last. */
static const struct top_heading machine[] = {
	{ "name", "Name", TOP_NAME, UNIT_TEXT, false, 0 },
	{ "calls", "Calls", TOP_CALLS, UNIT_COUNT, false, 0 },
	{ "self_cpu_ns", "Self CPU", TOP_SELF_CPU, UNIT_NS, false, 0 },
	{ "total_cpu_ns", "CPU total", TOP_TOTAL_CPU, UNIT_NS, false, 0 },
	{ "avg_cpu_ns", "CPU avg", TOP_AVG_CPU, UNIT_NS, false, 0 },
	{ "self_device_ns", "Self device", TOP_SELF_DEVICE, UNIT_NS, false, 0 },
	{ "total_device_ns", "Device total", TOP_TOTAL_DEVICE, UNIT_NS, false, 0 },
	{ "cpu_mem_bytes", "CPU mem", TOP_CPU_MEM, UNIT_BYTES, false, 0 },
	{ "self_cpu_mem_bytes", "Self CPU mem", TOP_SELF_CPU_MEM, UNIT_BYTES, false, 0 },
	{ "device_mem_bytes", "Device mem", TOP_DEVICE_MEM, UNIT_BYTES, false, 0 },
	{ "self_device_mem_bytes", "Self device mem", TOP_SELF_DEVICE_MEM, UNIT_BYTES, false, 0 },
	{ "is_user_annotation", "Label", TOP_IS_ANNOTATION, UNIT_BOOL, false, 0 },
	{ "input_shapes", "Input shapes", TOP_SHAPES, UNIT_TEXT, true, 0 },
	{ "stack", "Stack", TOP_STACK, UNIT_TEXT, true, 0 },
	{ "overload", "Overload", TOP_OVERLOAD, UNIT_TEXT, true, 0 },
	{ "flops", "Work", TOP_FLOPS, UNIT_FLOPS, true, 0 },
	{ "rank", "Rank", TOP_RANK, UNIT_COUNT, true, 0 },
	{ "profile", "Profile", TOP_PROFILE, UNIT_TEXT, true, 0 },
	{ "step", "Step", TOP_STEP, UNIT_COUNT, true, 0 },
	{ "thread", "Thread", TOP_THREAD, UNIT_TEXT, true, 0 },
	{ "stream", "Stream", TOP_STREAM, UNIT_COUNT, true, 0 },
	{ "category", "Category", TOP_CATEGORY, UNIT_TEXT, true, 0 },
	{ "module", "Module", TOP_MODULE, UNIT_TEXT, true, 0 },
};

static const struct top_heading people[] = {
	{ "name", "Name", TOP_NAME, UNIT_TEXT, false, 0 },
	{ "rank", "Rank", TOP_RANK, UNIT_COUNT, true, 0 },
	{ "profile", "Profile", TOP_PROFILE, UNIT_TEXT, true, 0 },
	{ "step", "Step", TOP_STEP, UNIT_COUNT, true, 0 },
	{ "thread", "Thread", TOP_THREAD, UNIT_TEXT, true, 0 },
	{ "stream", "Stream", TOP_STREAM, UNIT_COUNT, true, 0 },
	{ "category", "Category", TOP_CATEGORY, UNIT_TEXT, true, 0 },
	{ "module", "Module", TOP_MODULE, UNIT_TEXT, true, 0 },
	{ "overload", "Overload", TOP_OVERLOAD, UNIT_TEXT, true, 0 },
	{ "input_shapes", "Input shapes", TOP_SHAPES, UNIT_TEXT, true, 0 },
	{ "self_cpu_pct", "Self CPU", TOP_SELF_CPU_SHARE, UNIT_PERCENT, false, 6 },
	{ "self_cpu_ns", "Self CPU", TOP_SELF_CPU, UNIT_NS, false, 0 },
	{ "total_cpu_pct", "CPU total", TOP_TOTAL_CPU_SHARE, UNIT_PERCENT, false, 7 },
	{ "total_cpu_ns", "CPU total", TOP_TOTAL_CPU, UNIT_NS, false, 1 },
	{ "avg_cpu_ns", "CPU avg", TOP_AVG_CPU, UNIT_NS, false, 3 },
	{ "self_device_ns", "Self device", TOP_SELF_DEVICE, UNIT_NS, false, 0 },
	{ "self_device_pct", "Self device", TOP_SELF_DEVICE_SHARE, UNIT_PERCENT, false, 4 },
	{ "total_device_ns", "Device total", TOP_TOTAL_DEVICE, UNIT_NS, false, 2 },
	{ "cpu_mem_bytes", "CPU mem", TOP_CPU_MEM, UNIT_BYTES, false, 9 },
	{ "self_cpu_mem_bytes", "Self CPU mem", TOP_SELF_CPU_MEM, UNIT_BYTES, false, 8 },
	{ "device_mem_bytes", "Device mem", TOP_DEVICE_MEM, UNIT_BYTES, false, 9 },
	{ "self_device_mem_bytes", "Self device mem", TOP_SELF_DEVICE_MEM, UNIT_BYTES, false, 8 },
	{ "flops", "Work", TOP_FLOPS, UNIT_FLOPS, true, 0 },
	{ "calls", "Calls", TOP_CALLS, UNIT_COUNT, false, 0 },
	{ "stack", "Stack", TOP_STACK, UNIT_TEXT, true, 0 },
};

/* clang-format on */

#define NMACHINE (sizeof(machine) / sizeof(*machine))
#define NPEOPLE  (sizeof(people) / sizeof(*people))
#define NMOST    (NMACHINE > NPEOPLE ? NMACHINE : NPEOPLE)

/* Cells that a name keeps before another column has to go. */
#define NAME_WIDTH  26
#define LEAST_WIDTH 6
#define GUTTER      2

struct choice {
	const struct top_rows *rows;
	const struct scope *scope;
	const struct top_heading *headings[NMOST];
	size_t n;
};

static bool is_asked(const struct top_query *query, enum top_column column)
{
	const struct top_by *by = &query->by;

	switch ((int)column) {
	case TOP_SHAPES:
		return by->shape;
	case TOP_STACK:
		return by->stack;
	case TOP_OVERLOAD:
		return by->overload;
	case TOP_FLOPS:
		return query->flops;
	default:
		return column >= TOP_FIRST_SPLIT &&
		       column < TOP_FIRST_SPLIT + NTOP_SPLITS &&
		       by->split[top_split(column)];
	}
}

/* Does no row say anything?  Of device memory 0 says nothing either. */
static bool is_empty(const struct choice *c, enum top_column column)
{
	bool zero_says_nothing =
		column == TOP_DEVICE_MEM || column == TOP_SELF_DEVICE_MEM;

	for (size_t i = 0; i < c->rows->norder; i++) {
		struct cell cell = top_cell(c->rows, c->scope, c->rows->order[i], column);
		if (cell.type != CELL_NULL &&
		    !(zero_says_nothing && cell.as.integer == 0))
			return false;
	}
	return true;
}

/* Cells that a column of numbers takes: its heading with a unit, or a number. */
static size_t likely_width(const struct top_heading *h)
{
	size_t heading = strlen(h->title) + (h->unit == UNIT_COUNT ? 0 : strlen(" (ms)"));

	if (h->column == TOP_NAME)
		return NAME_WIDTH;
	return (heading < LEAST_WIDTH ? LEAST_WIDTH : heading) + GUTTER;
}

/* The next column to leave a line that is too long, or n. */
static size_t first_to_leave(const struct choice *c)
{
	size_t found = c->n;
	int most = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct top_heading *h = c->headings[i];
		if (h->leaves > most && h->column != c->rows->sorted_by) {
			most = h->leaves;
			found = i;
		}
	}
	return found;
}

static void fit(struct choice *c, int width)
{
	for (;;) {
		size_t needed = 0, at = first_to_leave(c);
		for (size_t i = 0; i < c->n; i++)
			needed += likely_width(c->headings[i]);
		if (needed <= (size_t)width || at == c->n)
			return;
		for (c->n--; at < c->n; at++)
			c->headings[at] = c->headings[at + 1];
	}
}

static void choose(struct choice *c, const struct top_query *query,
		   const struct top_style *style)
{
	const struct top_heading *all = style->people ? people : machine;
	size_t n = style->people ? NPEOPLE : NMACHINE;

	for (size_t i = 0; i < n; i++) {
		if (all[i].is_asked_for && !is_asked(query, all[i].column))
			continue;
		if (style->people && all[i].column != TOP_NAME &&
		    is_empty(c, all[i].column))
			continue;
		c->headings[c->n++] = &all[i];
	}
	if (style->people && style->width > 0)
		fit(c, style->width);
}

static bool is_of_device(enum top_column column)
{
	return column == TOP_SELF_DEVICE || column == TOP_TOTAL_DEVICE ||
	       column == TOP_AVG_DEVICE;
}

/* What part of the time the rows shown make up; NULL when all are shown. */
static const char *shown_share(const struct top_rows *rows, struct arena *arena)
{
	bool device = is_of_device(rows->sorted_by) && rows->self_device_ns > 0;
	int64_t whole = device ? rows->self_device_ns : rows->self_cpu_ns;
	double shown = 0;

	for (size_t i = 0; i < rows->norder; i++) {
		uint32_t row = rows->order[i];
		const struct opstat_sums *s = &rows->stats.rows[row].sums;
		if (!device)
			shown += (double)s->self_ns;
		else if (top_is_device_row(rows, row))
			shown += (double)s->self_device_ns;
	}
	if (whole <= 0 || rows->norder == rows->stats.n)
		return NULL;
	return arena_printf(arena, "%.1f%% of self %s time",
			    100.0 * shown / (double)whole, device ? "device" : "CPU");
}

struct table *top_table(const struct top_rows *rows, const struct scope *scope,
			const struct top_query *query, const struct top_style *style)
{
	struct choice c = { .rows = rows, .scope = scope };
	struct cell cells[NMOST];

	choose(&c, query, style);
	struct memtable *m = memtable_new(NULL, c.n);
	struct column *columns = arena_alloc(&m->arena, c.n * sizeof(*columns));
	for (size_t i = 0; i < c.n; i++)
		columns[i] = (struct column){ c.headings[i]->name, c.headings[i]->title,
					      c.headings[i]->unit };
	m->table.columns = columns;
	for (size_t row = 0; row < rows->norder; row++) {
		for (size_t i = 0; i < c.n; i++)
			cells[i] = top_cell(rows, scope, rows->order[row],
					    c.headings[i]->column);
		memtable_add_row(m, cells);
	}
	m->table.total_rows = (int64_t)rows->nmatched;
	m->table.share = shown_share(rows, &m->arena);
	bool is_split = query->by.split[top_split(TOP_RANK)] ||
			query->by.split[top_split(TOP_PROFILE)];
	const char *note = is_split ? NULL : top_scope_note(scope, &m->arena);
	if (note)
		memtable_add_note(m, "%s", note);
	return &m->table;
}
