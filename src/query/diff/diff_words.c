/* What a comparison says in words: see diff_table.h. */
#include <math.h>

#include "base/sum.h"
#include "base/units.h"
#include "base/utf8.h"
#include "query/diff/diff_table.h"
#include "query/stats/rank_power.h"

#define NAME_SHOWN     60 /* terminal cells of a name in a line of words */
#define NAMES_SHOWN    3  /* of the significant rows, the largest delta first */
#define NAME_BYTES_MAX (1 << 16)

const char *diff_subject_replicates(const struct diff *d)
{
	return d->subject_within_run ? "steps" : "runs";
}

const char *diff_subject_name(const struct diff *d)
{
	if (d->subject == DIFF_OF_STEPS)
		return d->subject_per_step ? "step" : "steps";
	if (d->subject == DIFF_OF_RECORDINGS)
		return "recording";
	if (strcmp(d->by->name, "memory") != 0)
		return diff_metric_title(diff_has_self_sums(d) ? DIFF_SELF : d->metric);
	return d->names.n > 1 ? "peaks of memory" : "peak memory";
}

enum unit diff_subject_unit(const struct diff *d)
{
	return d->subject == DIFF_OF_ROWS ? d->unit : UNIT_NS;
}

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

static const char *p_text(double p, struct arena *arena)
{
	return p < 0.0001 ? "p < 0.0001" : arena_printf(arena, "p = %.2g", p);
}

static const char *verdict_text(const struct diff *d)
{
	bool is_time = diff_subject_unit(d) == UNIT_NS;

	switch (d->headline.verdict) {
	case DIFF_SLOWER:
		return is_time ? "slower" : "more";
	case DIFF_FASTER:
		return is_time ? "faster" : "less";
	case DIFF_NO_CHANGE:
		return "no significant change";
	case DIFF_UNDECIDED:
		break;
	}
	return "not decided";
}

/* "+0.0%", "-12.5%": what rounds to 0 has no direction. */
static const char *change_pct_text(double pct, struct arena *arena)
{
	return arena_printf(arena, "%+.1f%%", fabs(pct) < 0.05 ? 0.0 : pct);
}

/* The difference of the means, and the shift with its interval where there is one. */
static const char *change_text(const struct diff *d, struct arena *arena)
{
	const struct diff_headline *h = &d->headline;
	double base = (double)d->sides[DIFF_BASE].subject;
	double plain = 100 * ((double)d->sides[DIFF_NEW].subject - base) / fabs(base);
	const char *change =
		base != 0 ? change_pct_text(plain, arena) : "no percentage of 0";

	if (!h->has_interval)
		return change;
	if (isnan(h->change_pct))
		return arena_printf(arena, "%s, %s", change, p_text(h->p, arena));
	return arena_printf(arena, "%s, shift %s [%s, %s], %s", change,
			    change_pct_text(h->change_pct, arena),
			    change_pct_text(h->low_pct, arena),
			    change_pct_text(h->high_pct, arena), p_text(h->p, arena));
}

/* The total time of a step is all of it, which explains nothing. */
static bool is_step_itself(const struct diff *d, const struct diff_row *row)
{
	return d->metric == DIFF_TOTAL && strcmp(d->by->name, "step") != 0 &&
	       str_starts_with(diff_row_name(d, row, DIFF_BASE), STR_LIT("ProfilerStep"));
}

/* The row whose delta goes the same way and is the largest; NULL: none. */
static const struct diff_row *main_row(const struct diff *d, int64_t delta)
{
	for (size_t i = 0; i < d->nrows; i++) {
		const struct diff_row *row = &d->rows[d->order[i]];
		if ((row->delta > 0) == (delta > 0) && row->delta != 0 &&
		    !is_step_itself(d, row))
			return row;
	}
	return NULL;
}

static const char *calls_text(const struct diff *d, const struct diff_row *row,
			      struct arena *arena)
{
	double base = diff_row_calls(d, row, DIFF_BASE),
	       new_side = diff_row_calls(d, row, DIFF_NEW);
	const char *unit = d->per_step ? " a step" : "";

	if (row->status == DIFF_ADDED || row->status == DIFF_REMOVED)
		return row->status == DIFF_ADDED ? ", added" : ", removed";
	if (base != new_side)
		return arena_printf(arena, ", %.6g -> %.6g calls%s", base, new_side,
				    unit);
	return arena_printf(arena, ", %.6g %s%s", base, base == 1 ? "call" : "calls",
			    unit);
}

/* A name in a line of words: as tables shorten it, in its middle. */
static const char *short_name(const struct diff *d, const struct diff_row *row,
			      struct arena *arena)
{
	struct buf text;

	buf_init(&text, NAME_BYTES_MAX);
	utf8_add_shortened(&text, diff_row_name(d, row, DIFF_BASE), NAME_SHOWN);
	const char *copy = arena_copy(arena, buf_str(&text)).p;
	buf_release(&text);
	return copy;
}

