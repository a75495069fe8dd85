/* What a comparison says in words: see diff_table.h. */
#include <math.h>

#include "query/diff/diff_table.h"
#include "query/short_name.h"
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

/* A name in a line of words. */
const char *diff_short_name(const struct diff *d, const struct diff_row *row,
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
			    diff_metric_title(d->metric), of, d->by->name,
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
	if (n > 1 && m > 1 && !rank_power_can_decide(n, m, limit))
		memtable_add_note(to, "single rows can be judged with %zu+ %s per side",
				  rank_power_sides(d->request->alpha, d->ntested),
				  d->within_run ? "steps" : "runs");
}

static void note_significant(const struct diff *d, struct memtable *to)
{
	const char *names = "";
	size_t found = 0;

	for (size_t i = 0; i < d->nrows; i++) {
		const struct diff_row *row = &d->rows[d->order[i]];
		if (!row->test.is_significant || ++found > NAMES_SHOWN)
			continue;
		names = arena_printf(&to->arena, "%s%s%s", names, found > 1 ? ", " : "",
				     diff_short_name(d, row, &to->arena));
	}
	if (found > 0)
		memtable_add_note(
			to, "%zu of %zu rows tested changed significantly: %s%s", found,
			d->ntested, names, found > NAMES_SHOWN ? ", ..." : "");
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
			"a change of %.1f%% or more would have been seen in %d of 100 "
			"such comparisons, a smaller one less often",
			d->headline.least_pct, RANK_POWER_PCT);
	note_significant(d, to);
	note_rows(d, to);
	if (d->has_steps && d->by->is_whole && !d->request->total &&
	    strcmp(d->by->name, "function") == 0)
		memtable_add_note(to, "functions are of whole runs, not of steps");
}
