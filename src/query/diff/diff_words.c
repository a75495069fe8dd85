/* What a comparison says in words: see diff_view.h. */
#include "query/diff/diff_view.h"

#include <math.h>

#include "base/sum.h"
#include "base/units.h"
#include "query/diff/diff_account.h"
#include "query/diff/diff_rows.h"
#include "query/short_name.h"
#include "query/stats/rank_tests.h"
#include "trace/step_name.h"

#define NAME_SHOWN     60 /* terminal cells of a name in a line of words */
#define NAMES_SHOWN    3  /* of the significant rows, the largest delta first */
#define NAME_BYTES_MAX (1 << 16)

const char *diff_subject_replicates(const struct diff *d)
{
	return d->subject_within_run ? "steps" : "runs";
}

/* Weights of sampled stacks need not be times. */
static const char *metric_title(const struct diff *d, enum diff_metric metric)
{
	bool is_self = metric == DIFF_SELF;

	if (!d->is_sampled || (!is_self && metric != DIFF_TOTAL))
		return diff_metric_title(metric);
	if (d->unit == UNIT_BYTES)
		return is_self ? "self bytes" : "total bytes";
	if (d->unit == UNIT_COUNT)
		return is_self ? "self samples" : "total samples";
	return diff_metric_title(metric);
}

const char *diff_subject_name(const struct diff *d)
{
	if (d->subject == DIFF_OF_STEPS)
		return d->subject_per_step ? "step" : "steps";
	if (d->subject == DIFF_OF_RECORDINGS)
		return "recording";
	if (strcmp(d->by->name, "memory") != 0)
		return metric_title(d, diff_has_self_sums(d) ? DIFF_SELF : d->metric);
	return d->names.n > 1 ? "peaks of memory" : "peak memory";
}

enum unit diff_subject_unit(const struct diff *d)
{
	return d->subject == DIFF_OF_ROWS ? d->unit : UNIT_NS;
}

/* A name in a line of words. */
static const char *name_shown(const struct diff *d, const struct diff_row *row,
			      struct arena *arena)
{
	struct buf text;

	buf_init(&text, NAME_BYTES_MAX);
	short_name_add(&text, diff_row_name(d, row, DIFF_BASE), NAME_SHOWN);
	const char *copy = arena_copy(arena, buf_str(&text)).p;
	buf_release(&text);
	return copy;
}

const char *diff_rows_caption(const struct diff *d, struct arena *arena)
{
	const char *of = d->per_step ? "a step" : "a run";

	if (strcmp(d->by->name, "memory") == 0)
		return arena_printf(arena, "peak memory %s by device; delta = new - base",
				    of);
	if (strcmp(d->by->name, "idle") == 0)
		return arena_printf(arena, "%s %s by cause; delta = new - base",
				    d->metric == DIFF_CALLS ? "gaps" : "idle time", of);
	return arena_printf(arena, "%s %s by %s%s; delta = new - base",
			    metric_title(d, d->metric), of, d->by->name,
			    d->is_metric_chosen ? " (device work explains most)" : "");
}

/* Runs, or with --within-run the steps of one run. */
static const char *deciding_name(const struct diff *d)
{
	return d->may_decide && d->subject_within_run ? "steps" : "runs";
}

const char *diff_undecided_text(const struct diff *d, struct arena *arena)
{
	const struct diff_headline *h = &d->headline;
	double alpha = d->request->alpha;
	size_t alone = rank_power_sides(alpha, 1),
	       all = rank_power_sides(alpha, d->ntested);

	if (h->verdict != DIFF_UNDECIDED)
		return NULL;
	if (d->is_one_run && !(d->may_decide && d->subject_within_run))
		return arena_printf(arena,
				    "one run per side: run-to-run noise is unknown; "
				    "record %zu+ runs per side%s",
				    alone,
				    d->subject_within_run
					    ? " (--within-run lets the steps decide)"
					    : "");
	if (h->sizes[DIFF_BASE] >= alone && h->sizes[DIFF_NEW] >= alone)
		return arena_printf(arena,
				    "too many equal values to decide (%zu v %zu): record "
				    "more %s",
				    h->sizes[DIFF_BASE], h->sizes[DIFF_NEW],
				    deciding_name(d));
	return arena_printf(
		arena, "too few %s to decide (%zu v %zu); %zu per side are needed%s",
		deciding_name(d), h->sizes[DIFF_BASE], h->sizes[DIFF_NEW], alone,
		d->ntested > 1 && all > alone
			? arena_printf(arena, ", %zu to judge single rows", all)
			: "");
}

