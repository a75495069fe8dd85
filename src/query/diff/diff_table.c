/* The rows of a comparison as a table: see diff_table.h. */
#include "query/diff/diff_table.h"

#include <math.h>

#include "base/units.h"
#include "query/short_name.h"

enum {
	NAME,
	NEW_NAME,
	STATUS,
	BASE_CALLS,
	NEW_CALLS,
	BASE,
	NEW,
	DELTA,
	DELTA_PCT,
	FROM_CALLS,
	FROM_DURATION,
	P,
	Q,
	SIGNIFICANT,
	METRIC,
	NMACHINE
};

#define COLUMNS(unit, suffix)                                                         \
	{                                                                             \
		[NAME] = { "name", "Name", UNIT_TEXT },                               \
		[NEW_NAME] = { "new_name", "New name", UNIT_TEXT },                   \
		[STATUS] = { "status", "Status", UNIT_TEXT },                         \
		[BASE_CALLS] = { "base_calls", "Base calls", UNIT_COUNT },            \
		[NEW_CALLS] = { "new_calls", "New calls", UNIT_COUNT },               \
		[BASE] = { "base_" suffix, "Base", unit },                            \
		[NEW] = { "new_" suffix, "New", unit },                               \
		[DELTA] = { "delta_" suffix, "Delta", unit },                         \
		[DELTA_PCT] = { "delta_pct", "Change %", UNIT_PERCENT },              \
		[FROM_CALLS] = { "from_calls_" suffix, "From call count", unit },     \
		[FROM_DURATION] = { "from_duration_" suffix, "From duration", unit }, \
		[P] = { "p", "p", UNIT_RATIO }, [Q] = { "q", "Adj. p", UNIT_RATIO },  \
		[SIGNIFICANT] = { "significant", "Significant", UNIT_BOOL },          \
		[METRIC] = { "metric", "Metric", UNIT_TEXT },                         \
	}

static const struct column ns_columns[NMACHINE] = COLUMNS(UNIT_NS, "ns");
static const struct column bytes_columns[NMACHINE] = COLUMNS(UNIT_BYTES, "bytes");
static const struct column count_columns[NMACHINE] = COLUMNS(UNIT_COUNT, "count");

/* For people: calls of both sides in one column. */
enum {
	PEOPLE_NAME,
	PEOPLE_BASE,
	PEOPLE_NEW,
	PEOPLE_DELTA,
	PEOPLE_CHANGE,
	PEOPLE_FROM_CALLS,
	PEOPLE_FROM_DURATION,
	PEOPLE_CALLS,
	PEOPLE_Q,
	NPEOPLE
};

/* Widths of a terminal that have room for both sides, and for the split of a delta. */
#define WIDE   112
#define WIDEST 144

/* Cells that names have at least, and what the columns beside them take about. */
#define NAME_LEAST    30
#define BESIDE        44
#define BESIDE_WIDE   66
#define BESIDE_WIDEST 110

#define BECAME " => "

static const char *const statuses[] = { "changed", "equal", "added", "removed",
					"renamed" };

const struct column *diff_columns_of(enum unit unit, const struct column *ns,
				     const struct column *bytes,
				     const struct column *count)
{
	if (unit == UNIT_BYTES)
		return bytes;
	return unit == UNIT_COUNT ? count : ns;
}

static const struct column *columns_of(const struct diff *d)
{
	return diff_columns_of(d->unit, ns_columns, bytes_columns, count_columns);
}

/* A whole number where it is one. */
static struct cell calls_cell(const struct diff *d, const struct diff_row *row,
			      enum diff_which which)
{
	const struct diff_measure *m = &row->of[which];
	int64_t units = d->sides[which].units;

	if (m->calls % units == 0)
		return cell_int(m->calls / units);
	return cell_real(diff_row_calls(d, row, which));
}

struct cell diff_real_cell(double value)
{
	return isfinite(value) ? cell_real(value) : cell_null();
}

struct cell diff_amount_cell(double value)
{
	return isfinite(value) && fabs(value) < 0x1p62 ? cell_int(llround(value))
						       : cell_null();
}

static bool is_pair(const struct diff_row *row)
{
	return row->status != DIFF_ADDED && row->status != DIFF_REMOVED;
}

static void machine_row(const struct diff *d, const struct diff_row *row,
			struct cell *cells)
{
	cells[NAME] = cell_text(diff_row_name(d, row, DIFF_BASE));
	cells[NEW_NAME] = row->status == DIFF_RENAMED
				  ? cell_text(diff_row_name(d, row, DIFF_NEW))
				  : cell_null();
	cells[STATUS] = cell_text(str_of(statuses[row->status]));
	cells[BASE_CALLS] = calls_cell(d, row, DIFF_BASE);
	cells[NEW_CALLS] = calls_cell(d, row, DIFF_NEW);
	cells[BASE] = cell_int(row->of[DIFF_BASE].mean);
	cells[NEW] = cell_int(row->of[DIFF_NEW].mean);
	cells[DELTA] = cell_int(row->delta);
	cells[DELTA_PCT] = diff_real_cell(row->delta_pct);
	cells[FROM_CALLS] = cell_int(row->from_calls);
	cells[FROM_DURATION] = cell_int(row->from_duration);
	cells[P] = diff_real_cell(row->test.p);
	cells[Q] = diff_real_cell(row->test.q);
	cells[SIGNIFICANT] = !d->may_decide || isnan(row->test.q)
				     ? cell_null()
				     : cell_int(row->test.is_significant);
	cells[METRIC] = cell_text(str_of(diff_metric_name(d->metric)));
}

