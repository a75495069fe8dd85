/* The rows of a comparison as people see them: see diff_table.h. */
#include <math.h>

#include "base/units.h"
#include "base/utf8.h"
#include "query/diff/diff_table.h"
#include "query/short_name.h"

enum {
	NAME,
	BASE,
	NEW,
	DELTA,
	CHANGE,
	FROM_CALLS,
	FROM_DURATION,
	CALLS, /* of both sides */
	Q,
	NCOLUMNS
};

#define COLUMNS(unit, suffix)                                                         \
	{                                                                             \
		[NAME] = { "name", "Name", UNIT_TEXT },                               \
		[BASE] = { "base_" suffix, "Base", unit },                            \
		[NEW] = { "new_" suffix, "New", unit },                               \
		[DELTA] = { "delta_" suffix, "Delta", unit },                         \
		[CHANGE] = { "delta_pct", "Change %", UNIT_PERCENT },                 \
		[FROM_CALLS] = { "from_calls_" suffix, "From call count", unit },     \
		[FROM_DURATION] = { "from_duration_" suffix, "From duration", unit }, \
		[CALLS] = { "calls", "Calls", UNIT_TEXT },                            \
		[Q] = { "q", "Adj. p", UNIT_RATIO },                                  \
	}

static const struct column ns_columns[NCOLUMNS] = COLUMNS(UNIT_NS, "ns");
static const struct column bytes_columns[NCOLUMNS] = COLUMNS(UNIT_BYTES, "bytes");
static const struct column count_columns[NCOLUMNS] = COLUMNS(UNIT_COUNT, "count");

/* Cells that columns beside the name take with their gutters; calls are measured. */
static const int widths[NCOLUMNS] = {
	[BASE] = 12,       [NEW] = 12,           [DELTA] = 13, [CHANGE] = 11,
	[FROM_CALLS] = 22, [FROM_DURATION] = 20, [CALLS] = 2,  [Q] = 8,
};

/* Widths of a terminal that have room for both sides, and for the split of a delta. */
#define WIDE   112
#define WIDEST 144

#define NAME_LEAST 30 /* cells, on any terminal */
#define BECAME     " => "

/* "12", "3.50": calls a step need not be whole. */
static const char *calls_text(const struct diff *d, const struct diff_row *row,
			      enum diff_which which, struct arena *arena)
{
	static const struct scale whole = { UNIT_COUNT, 1, "", 0 },
				  part = { UNIT_COUNT, 1, "", 1 };
	struct cell cell = diff_calls_cell(d, row, which);
	char text[UNITS_TEXT_MAX];
	struct str s = units_cell(cell.type == CELL_INT ? whole : part, cell, text);

	return arena_copy(arena, s).p;
}

static struct cell both_calls(const struct diff *d, const struct diff_row *row,
			      struct arena *arena)
{
	const char *base = calls_text(d, row, DIFF_BASE, arena);
	const char *new_side = calls_text(d, row, DIFF_NEW, arena);

	if (row->status == DIFF_ADDED)
		base = "0";
	if (row->status == DIFF_REMOVED)
		new_side = "0";
	if (strcmp(base, new_side) == 0)
		return cell_text(str_of(base));
	return cell_text(str_of(arena_printf(arena, "%s -> %s", base, new_side)));
}

static struct cell change_cell(const struct diff_row *row)
{
	return row->status != DIFF_ADDED && row->status != DIFF_REMOVED
		       ? diff_real_cell(row->delta_pct)
		       : cell_text(str_of(diff_status_name(row->status)));
}

/* A name as it is, or in so many cells of a terminal. */
static struct str shortened(struct str name, size_t cells, struct arena *arena)
{
	struct buf text;

	if (cells == 0)
		return name;
	buf_init(&text, SIZE_MAX);
	short_name_add(&text, name, cells);
	struct str copy = arena_copy(arena, buf_str(&text));
	buf_release(&text);
	return copy;
}

static struct cell name_cell(const struct diff *d, const struct diff_row *row,
			     size_t cells, struct arena *arena)
{
	struct str name = diff_row_name(d, row, DIFF_BASE);

	if (row->status != DIFF_RENAMED)
		return cell_text(shortened(name, cells, arena));
	struct str other = diff_row_name(d, row, DIFF_NEW);
	size_t half = cells > NAME_LEAST ? (cells - strlen(BECAME)) / 2 : cells;
	return cell_text(str_of(arena_printf(arena, STR_FMT BECAME STR_FMT,
					     STR_ARG(shortened(name, half, arena)),
					     STR_ARG(shortened(other, half, arena)))));
}

