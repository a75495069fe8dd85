/*
 * The operator table as columns: the same bare ones for machines whatever was
 * recorded; for people those that say something, as many as fit the terminal.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/memtable.h"
#include "query/top.h"

/* When a column is there. */
enum when { ALWAYS, MACHINE, PEOPLE, ASKED };

struct top_heading {
	enum top_column column;
	const char *name, *title;
	enum unit unit;
	enum when when;
	/*
	 * On a narrow terminal the columns with the largest number go first; 0
	 * stays.
	 */
	int leaves;
};

/* For machines in this order; people see splits behind the name, and calls last. */
static const struct top_heading machine[] = {
	{ TOP_NAME, "name", "Name", UNIT_TEXT, ALWAYS, 0 },
	{ TOP_CALLS, "calls", "Calls", UNIT_COUNT, ALWAYS, 0 },
	{ TOP_SELF_CPU, "self_cpu_ns", "Self CPU", UNIT_NS, ALWAYS, 0 },
	{ TOP_TOTAL_CPU, "total_cpu_ns", "CPU total", UNIT_NS, ALWAYS, 0 },
	{ TOP_AVG_CPU, "avg_cpu_ns", "CPU avg", UNIT_NS, ALWAYS, 0 },
	{ TOP_SELF_DEVICE, "self_device_ns", "Self device", UNIT_NS, ALWAYS, 0 },
	{ TOP_TOTAL_DEVICE, "total_device_ns", "Device total", UNIT_NS, ALWAYS, 0 },
	{ TOP_CPU_MEM, "cpu_mem_bytes", "CPU mem", UNIT_BYTES, ALWAYS, 0 },
	{ TOP_SELF_CPU_MEM, "self_cpu_mem_bytes", "Self CPU mem", UNIT_BYTES, ALWAYS, 0 },
	{ TOP_DEVICE_MEM, "device_mem_bytes", "Device mem", UNIT_BYTES, ALWAYS, 0 },
	{ TOP_SELF_DEVICE_MEM, "self_device_mem_bytes", "Self device mem", UNIT_BYTES, ALWAYS, 0 },
	{ TOP_IS_ANNOTATION, "is_user_annotation", "Label", UNIT_BOOL, ALWAYS, 0 },
	{ TOP_SHAPES, "input_shapes", "Input shapes", UNIT_TEXT, ASKED, 0 },
	{ TOP_STACK, "stack", "Stack", UNIT_TEXT, ASKED, 0 },
	{ TOP_OVERLOAD, "overload", "Overload", UNIT_TEXT, ASKED, 0 },
	{ TOP_FLOPS, "flops", "Work", UNIT_FLOPS, ASKED, 0 },
	{ TOP_RANK, "rank", "Rank", UNIT_COUNT, ASKED, 0 },
	{ TOP_PROFILE, "profile", "Profile", UNIT_TEXT, ASKED, 0 },
	{ TOP_STEP, "step", "Step", UNIT_COUNT, ASKED, 0 },
	{ TOP_THREAD, "thread", "Thread", UNIT_TEXT, ASKED, 0 },
	{ TOP_STREAM, "stream", "Stream", UNIT_COUNT, ASKED, 0 },
	{ TOP_CATEGORY, "category", "Category", UNIT_TEXT, ASKED, 0 },
	{ TOP_MODULE, "module", "Module", UNIT_TEXT, ASKED, 0 },
};