/* Enough for the headline, but not for as many rows. */
static void note_rows(const struct diff *d, struct memtable *to)
{
	size_t n = d->sides[DIFF_BASE].nreplicates, m = d->sides[DIFF_NEW].nreplicates;
	double limit = d->request->alpha / (double)(d->ntested ? d->ntested : 1);

	if (d->ntested == 0 || d->headline.verdict == DIFF_UNDECIDED ||
	    d->has_significant_row)
		return;
	if (!rank_power_can_decide(n, m, limit))
		memtable_add_note(to, "single rows can be judged with %zu+ %s per side",
				  rank_power_sides(d->request->alpha, d->ntested),
				  d->within_run ? "steps" : "runs");
}

static void note_significant(const struct diff *d, struct memtable *to)
{
	const char *names = "";
	size_t found = 0;

	for (size_t i = 0; i < d->nrows; i++) {
		const struct diff_row *row = &d->rows[i];
		if (!row->test.is_significant || ++found > NAMES_SHOWN)
			continue;
		names = arena_printf(&to->arena, "%s%s%s", names, found > 1 ? ", " : "",
				     name_shown(d, row, &to->arena));
	}
	if (found > 0)
		memtable_add_note(
			to, "%zu of %zu rows tested changed significantly: %s%s", found,
			d->ntested, names, found > NAMES_SHOWN ? ", ..." : "");
}

/* The mean of prefill and decode steps changes with their mix. */
static void note_mixed(const struct diff *d, struct memtable *to)
{
	bool is_mixed = false;

	for (int which = DIFF_BASE; which < NDIFF_SIDES; which++)
		for (size_t i = 0; d->sides[which].steps && i < d->sides[which].nruns;
		     i++)
			is_mixed |= d->sides[which].steps[i].is_mixed;
	if (is_mixed)
		memtable_add_note(to,
				  "the steps are of several phases, and their numbers "
				  "affect the mean; --phase decode or --phase prefill "
				  "compares one phase");
}

void diff_add_notes(const struct diff *d, struct memtable *to)
{
	const char *undecided = diff_undecided_text(d, &to->arena);

	if (undecided)
		memtable_add_note(to, "%s", undecided);
	else if (d->is_one_run)
		memtable_add_note(to,
				  "one run per side: its steps decide, and run-to-run "
				  "noise is unknown");
	if (d->headline.verdict == DIFF_NO_CHANGE && !isnan(d->headline.least_pct))
		memtable_add_note(
			to,
			"a change larger than %.1f%% would be found in %d of 100 such "
			"comparisons",
			d->headline.least_pct, RANK_POWER_PCT);
	note_mixed(d, to);
	note_significant(d, to);
	note_rows(d, to);
	if (d->has_steps && d->by->is_whole && !d->request->total &&
	    strcmp(d->by->name, "function") == 0)
		memtable_add_note(to, "functions are compared in whole runs, not in "
				      "steps");
}

#define LEAST_SHARE_PCT 5 /* of a change that a row explains */

static const char *amount_text(enum unit unit, int64_t amount, struct arena *arena)
{
	char text[UNITS_TEXT_MAX];

	return arena_copy(arena, units_text(unit, cell_int(amount), text)).p;
}

static const char *signed_text(enum unit unit, int64_t amount, struct arena *arena)
{
	return arena_printf(arena, "%s%s", amount > 0 ? "+" : "",
			    amount_text(unit, amount, arena));
}

const char *diff_pct_text(double pct, struct arena *arena)
{
	return arena_printf(arena, "%+.1f%%", fabs(pct) < 0.05 ? 0.0 : pct);
}

/* The difference of the means in percent of base; NaN: that is 0. */
static double mean_pct(const struct diff *d)
{
	double base = (double)d->sides[DIFF_BASE].subject,
	       after = (double)d->sides[DIFF_NEW].subject;

	return base != 0 ? 100 * (after - base) / fabs(base) : (double)NAN;
}

/*
 * " by 11.7%": of the means; where one outlier turns these round, of the median change,
 * which the verdict is about.
 */
static const char *by_text(const struct diff *d, struct arena *arena)
{
	double pct = mean_pct(d);

	if (isnan(pct) || isnan(d->headline.change_pct))
		return "";
	if ((pct > 0) == (d->headline.change_pct > 0))
		return arena_printf(arena, " by %.1f%%", fabs(pct));
	return arena_printf(arena, " by %.1f%% in the median",
			    fabs(d->headline.change_pct));
}

