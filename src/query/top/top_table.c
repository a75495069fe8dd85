/*
 * The operator table as columns: the same bare ones for machines whatever was
 * recorded; for people those that say something, as many as fit the terminal.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/memtable.h"
#include "query/top/top.h"

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
	{ "kind", "Kind", TOP_KIND, UNIT_TEXT, false, 0 },
	{ "input_shapes", "Input shapes", TOP_SHAPES, UNIT_TEXT, true, 0 },
	{ "stack", "Stack", TOP_STACK, UNIT_TEXT, true, 0 },
	{ "overload", "Overload", TOP_OVERLOAD, UNIT_TEXT, true, 0 },
	{ "flops", "Work", TOP_FLOPS, UNIT_FLOPS, true, 0 },
	{ "tensor_core_eligible", "TC eligible", TOP_TENSOR_ELIGIBLE, UNIT_BOOL, true, 0 },
	{ "self_tensor_core_ns", "Self TC", TOP_TENSOR_SELF, UNIT_NS, true, 0 },
	{ "total_tensor_core_ns", "TC total", TOP_TENSOR_TOTAL, UNIT_NS, true, 0 },
	{ "self_tensor_core_pct", "Self TC", TOP_TENSOR_SELF_SHARE, UNIT_PERCENT, true, 0 },
	{ "total_tensor_core_pct", "TC total", TOP_TENSOR_TOTAL_SHARE, UNIT_PERCENT, true, 0 },
	{ "self_tensor_core_unknown_pct", "Self unknown", TOP_TENSOR_SELF_UNKNOWN, UNIT_PERCENT, true, 0 },
	{ "total_tensor_core_unknown_pct", "Unknown", TOP_TENSOR_TOTAL_UNKNOWN, UNIT_PERCENT, true, 0 },
	{ "rank", "Rank", TOP_RANK, UNIT_ID, true, 0 },
	{ "profile", "Profile", TOP_PROFILE, UNIT_TEXT, true, 0 },
	{ "step", "Step", TOP_STEP, UNIT_ID, true, 0 },
	{ "thread", "Thread", TOP_THREAD, UNIT_TEXT, true, 0 },
	{ "stream", "Stream", TOP_STREAM, UNIT_ID, true, 0 },
	{ "category", "Category", TOP_CATEGORY, UNIT_TEXT, true, 0 },
	{ "module", "Module", TOP_MODULE, UNIT_TEXT, true, 0 },
};

static const struct top_heading people[] = {
	{ "name", "Name", TOP_NAME, UNIT_TEXT, false, 0 },
	{ "kind", "Kind", TOP_KIND, UNIT_TEXT, false, 1 },
	{ "rank", "Rank", TOP_RANK, UNIT_ID, true, 0 },
	{ "profile", "Profile", TOP_PROFILE, UNIT_TEXT, true, 0 },
	{ "step", "Step", TOP_STEP, UNIT_ID, true, 0 },
	{ "thread", "Thread", TOP_THREAD, UNIT_TEXT, true, 0 },
	{ "stream", "Stream", TOP_STREAM, UNIT_ID, true, 0 },
	{ "category", "Category", TOP_CATEGORY, UNIT_TEXT, true, 0 },
	{ "module", "Module", TOP_MODULE, UNIT_TEXT, true, 0 },
	{ "overload", "Overload", TOP_OVERLOAD, UNIT_TEXT, true, 0 },
	{ "input_shapes", "Input shapes", TOP_SHAPES, UNIT_TEXT, true, 0 },
	{ "self_cpu_pct", "Self CPU", TOP_SELF_CPU_SHARE, UNIT_PERCENT, false, 7 },
	{ "self_cpu_ns", "Self CPU", TOP_SELF_CPU, UNIT_NS, false, 0 },
	{ "total_cpu_pct", "CPU total", TOP_TOTAL_CPU_SHARE, UNIT_PERCENT, false, 8 },
	{ "total_cpu_ns", "CPU total", TOP_TOTAL_CPU, UNIT_NS, false, 3 },
	{ "avg_cpu_ns", "CPU avg", TOP_AVG_CPU, UNIT_NS, false, 5 },
	{ "self_device_ns", "Self device", TOP_SELF_DEVICE, UNIT_NS, false, 0 },
	{ "self_device_pct", "Self device", TOP_SELF_DEVICE_SHARE, UNIT_PERCENT, false, 6 },
	{ "total_device_ns", "Device total", TOP_TOTAL_DEVICE, UNIT_NS, false, 4 },
	{ "tensor_core_eligible", "TC", TOP_TENSOR_ELIGIBLE, UNIT_BOOL, true, 0 },
	{ "self_tensor_core_pct", "Self TC", TOP_TENSOR_SELF_SHARE, UNIT_PERCENT, true, 0 },
	{ "total_tensor_core_pct", "TC total", TOP_TENSOR_TOTAL_SHARE, UNIT_PERCENT, true, 0 },
	{ "total_tensor_core_unknown_pct", "Unknown", TOP_TENSOR_TOTAL_UNKNOWN, UNIT_PERCENT, true, 0 },
	{ "cpu_mem_bytes", "CPU mem", TOP_CPU_MEM, UNIT_BYTES, false, 10 },
	{ "self_cpu_mem_bytes", "Self CPU mem", TOP_SELF_CPU_MEM, UNIT_BYTES, false, 9 },
	{ "device_mem_bytes", "Device mem", TOP_DEVICE_MEM, UNIT_BYTES, false, 10 },
	{ "self_device_mem_bytes", "Self device mem", TOP_SELF_DEVICE_MEM, UNIT_BYTES, false, 9 },
	{ "flops", "Work", TOP_FLOPS, UNIT_FLOPS, true, 0 },
	{ "calls", "Calls", TOP_CALLS, UNIT_COUNT, false, 0 },
	{ "stack", "Stack", TOP_STACK, UNIT_TEXT, true, 0 },
};

/* clang-format on */

