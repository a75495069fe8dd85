/* The headline of a comparison as a row for machines: see diff_view.h. */
#include <math.h>
#include <string.h>

#include "base/sum.h"
#include "query/diff/diff_rows.h"
#include "query/diff/diff_view.h"
#include "query/stats/rank_tests.h"

/* Where getters make texts. */
struct texts {
	struct arena *arena;
};

static struct cell get_subject(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text_or_null(diff_subject_name(row));
}

static struct cell get_delta(const void *from, const void *row, int arg)
{
	const struct diff *d = row;
	int64_t base = d->sides[DIFF_BASE].subject;
	int64_t delta = sum_sub(d->sides[DIFF_NEW].subject, base);

	(void)from;
	if (!arg)
		return cell_int(delta);
	return base != 0 ? cell_real(100 * (double)delta / fabs((double)base))
			 : cell_null();
}

static struct cell get_verdict(const void *from, const void *row, int arg)
{
	static const char *const verdicts[] = {
		[DIFF_UNDECIDED] = "undecided",
		[DIFF_NO_CHANGE] = "no_change",
		[DIFF_SLOWER] = "increase",
		[DIFF_FASTER] = "decrease",
	};

	(void)from, (void)arg;
	return cell_text_or_null(verdicts[((const struct diff *)row)->headline.verdict]);
}

static struct cell get_replicates(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text_or_null(diff_subject_replicates(row));
}

static struct cell get_size(const void *from, const void *row, int arg)
{
	size_t value;

	(void)from;
	memcpy(&value, (const char *)row + arg, sizeof(value));
	return cell_int((int64_t)value);
}

static struct cell get_needed(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_int(
		(int64_t)rank_power_sides(((const struct diff *)row)->request->alpha, 1));
}

static struct cell get_outliers(const void *from, const void *row, int which)
{
	return cell_text_or_null(diff_outliers_names(
		row, (enum diff_which)which, ((const struct texts *)from)->arena));
}

#define AT(member)     .arg = (int)offsetof(struct diff, member)
#define SUBJECT(side)  .get = view_int64, AT(sides[side].subject), .flags = FIELD_AMOUNT
#define SHIFT(member)  .get = diff_get_amount, AT(headline.member), .flags = FIELD_AMOUNT
#define REAL(member)   .get = diff_get_real, AT(member)
#define NUMBER(member) .get = get_size, AT(member)

/* clang-format off */
static const struct field headline_fields[] = {
	{ "subject", "Subject", "what is compared", NULL, UNIT_TEXT, .get = get_subject },
	{ "base", "Base", "mean of base", NULL, UNIT_NS, SUBJECT(DIFF_BASE) },
	{ "new", "New", "mean of new", NULL, UNIT_NS, SUBJECT(DIFF_NEW) },
	{ "delta", "Delta", "new - base", NULL, UNIT_NS, .get = get_delta, .arg = 0, .flags = FIELD_AMOUNT },
	{ "delta_pct", "Change %", "in percent of base", NULL, UNIT_PERCENT, .get = get_delta, .arg = 1 },
	{ "shift", "Shift", "median change: estimate of Hodges and Lehmann", NULL, UNIT_NS, SHIFT(shift.shift) },
	{ "shift_low", "Low", "its interval, from here; null with one value a side", NULL, UNIT_NS, SHIFT(shift.low) },
	{ "shift_high", "High", "to here", NULL, UNIT_NS, SHIFT(shift.high) },
	{ "shift_pct", "Shift %", "the shift in percent of the mean of base", NULL, UNIT_PERCENT, REAL(headline.change_pct) },
	{ "shift_low_pct", "Low %", "the interval likewise, from here", NULL, UNIT_PERCENT, REAL(headline.low_pct) },
	{ "shift_high_pct", "High %", "to here", NULL, UNIT_PERCENT, REAL(headline.high_pct) },
	{ "p", "p", "probability, by Mann and Whitney", NULL, UNIT_RATIO, REAL(headline.p) },
	{ "verdict", "Verdict", "increase, decrease, no_change or undecided", NULL, UNIT_TEXT, .get = get_verdict },
	{ "replicates", "Replicates", "what is compared: runs or steps", NULL, UNIT_TEXT, .get = get_replicates },
	{ "base_replicates", "Base n", "how many in base", NULL, UNIT_COUNT, NUMBER(headline.sizes[DIFF_BASE]) },
	{ "new_replicates", "New n", "how many in new", NULL, UNIT_COUNT, NUMBER(headline.sizes[DIFF_NEW]) },
	{ "needed_replicates", "Needed", "how many a side a verdict takes", NULL, UNIT_COUNT, .get = get_needed },
	{ "least_visible_pct", "Least %", "smallest change seen in at least 80 of 100 such comparisons; null when undecided", NULL, UNIT_PERCENT, REAL(headline.least_pct) },
	{ "base_runs", "Base runs", "runs of base", NULL, UNIT_COUNT, NUMBER(sides[DIFF_BASE].nruns) },
	{ "new_runs", "New runs", "runs of new", NULL, UNIT_COUNT, NUMBER(sides[DIFF_NEW].nruns) },
	{ "base_outliers", "Base outliers", "names of outliers of base", NULL, UNIT_TEXT, .get = get_outliers, .arg = DIFF_BASE },
	{ "new_outliers", "New outliers", "names of outliers of new", NULL, UNIT_TEXT, .get = get_outliers, .arg = DIFF_NEW },
	{ "without_outliers_pct", "Without %", "change of the means without outliers", NULL, UNIT_PERCENT, REAL(outliers.change_pct) },
	{ .name = NULL },
};
/* clang-format on */

const struct view diff_headline_view = { .name = "diff --headline",
					 .fields = headline_fields };

/* For people the lines above it are all. */
struct memtable *diff_headline_table(const struct diff *d, bool for_people)
{
	struct arena arena = { 0 };
	const struct texts from = { &arena };
	const struct view_rows rows = { &from, d, for_people ? 0 : 1, sizeof(*d) };
	const struct view_request request = { .amounts = diff_subject_unit(d) };
	struct memtable *m = view_table(&diff_headline_view, &rows, NULL, &request);

	arena_release(&arena);
	return m;
}