static const char *undecided_reason(const struct diff *d, struct arena *arena)
{
	const size_t *sizes = d->headline.sizes;

	if (!d->may_decide || (d->is_one_run && !d->subject_within_run))
		return "undecided, one run a side";
	return arena_printf(arena, "undecided, %zu v %zu %s", sizes[DIFF_BASE],
			    sizes[DIFF_NEW], diff_subject_replicates(d));
}

static const char *verdict_text(const struct diff *d, struct arena *arena)
{
	bool is_time = diff_subject_unit(d) == UNIT_NS;
	const char *within = d->is_one_run ? " within these runs" : "";
	const char *way = NULL;

	switch (d->headline.verdict) {
	case DIFF_SLOWER:
		way = is_time ? "slower" : "up";
		break;
	case DIFF_FASTER:
		way = is_time ? "faster" : "down";
		break;
	case DIFF_NO_CHANGE:
		return arena_printf(arena, "no significant change%s", within);
	case DIFF_UNDECIDED:
		return undecided_reason(d, arena);
	}
	return arena_printf(arena, "%s%s%s", way, by_text(d, arena), within);
}

/* The total time of a step is all of it, which explains nothing. */
static bool is_step_itself(const struct diff *d, const struct diff_row *row)
{
	return d->metric == DIFF_TOTAL && strcmp(d->by->name, "step") != 0 &&
	       step_name_is_mark(diff_row_name(d, row, DIFF_BASE));
}

/* The row whose delta goes the same way and is the largest; NULL: none. */
static const struct diff_row *main_row(const struct diff *d, int64_t delta)
{
	for (size_t i = 0; i < d->nrows; i++) {
		const struct diff_row *row = &d->rows[i];
		if ((row->delta > 0) == (delta > 0) && row->delta != 0 &&
		    !is_step_itself(d, row))
			return row;
	}
	return NULL;
}

/* All digits of a whole number; means of steps are fractions. */
static const char *count_text(double n, struct arena *arena)
{
	return arena_printf(arena, n == floor(n) || n >= 1e6 ? "%.0f" : "%.6g", n);
}

static const char *calls_text(const struct diff *d, const struct diff_row *row,
			      struct arena *arena)
{
	double base = diff_row_calls(d, row, DIFF_BASE),
	       new_side = diff_row_calls(d, row, DIFF_NEW);
	const char *unit = d->per_step ? " a step" : "";

	if (row->status == DIFF_ADDED || row->status == DIFF_REMOVED)
		return row->status == DIFF_ADDED ? ", added" : ", removed";
	if (d->is_sampled || (base == 0 && new_side == 0)) /* not counted */
		return "";
	if (base != new_side)
		return arena_printf(arena, ", %s -> %s calls%s", count_text(base, arena),
				    count_text(new_side, arena), unit);
	return arena_printf(arena, ", %s %s%s", count_text(base, arena),
			    base == 1 ? "call" : "calls", unit);
}

/* The headline's mean in the unit of rows, which may be of whole runs. */
static double subject_of_rows(const struct diff *d, enum diff_which which)
{
	const struct diff_side *side = &d->sides[which];
	double steps = 0, subject = (double)side->subject;

	if (d->per_step || !d->subject_per_step)
		return subject;
	for (size_t i = 0; side->steps && i < side->nruns; i++)
		steps += (double)side->steps[i].nranges;
	return subject * steps / (double)side->nruns;
}

/* The row's change in percent of the headline's; NaN: they have other units. */
static double share_of(const struct diff *d, const struct diff_row *row)
{
	double delta = subject_of_rows(d, DIFF_NEW) - subject_of_rows(d, DIFF_BASE);

	return d->unit == diff_subject_unit(d) ? 100 * (double)row->delta / delta
					       : (double)NAN;
}

/* Is the row a part of the headline's change, of which it is so many percent? */
static bool is_part(const struct diff *d, const struct diff_row *row, int64_t delta)
{
	int64_t most = delta;

	if (d->unit != diff_subject_unit(d) || d->per_step != d->subject_per_step)
		return false;
	if (diff_is_of_devices(d))
		most = diff_account_delta(d->account, strcmp(d->by->name, "idle") == 0);
	return (most > 0) == (delta > 0) &&
	       fabs((double)row->delta) <= fabs((double)most) &&
	       fabs((double)row->delta) <= fabs((double)delta);
}

