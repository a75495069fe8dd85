/* The rows of a comparison as a table: see diff_table.h. */
#include "query/diff/diff_table.h"

#include <math.h>

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

static const char *const statuses[] = { "changed", "equal", "added", "removed",
					"renamed" };

const char *diff_status_name(enum diff_status status)
{
	return statuses[status];
}

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

struct cell diff_calls_cell(const struct diff *d, const struct diff_row *row,
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

static void machine_row(const struct diff *d, const struct diff_row *row,
			struct cell *cells)
{
	cells[NAME] = cell_text(diff_row_name(d, row, DIFF_BASE));
	cells[NEW_NAME] = row->status == DIFF_RENAMED
				  ? cell_text(diff_row_name(d, row, DIFF_NEW))
				  : cell_null();
	cells[STATUS] = cell_text(str_of(diff_status_name(row->status)));
	cells[BASE_CALLS] = diff_calls_cell(d, row, DIFF_BASE);
	cells[NEW_CALLS] = diff_calls_cell(d, row, DIFF_NEW);
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

struct memtable *diff_rows_table(const struct diff *d, const struct diff_style *style)
{
	size_t n = d->nrows;

	if (style->limit > 0 && (uint64_t)style->limit < n)
		n = (size_t)style->limit;
	if (style->people)
		return diff_people_table(d, style, n);
	struct memtable *m = memtable_new(columns_of(d), NMACHINE);
	for (size_t i = 0; i < n; i++) {
		struct cell cells[NMACHINE];
		machine_row(d, &d->rows[d->order[i]], cells);
		memtable_add_row(m, cells);
	}
	m->table.total_rows = (int64_t)d->nrows;
	return m;
}