/* "12", "3.50": calls a step need not be whole. */
static const char *calls_text(const struct diff *d, const struct diff_row *row,
			      enum diff_which which, struct arena *arena)
{
	static const struct scale whole = { UNIT_COUNT, 1, "", 0 },
				  part = { UNIT_COUNT, 1, "", 1 };
	struct cell cell = calls_cell(d, row, which);
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
	return is_pair(row) ? diff_real_cell(row->delta_pct)
			    : cell_text(str_of(statuses[row->status]));
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

/* What is left of a line for names; 0: a line has no end. */
static size_t name_cells(const struct diff_style *style)
{
	int beside = style->width >= WIDEST ? BESIDE_WIDEST
		     : style->width >= WIDE ? BESIDE_WIDE
					    : BESIDE;

	if (style->width == 0)
		return 0;
	return style->width - beside > NAME_LEAST ? (size_t)(style->width - beside)
						  : NAME_LEAST;
}

static void people_row(const struct diff *d, const struct diff_row *row,
		       const struct diff_style *style, struct arena *arena,
		       struct cell *cells)
{
	cells[PEOPLE_NAME] = name_cell(d, row, name_cells(style), arena);
	cells[PEOPLE_BASE] = side_cell(row, DIFF_BASE, cell_int(row->of[DIFF_BASE].mean));
	cells[PEOPLE_NEW] = side_cell(row, DIFF_NEW, cell_int(row->of[DIFF_NEW].mean));
	cells[PEOPLE_DELTA] = cell_int(row->delta);
	cells[PEOPLE_CHANGE] = change_cell(row);
	cells[PEOPLE_FROM_CALLS] = cell_int(row->from_calls);
	cells[PEOPLE_FROM_DURATION] = cell_int(row->from_duration);
	cells[PEOPLE_CALLS] = both_calls(d, row, arena);
	cells[PEOPLE_Q] = diff_real_cell(row->test.q);
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
	case PEOPLE_BASE:
	case PEOPLE_NEW:
		return is_wide || !has_split;
	case PEOPLE_FROM_CALLS:
	case PEOPLE_FROM_DURATION:
		return is_widest && has_split;
	case PEOPLE_CALLS:
		return has_split;
	case PEOPLE_Q:
		return has_q(d);
	default:
		return true;
	}
}

/* The columns that are shown, in the arena of the table that they head. */
static struct memtable *people_table(const struct diff *d, const struct diff_style *style,
				     size_t shown[NPEOPLE])
{
	const struct column *unit = columns_of(d);
	const struct column all[NPEOPLE] = {
		[PEOPLE_NAME] = { "name", d->by->title, UNIT_TEXT },
		[PEOPLE_BASE] = unit[BASE],
		[PEOPLE_NEW] = unit[NEW],
		[PEOPLE_DELTA] = unit[DELTA],
		[PEOPLE_CHANGE] = unit[DELTA_PCT],
		[PEOPLE_FROM_CALLS] = unit[FROM_CALLS],
		[PEOPLE_FROM_DURATION] = unit[FROM_DURATION],
		[PEOPLE_CALLS] = { "calls", "Calls", UNIT_TEXT },
		[PEOPLE_Q] = unit[Q],
	};
	struct arena arena = { 0 };
	struct column *columns = arena_alloc(&arena, sizeof(all));
	size_t n = 0;

	for (size_t i = 0; i < NPEOPLE; i++) {
		if (!is_shown(d, style, (int)i))
			continue;
		shown[n] = i;
		columns[n++] = all[i];
	}
	struct memtable *m = memtable_new(columns, n);
	m->arena = arena;
	return m;
}

struct memtable *diff_rows_table(const struct diff *d, const struct diff_style *style)
{
	size_t shown[NPEOPLE];
	struct memtable *m = style->people ? people_table(d, style, shown)
					   : memtable_new(columns_of(d), NMACHINE);
	size_t n = d->nrows;

	if (style->limit > 0 && (uint64_t)style->limit < n)
		n = (size_t)style->limit;
	for (size_t i = 0; i < n; i++) {
		const struct diff_row *row = &d->rows[d->order[i]];
		struct cell cells[NMACHINE], picked[NMACHINE];
		if (!style->people) {
			machine_row(d, row, cells);
			memtable_add_row(m, cells);
			continue;
		}
		people_row(d, row, style, &m->arena, cells);
		for (size_t c = 0; c < m->table.ncolumns; c++)
			picked[c] = cells[shown[c]];
		memtable_add_row(m, picked);
	}
	m->table.total_rows = (int64_t)d->nrows;
	return m;
}