/*
 * "; 71% of it in aten::copy_ (+2.600 ms, 4 -> 12 calls a step)"; "": there is no change
 * to explain, or no row that explains a part of it worth a word.
 */
static const char *explanation(const struct diff *d, struct arena *arena)
{
	int64_t delta = sum_sub(d->sides[DIFF_NEW].subject, d->sides[DIFF_BASE].subject);
	const struct diff_row *row = main_row(d, delta);
	enum diff_verdict verdict = d->headline.verdict;

	if (!row || delta == 0 || verdict == DIFF_NO_CHANGE)
		return "";
	if (verdict != DIFF_UNDECIDED && (verdict == DIFF_SLOWER) != (delta > 0))
		return ""; /* the median went the other way than the mean, which rows add up to */
	double share = share_of(d, row);
	bool has_share = is_part(d, row, delta);
	if (share < LEAST_SHARE_PCT)
		return "";
	return arena_printf(
		arena, "; %s %s (%s%s%s)",
		has_share ? arena_printf(arena, "%.0f%% of it in", share) : "most in",
		name_shown(d, row, arena), signed_text(d->unit, row->delta, arena),
		d->metric == DIFF_DEVICE ? " of device time" : "",
		d->metric == DIFF_CALLS ? "" : calls_text(d, row, arena));
}

/* "slower by 11.7%: step 102.500 us -> 114.500 us; 100% of it in aten::mm (...)" */
static const char *verdict_line(const struct diff *d, struct arena *arena)
{
	enum unit unit = diff_subject_unit(d);
	bool is_change =
		d->headline.verdict == DIFF_SLOWER || d->headline.verdict == DIFF_FASTER;
	double pct = mean_pct(d);
	const char *change = "";

	if (!is_change && !isnan(pct))
		change = arena_printf(arena, " (%s)", diff_pct_text(pct, arena));
	return arena_printf(arena, "%s: %s %s -> %s%s%s", verdict_text(d, arena),
			    diff_subject_name(d),
			    amount_text(unit, d->sides[DIFF_BASE].subject, arena),
			    amount_text(unit, d->sides[DIFF_NEW].subject, arena), change,
			    explanation(d, arena));
}

/* The interval; of values too few for its confidence it is the range of differences. */
static const char *interval_text(const struct diff *d, struct arena *arena)
{
	const struct diff_headline *h = &d->headline;
	double alpha = d->request->alpha;
	bool is_sure =
		rank_power_can_decide(h->sizes[DIFF_BASE], h->sizes[DIFF_NEW], alpha);

	return arena_printf(
		arena, "%s %s to %s",
		is_sure ? arena_printf(arena, "%g%% CI", 100 * (1 - alpha)) : "range",
		diff_pct_text(h->low_pct, arena), diff_pct_text(h->high_pct, arena));
}

static const char *p_text(double p, struct arena *arena)
{
	return p < 0.0001 ? "p < 0.0001" : arena_printf(arena, "p = %.2g", p);
}

/*
 * "median change +11.7% (95% CI +8.8% to +14.6%), p = 0.029, 4 v 4 runs"; of one run a
 * side without p, which would be of its steps.  NULL: one value a side.
 */
static const char *statistics_line(const struct diff *d, struct arena *arena)
{
	const struct diff_headline *h = &d->headline;
	const char *change = "", *p = "";

	if (!h->has_interval)
		return NULL;
	if (!isnan(h->change_pct))
		change = arena_printf(arena, "median change %s (%s), ",
				      diff_pct_text(h->change_pct, arena),
				      interval_text(d, arena));
	if (d->may_decide)
		p = arena_printf(arena, "%s, ", p_text(h->p, arena));
	return arena_printf(arena, "%s%s%s%zu v %zu %s",
			    d->may_decide ? "" : "within these runs: ", change, p,
			    h->sizes[DIFF_BASE], h->sizes[DIFF_NEW],
			    diff_subject_replicates(d));
}

const char *const *diff_headline_lines(const struct diff *d, struct arena *arena)
{
	const char *const lines[] = { verdict_line(d, arena), statistics_line(d, arena),
				      diff_outliers_text(d, arena) };
	const char **out = arena_alloc(arena, sizeof(lines) + sizeof(*lines));
	size_t n = 0;

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (lines[i])
			out[n++] = lines[i];
	out[n] = NULL;
	return out;
}
