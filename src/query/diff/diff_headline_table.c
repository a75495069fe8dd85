/* The headline of a comparison as a row for machines: see diff_table.h. */
#include <math.h>

#include "base/sum.h"
#include "query/diff/diff_outliers.h"
#include "query/diff/diff_table.h"
#include "query/stats/rank_power.h"

enum {
	SUBJECT,
	BASE,
	NEW,
	DELTA,
	DELTA_PCT,
	SHIFT,
	SHIFT_LOW,
	SHIFT_HIGH,
	SHIFT_PCT,
	SHIFT_LOW_PCT,
	SHIFT_HIGH_PCT,
	P,
	VERDICT,
	REPLICATE,
	BASE_REPLICATES,
	NEW_REPLICATES,
	NEEDED,
	LEAST,
	BASE_RUNS,
	NEW_RUNS,
	BASE_OUTLIERS,
	NEW_OUTLIERS,
	WITHOUT_PCT,
	NCOLUMNS
};

#define COLUMNS(unit, suffix)                                                          \
	{                                                                              \
		[SUBJECT] = { "subject", "Subject", UNIT_TEXT },                       \
		[BASE] = { "base_" suffix, "Base", unit },                             \
		[NEW] = { "new_" suffix, "New", unit },                                \
		[DELTA] = { "delta_" suffix, "Delta", unit },                          \
		[DELTA_PCT] = { "delta_pct", "Change %", UNIT_PERCENT },               \
		[SHIFT] = { "shift_" suffix, "Shift", unit },                          \
		[SHIFT_LOW] = { "shift_low_" suffix, "Low", unit },                    \
		[SHIFT_HIGH] = { "shift_high_" suffix, "High", unit },                 \
		[SHIFT_PCT] = { "shift_pct", "Shift %", UNIT_PERCENT },                \
		[SHIFT_LOW_PCT] = { "shift_low_pct", "Low %", UNIT_PERCENT },          \
		[SHIFT_HIGH_PCT] = { "shift_high_pct", "High %", UNIT_PERCENT },       \
		[P] = { "p", "p", UNIT_RATIO },                                        \
		[VERDICT] = { "verdict", "Verdict", UNIT_TEXT },                       \
		[REPLICATE] = { "replicates", "Replicates", UNIT_TEXT },               \
		[BASE_REPLICATES] = { "base_replicates", "Base n", UNIT_COUNT },       \
		[NEW_REPLICATES] = { "new_replicates", "New n", UNIT_COUNT },          \
		[NEEDED] = { "needed_replicates", "Needed", UNIT_COUNT },              \
		[LEAST] = { "least_visible_pct", "Least %", UNIT_PERCENT },            \
		[BASE_RUNS] = { "base_runs", "Base runs", UNIT_COUNT },                \
		[NEW_RUNS] = { "new_runs", "New runs", UNIT_COUNT },                   \
		[BASE_OUTLIERS] = { "base_outliers", "Base outliers", UNIT_TEXT },     \
		[NEW_OUTLIERS] = { "new_outliers", "New outliers", UNIT_TEXT },        \
		[WITHOUT_PCT] = { "without_outliers_pct", "Without %", UNIT_PERCENT }, \
	}

static const struct column ns_columns[NCOLUMNS] = COLUMNS(UNIT_NS, "ns");
static const struct column bytes_columns[NCOLUMNS] = COLUMNS(UNIT_BYTES, "bytes");
static const struct column count_columns[NCOLUMNS] = COLUMNS(UNIT_COUNT, "count");

static const char *const verdicts[] = {
	[DIFF_UNDECIDED] = "undecided",
	[DIFF_NO_CHANGE] = "no_change",
	[DIFF_SLOWER] = "increase",
	[DIFF_FASTER] = "decrease",
};

/* Where there is one value a side, there is a shift, but no interval. */
static void set_shift(const struct diff_headline *h, struct cell *cells)
{
	bool has = h->has_interval;

	cells[SHIFT] = diff_amount_cell(h->shift.shift);
	cells[SHIFT_LOW] = has ? diff_amount_cell(h->shift.low) : cell_null();
	cells[SHIFT_HIGH] = has ? diff_amount_cell(h->shift.high) : cell_null();
	cells[SHIFT_PCT] = diff_real_cell(h->change_pct);
	cells[SHIFT_LOW_PCT] = has ? diff_real_cell(h->low_pct) : cell_null();
	cells[SHIFT_HIGH_PCT] = has ? diff_real_cell(h->high_pct) : cell_null();
	cells[P] = diff_real_cell(h->p);
}

static void add_row(const struct diff *d, struct memtable *m)
{
	const struct diff_headline *h = &d->headline;
	int64_t base = d->sides[DIFF_BASE].subject, after = d->sides[DIFF_NEW].subject;
	int64_t delta = sum_sub(after, base);
	struct cell cells[NCOLUMNS];

	cells[SUBJECT] = cell_text(str_of(diff_subject_name(d)));
	cells[BASE] = cell_int(base);
	cells[NEW] = cell_int(after);
	cells[DELTA] = cell_int(delta);
	cells[DELTA_PCT] = base != 0 ? cell_real(100 * (double)delta / fabs((double)base))
				     : cell_null();
	set_shift(h, cells);
	cells[VERDICT] = cell_text(str_of(verdicts[h->verdict]));
	cells[REPLICATE] = cell_text(str_of(diff_subject_replicates(d)));
	cells[BASE_REPLICATES] = cell_int((int64_t)h->sizes[DIFF_BASE]);
	cells[NEW_REPLICATES] = cell_int((int64_t)h->sizes[DIFF_NEW]);
	cells[NEEDED] = cell_int((int64_t)rank_power_sides(d->request->alpha, 1));
	cells[LEAST] = diff_real_cell(h->least_pct);
	cells[BASE_RUNS] = cell_int((int64_t)d->sides[DIFF_BASE].nruns);
	cells[NEW_RUNS] = cell_int((int64_t)d->sides[DIFF_NEW].nruns);
	cells[BASE_OUTLIERS] =
		cell_text_or_null(diff_outliers_names(d, DIFF_BASE, &m->arena));
	cells[NEW_OUTLIERS] =
		cell_text_or_null(diff_outliers_names(d, DIFF_NEW, &m->arena));
	cells[WITHOUT_PCT] = diff_real_cell(d->outliers.change_pct);
	memtable_add_row(m, cells);
}

struct memtable *diff_headline_table(const struct diff *d, const struct diff_style *style)
{
	struct memtable *m =
		memtable_new(diff_columns_of(diff_subject_unit(d), ns_columns,
					     bytes_columns, count_columns),
			     NCOLUMNS);

	if (!style->people)
		add_row(d, m);
	return m;
}