#define NMACHINE (sizeof(machine) / sizeof(*machine))
#define NPEOPLE  (sizeof(people) / sizeof(*people))
#define NMOST    (NMACHINE > NPEOPLE ? NMACHINE : NPEOPLE)

/* Cells that a name keeps before another column has to go, and a kind takes. */
#define NAME_WIDTH      26
#define KIND_WIDTH      6
#define LEAST_WIDTH     6
#define SELF_CPU_LEAVES 2 /* of a table that is sorted by the device's time */
#define GUTTER          2
#define TITLES_MAX      1024

struct choice {
	const struct top_rows *rows;
	const struct scope *scope;
	const struct top_heading *headings[NMOST];
	bool has_no_room[NMOST];
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
	case TOP_TENSOR_ELIGIBLE:
	case TOP_TENSOR_SELF:
	case TOP_TENSOR_TOTAL:
	case TOP_TENSOR_SELF_SHARE:
	case TOP_TENSOR_TOTAL_SHARE:
	case TOP_TENSOR_SELF_UNKNOWN:
	case TOP_TENSOR_TOTAL_UNKNOWN:
		return query->tensor_cores;
	default:
		return column >= TOP_FIRST_SPLIT &&
		       column < TOP_FIRST_SPLIT + NTOP_SPLITS &&
		       by->split[top_split(column)];
	}
}

/* Of the host alone: what a piece of device work cannot have. */
static bool is_of_host(enum top_column column)
{
	return column == TOP_SELF_CPU || column == TOP_TOTAL_CPU ||
	       column == TOP_AVG_CPU || column == TOP_CPU_MEM ||
	       column == TOP_SELF_CPU_MEM || column == TOP_SELF_CPU_SHARE ||
	       column == TOP_TOTAL_CPU_SHARE;
}

/* torch has 0 for the host's time of a kernel, which has none. */
static struct cell cell_of(const struct choice *c, uint32_t row, enum top_column column)
{
	if (is_of_host(column) && top_is_device_row(c->rows, row))
		return cell_null();
	return top_cell(c->rows, c->scope, row, column);
}

/* Rows shown of one kind: the host's, device work, or spans of labels. */
struct kinds {
	size_t host, device, spans;
};

static struct kinds count_kinds(const struct choice *c)
{
	struct kinds kinds = { 0, 0, 0 };

	for (size_t i = 0; i < c->rows->norder; i++) {
		uint32_t row = c->rows->order[i];
		if (!top_is_device_row(c->rows, row))
			kinds.host++;
		else if (c->rows->stats.rows[row].key.kind == OP_DEVICE)
			kinds.device++;
		else
			kinds.spans++;
	}
	return kinds;
}

/* A kind says something where one label or operator can stand there twice. */
static bool has_kinds(const struct choice *c)
{
	struct kinds kinds = count_kinds(c);

	return kinds.spans || (kinds.host && kinds.device);
}