/* For people: what a side does not have is no 0, though machines can add with one. */
static struct cell side_cell(const struct diff_row *row, enum diff_which which,
			     struct cell cell)
{
	return row->of[which].row == DIFF_NO_ROW ? cell_null() : cell;
}

static void people_row(const struct diff *d, const struct diff_row *row,
		       size_t name_cells, struct arena *arena, struct cell *cells)
{
	cells[NAME] = name_cell(d, row, name_cells, arena);
	cells[BASE] = side_cell(row, DIFF_BASE, cell_int(row->of[DIFF_BASE].mean));
	cells[NEW] = side_cell(row, DIFF_NEW, cell_int(row->of[DIFF_NEW].mean));
	cells[DELTA] = cell_int(row->delta);
	cells[CHANGE] = change_cell(row);
	cells[FROM_CALLS] = cell_int(row->from_calls);
	cells[FROM_DURATION] = cell_int(row->from_duration);
	cells[CALLS] = both_calls(d, row, arena);
	cells[Q] = diff_real_cell(row->test.q);
}

/* One run a side has none that says more than that its steps differ. */
static bool has_q(const struct diff *d)
{
	if (!d->may_decide)
		return false;
	for (size_t i = 0; i < d->nrows; i++)
		if (!isnan(d->rows[i].test.q))
			return true;
	return false;
}

static bool is_shown(const struct diff *d, const struct diff_style *style, int column)
{
	bool is_wide = style->width == 0 || style->width >= WIDE;
	bool is_widest = style->width == 0 || style->width >= WIDEST;
	bool has_split = d->metric != DIFF_CALLS && strcmp(d->by->name, "step") != 0 &&
			 strcmp(d->by->name, "memory") != 0;

	switch (column) {
	case BASE:
	case NEW:
		return is_wide || !has_split;
	case FROM_CALLS:
	case FROM_DURATION:
		return is_widest && has_split;
	case CALLS:
		return has_split;
	case Q:
		return has_q(d);
	default:
		return true;
	}
}

/* What is left of a line for names; 0: a line has no end. */
static size_t find_name_cells(const struct diff *d, const struct diff_style *style,
			      size_t nrows)
{
	struct arena arena = { 0 };
	size_t calls = strlen("Calls");
	int left = style->width;

	for (size_t i = 0; i < nrows; i++) {
		struct cell cell = both_calls(d, &d->rows[d->order[i]], &arena);
		if (utf8_width(cell.as.text) > calls)
			calls = utf8_width(cell.as.text);
	}
	arena_release(&arena);
	for (int i = 0; i < NCOLUMNS; i++)
		if (is_shown(d, style, i))
			left -= widths[i] + (i == CALLS ? (int)calls : 0);
	if (style->width == 0)
		return 0;
	return left > NAME_LEAST ? (size_t)left : NAME_LEAST;
}

/* The columns that are shown, in the arena of the table that they head. */
static struct memtable *make_table(const struct diff *d, const struct diff_style *style,
				   size_t shown[NCOLUMNS])
{
	const struct column *all =
		diff_columns_of(d->unit, ns_columns, bytes_columns, count_columns);
	struct arena arena = { 0 };
	struct column *columns = arena_alloc(&arena, NCOLUMNS * sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < NCOLUMNS; i++) {
		if (!is_shown(d, style, (int)i))
			continue;
		shown[n] = i;
		columns[n] = all[i];
		if (i == NAME)
			columns[n].title = d->by->title;
		n++;
	}
	struct memtable *m = memtable_new(columns, n);
	m->arena = arena;
	return m;
}

struct memtable *diff_people_table(const struct diff *d, const struct diff_style *style,
				   size_t nrows)
{
	size_t shown[NCOLUMNS], name_cells = find_name_cells(d, style, nrows);
	struct memtable *m = make_table(d, style, shown);

	for (size_t i = 0; i < nrows; i++) {
		struct cell cells[NCOLUMNS], picked[NCOLUMNS];
		people_row(d, &d->rows[d->order[i]], name_cells, &m->arena, cells);
		for (size_t c = 0; c < m->table.ncolumns; c++)
			picked[c] = cells[shown[c]];
		memtable_add_row(m, picked);
	}
	m->table.total_rows = (int64_t)d->nrows;
	return m;
}