/* "; 71.0% of it in aten::copy_ (+2.600 ms, 4 -> 12 calls a step)" */
static const char *explanation(const struct diff *d, struct arena *arena)
{
	int64_t delta = sum_sub(d->sides[DIFF_NEW].subject, d->sides[DIFF_BASE].subject);
	const struct diff_row *row = main_row(d, delta);

	if (!row || delta == 0)
		return "";
	double share = 100 * (double)row->delta / (double)delta;
	bool is_part = d->unit == diff_subject_unit(d) &&
		       d->per_step == d->subject_per_step && share <= 100;
	return arena_printf(
		arena, "; %s %s (%s%s)",
		is_part ? arena_printf(arena, "%.0f%% of it in", share) : "most in",
		short_name(d, row, arena), signed_text(d->unit, row->delta, arena),
		d->metric == DIFF_CALLS ? "" : calls_text(d, row, arena));
}

const char *diff_headline_text(const struct diff *d, struct arena *arena)
{
	enum unit unit = diff_subject_unit(d);
	const char *base = amount_text(unit, d->sides[DIFF_BASE].subject, arena);
	const char *after = amount_text(unit, d->sides[DIFF_NEW].subject, arena);

	return arena_printf(arena, "%s %s -> %s, %s, %zu v %zu %s: %s%s",
			    diff_subject_name(d), base, after, change_text(d, arena),
			    d->headline.sizes[DIFF_BASE], d->headline.sizes[DIFF_NEW],
			    diff_subject_replicates(d), verdict_text(d),
			    explanation(d, arena));
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
	return arena_printf(arena, "%s %s by %s; delta = new - base",
			    diff_metric_title(d->metric), of, d->by->name);
}

const char *diff_undecided_text(const struct diff *d, struct arena *arena)
{
	const struct diff_headline *h = &d->headline;
	double alpha = d->request->alpha;
	size_t alone = rank_power_sides(alpha, 1),
	       all = rank_power_sides(alpha, d->ntested);
	const char *rows =
		d->ntested > 1 ? arena_printf(arena, ", and %zu for the %zu rows tested",
					      all, d->ntested)
			       : "";

	if (h->verdict != DIFF_UNDECIDED)
		return NULL;
	return arena_printf(
		arena,
		"%zu v %zu %s cannot decide at alpha %g, whatever the change: "
		"an exact p is %.2g at least; it takes %zu %s a side%s",
		h->sizes[DIFF_BASE], h->sizes[DIFF_NEW], diff_subject_replicates(d),
		alpha, rank_power_least_p(h->sizes[DIFF_BASE], h->sizes[DIFF_NEW]), alone,
		diff_subject_replicates(d), rows);
}

/* Enough for the headline, but not for as many rows. */
static void note_rows(const struct diff *d, struct memtable *to)
{
	size_t n = d->sides[DIFF_BASE].nreplicates, m = d->sides[DIFF_NEW].nreplicates;
	double limit = d->request->alpha / (double)(d->ntested ? d->ntested : 1);

	if (d->ntested == 0 || d->headline.verdict == DIFF_UNDECIDED)
		return;
	if (n > 1 && m > 1 && !rank_power_can_decide(n, m, limit))
		memtable_add_note(to,
				  "one row alone among the %zu tested could not be "
				  "significant: that takes %zu %s a side",
				  d->ntested,
				  rank_power_sides(d->request->alpha, d->ntested),
				  d->within_run ? "steps" : "runs");
}

/* The rows that --exit-code stops for, whatever the headline says. */
static void note_significant(const struct diff *d, struct memtable *to)
{
	const char *names = "";
	size_t found = 0;

	for (size_t i = 0; i < d->nrows; i++) {
		const struct diff_row *row = &d->rows[d->order[i]];
		if (!row->test.is_significant || ++found > NAMES_SHOWN)
			continue;
		names = arena_printf(&to->arena, "%s%s%s", names, found > 1 ? ", " : "",
				     short_name(d, row, &to->arena));
	}
	if (found > 0)
		memtable_add_note(to, "significant, %zu of %zu rows tested: %s%s", found,
				  d->ntested, names, found > NAMES_SHOWN ? ", ..." : "");
}

void diff_add_notes(const struct diff *d, struct memtable *to)
{
	const char *undecided = diff_undecided_text(d, &to->arena);

	if (d->subject_within_run || d->within_run)
		memtable_add_note(to,
				  "within one run: its steps are compared, which tells "
				  "nothing of the noise from run to run");
	if (undecided)
		memtable_add_note(to, "%s", undecided);
	if (d->headline.verdict == DIFF_NO_CHANGE && !isnan(d->headline.least_pct))
		memtable_add_note(
			to,
			"the smallest change that would have been seen in at least "
			"%d of 100 such comparisons: %.1f%%",
			RANK_POWER_PCT, d->headline.least_pct);
	note_significant(d, to);
	note_rows(d, to);
	if (d->has_steps && d->by->is_whole && !d->request->total &&
	    strcmp(d->by->name, "function") == 0)
		memtable_add_note(to, "functions are of whole runs, not of steps");
}