static const struct top_heading people[] = {
	{ TOP_NAME, "name", "Name", UNIT_TEXT, ALWAYS, 0 },
	{ TOP_RANK, "rank", "Rank", UNIT_COUNT, ASKED, 0 },
	{ TOP_PROFILE, "profile", "Profile", UNIT_TEXT, ASKED, 0 },
	{ TOP_STEP, "step", "Step", UNIT_COUNT, ASKED, 0 },
	{ TOP_THREAD, "thread", "Thread", UNIT_TEXT, ASKED, 0 },
	{ TOP_STREAM, "stream", "Stream", UNIT_COUNT, ASKED, 0 },
	{ TOP_CATEGORY, "category", "Category", UNIT_TEXT, ASKED, 0 },
	{ TOP_MODULE, "module", "Module", UNIT_TEXT, ASKED, 0 },
	{ TOP_OVERLOAD, "overload", "Overload", UNIT_TEXT, ASKED, 0 },
	{ TOP_SHAPES, "input_shapes", "Input shapes", UNIT_TEXT, ASKED, 0 },
	{ TOP_SELF_CPU_SHARE, "self_cpu_pct", "Self CPU", UNIT_PERCENT, ALWAYS, 6 },
	{ TOP_SELF_CPU, "self_cpu_ns", "Self CPU", UNIT_NS, ALWAYS, 0 },
	{ TOP_TOTAL_CPU_SHARE, "total_cpu_pct", "CPU total", UNIT_PERCENT, ALWAYS, 7 },
	{ TOP_TOTAL_CPU, "total_cpu_ns", "CPU total", UNIT_NS, ALWAYS, 1 },
	{ TOP_AVG_CPU, "avg_cpu_ns", "CPU avg", UNIT_NS, ALWAYS, 3 },
	{ TOP_SELF_DEVICE, "self_device_ns", "Self device", UNIT_NS, ALWAYS, 0 },
	{ TOP_SELF_DEVICE_SHARE, "self_device_pct", "Self device", UNIT_PERCENT, ALWAYS, 4 },
	{ TOP_TOTAL_DEVICE, "total_device_ns", "Device total", UNIT_NS, ALWAYS, 2 },
	{ TOP_CPU_MEM, "cpu_mem_bytes", "CPU mem", UNIT_BYTES, ALWAYS, 9 },
	{ TOP_SELF_CPU_MEM, "self_cpu_mem_bytes", "Self CPU mem", UNIT_BYTES, ALWAYS, 8 },
	{ TOP_DEVICE_MEM, "device_mem_bytes", "Device mem", UNIT_BYTES, ALWAYS, 9 },
	{ TOP_SELF_DEVICE_MEM, "self_device_mem_bytes", "Self device mem", UNIT_BYTES, ALWAYS, 8 },
	{ TOP_FLOPS, "flops", "Work", UNIT_FLOPS, ASKED, 0 },
	{ TOP_CALLS, "calls", "Calls", UNIT_COUNT, ALWAYS, 0 },
	{ TOP_STACK, "stack", "Stack", UNIT_TEXT, ASKED, 0 },
};

#define NMACHINE (sizeof(machine) / sizeof(*machine))
#define NPEOPLE  (sizeof(people) / sizeof(*people))
#define NMOST    (NMACHINE > NPEOPLE ? NMACHINE : NPEOPLE)

/* Cells that a name keeps before another column has to go. */
#define NAME_WIDTH 28
#define GUTTER     2

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
		return column >= TOP_FIRST_SPLIT && column < TOP_FIRST_SPLIT + NTOP_SPLITS &&
		       by->split[column - TOP_FIRST_SPLIT];
	}
}

static bool is_empty(const struct choice *c, enum top_column column)
{
	for (size_t i = 0; i < c->rows->norder; i++)
		if (top_cell(c->rows, c->scope, c->rows->order[i], column).type != CELL_NULL)
			return false;
	return true;
}

/* Cells that a column of numbers takes: its heading with a unit, or a number. */
static size_t likely_width(const struct top_heading *h)
{
	size_t heading = strlen(h->title) + (h->unit == UNIT_COUNT ? 0 : strlen(" (ms)"));

	if (h->column == TOP_NAME)
		return NAME_WIDTH;
	return (heading < 8 ? 8 : heading) + GUTTER;
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
		memmove(&c->headings[at], &c->headings[at + 1],
			(--c->n - at) * sizeof(c->headings[0]));
	}
}

static void choose(struct choice *c, const struct top_query *query,
		   const struct top_style *style)
{
	const struct top_heading *all = style->people ? people : machine;
	size_t n = style->people ? NPEOPLE : NMACHINE;

	for (size_t i = 0; i < n; i++) {
		if (all[i].when == ASKED && !is_asked(query, all[i].column))
			continue;
		if (style->people && all[i].column != TOP_NAME && is_empty(c, all[i].column))
			continue;
		c->headings[c->n++] = &all[i];
	}
	if (style->people && style->width > 0)
		fit(c, style->width);
}

static bool is_of_device(enum top_column column)
{
	return column == TOP_SELF_DEVICE || column == TOP_TOTAL_DEVICE || column == TOP_AVG_DEVICE;
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
	return arena_printf(arena, "%.1f%% of self %s time", 100.0 * shown / (double)whole,
			    device ? "device" : "CPU");
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
			cells[i] = top_cell(rows, scope, rows->order[row], c.headings[i]->column);
		memtable_add_row(m, cells);
	}
	m->table.total_rows = (int64_t)rows->nmatched;
	m->table.share = shown_share(rows, &m->arena);
	const char *note = top_scope_note(scope, &m->arena);
	if (note)
		memtable_add_note(m, "%s", note);
	return &m->table;
}