/* Does no row say anything?  Of some columns 0 says nothing either. */
static bool is_empty(const struct choice *c, enum top_column column)
{
	bool zero_says_nothing = column == TOP_DEVICE_MEM ||
				 column == TOP_SELF_DEVICE_MEM ||
				 column == TOP_TENSOR_TOTAL_UNKNOWN;

	if (column == TOP_KIND)
		return !has_kinds(c);
	for (size_t i = 0; i < c->rows->norder; i++) {
		struct cell cell = cell_of(c, c->rows->order[i], column);
		bool is_zero =
			cell.type == CELL_REAL ? cell.as.real == 0 : cell.as.integer == 0;
		if (cell.type != CELL_NULL && !(zero_says_nothing && is_zero))
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
	if (h->column == TOP_KIND)
		return KIND_WIDTH + GUTTER;
	return (heading < LEAST_WIDTH ? LEAST_WIDTH : heading) + GUTTER;
}

/* The next column to leave a line that is too long, or n. */
static size_t first_to_leave(const struct choice *c)
{
	size_t found = c->n;
	int most = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct top_heading *h = c->headings[i];
		int leaves = h->leaves;
		if (h->column == TOP_SELF_CPU && top_is_device_time(c->rows->sorted_by))
			leaves = SELF_CPU_LEAVES;
		if (leaves > most && h->column != c->rows->sorted_by &&
		    !c->has_no_room[i]) {
			most = leaves;
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
			if (!c->has_no_room[i])
				needed += likely_width(c->headings[i]);
		if (needed <= (size_t)width || at == c->n)
			return;
		c->has_no_room[at] = true;
	}
}

/* "CPU total, CPU avg": the titles of what has no room, which leaves here. */
static void leave(struct choice *c, struct buf *titles)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct top_heading *h = c->headings[i];
		if (c->has_no_room[i])
			buf_addf(titles, "%s%s%s", titles->n ? ", " : "", h->title,
				 h->unit == UNIT_PERCENT ? " %" : "");
		else
			c->headings[kept++] = h;
	}
	c->n = kept;
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

static void add_notes(struct memtable *m, const struct choice *c,
		      const struct top_query *query, const struct buf *no_room)
{
	const bool *split = query->by.split;
	bool is_split = split[top_split(TOP_RANK)] || split[top_split(TOP_PROFILE)];
	const char *note = is_split ? NULL : top_scope_note(c->scope, &m->arena);

	if (note)
		memtable_add_note(m, "%s", note);
	note = top_sort_note(c->rows, c->scope, query, &m->arena);
	if (note)
		memtable_add_note(m, "%s", note);
	for (size_t i = 0; i < c->n; i++)
		if (c->headings[i]->column == TOP_KIND && count_kinds(c).spans)
			memtable_add_note(
				m,
				"span: a label on the device; its time includes "
				"idle time%s",
				query->spans_last ? ", so it comes last" : "");
	if (no_room->n)
		memtable_add_note(m, "hidden: " STR_FMT "; -o FILE.csv has all columns",
				  STR_ARG(buf_str(no_room)));
}

struct table *top_table(const struct top_rows *rows, const struct scope *scope,
			const struct top_query *query, const struct top_style *style)
{
	struct choice c = { .rows = rows, .scope = scope };
	struct cell cells[NMOST];
	struct buf no_room;

	buf_init(&no_room, TITLES_MAX);
	choose(&c, query, style);
	leave(&c, &no_room);
	struct memtable *m = memtable_new(NULL, c.n);
	struct column *columns = arena_alloc(&m->arena, c.n * sizeof(*columns));
	for (size_t i = 0; i < c.n; i++)
		columns[i] = (struct column){ c.headings[i]->name, c.headings[i]->title,
					      c.headings[i]->unit };
	m->table.columns = columns;
	for (size_t row = 0; row < rows->norder; row++) {
		for (size_t i = 0; i < c.n; i++)
			cells[i] = cell_of(&c, rows->order[row], c.headings[i]->column);
		memtable_add_row(m, cells);
	}
	m->table.total_rows = (int64_t)rows->nmatched;
	m->table.share = top_shown_share(rows, &m->arena);
	add_notes(m, &c, query, &no_room);
	buf_release(&no_room);
	return &m->table;
}
