/* What the headline is made of, and its outliers: see diff_rows.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/diff/diff_rows.h"
#include "query/diff/diff_view.h"
#include "query/stats/rank_tests.h"
#include "query/steps/step_outliers.h"

#define NAMES_SHOWN 6

/* Steps of several phases differ by what they do: none is an outlier among them. */
static void mark_side(const struct diff *d, struct diff_outliers *out,
		      enum diff_which which)
{
	const struct diff_side *side = &d->sides[which];
	bool is_mixed = d->subject_within_run && side->steps[0].is_mixed;
	size_t n = is_mixed ? 0 : side->nsamples;
	int64_t *ns = xrealloc_array(NULL, n, sizeof(*ns));
	struct step_usual usual;

	for (size_t i = 0; i < n; i++)
		ns[i] = sum_of_double(round(side->samples[i]));
	if (step_usual_of(ns, n, &usual)) {
		out->is[which] = xcalloc(n, sizeof(bool));
		for (size_t i = 0; i < n; i++) {
			out->is[which][i] =
				sum_of_double(round(side->samples[i])) > usual.limit_ns;
			out->n[which] += out->is[which][i];
		}
	}
	free(ns);
}

/* The samples of a side but its outliers; their mean is returned. */
static double keep_usual(const struct diff *d, enum diff_which which, double *values,
			 size_t *n)
{
	const struct diff_side *side = &d->sides[which];
	const bool *is = d->outliers.is[which];
	double sum = 0;

	*n = 0;
	for (size_t i = 0; i < side->nsamples; i++) {
		if (is && is[i])
			continue;
		values[(*n)++] = side->samples[i];
		sum += side->samples[i];
	}
	return sum / (double)*n;
}

static void compare_usual(struct diff *d)
{
	const struct diff_limits limits = { d->request->alpha,
					    d->request->min_effect_pct };
	double *values[NDIFF_SIDES], means[NDIFF_SIDES];
	struct diff_headline usual;
	size_t n[NDIFF_SIDES];

	for (int which = DIFF_BASE; which < NDIFF_SIDES; which++) {
		values[which] =
			xrealloc_array(NULL, d->sides[which].nsamples, sizeof(double));
		means[which] =
			keep_usual(d, (enum diff_which)which, values[which], &n[which]);
	}
	diff_test_headline(values[DIFF_BASE], n[DIFF_BASE], values[DIFF_NEW], n[DIFF_NEW],
			   &limits, &usual);
	d->outliers.median_pct = usual.change_pct;
	if (means[DIFF_BASE] > 0)
		d->outliers.change_pct =
			100 * (means[DIFF_NEW] - means[DIFF_BASE]) / means[DIFF_BASE];
	for (size_t i = 0; i < NDIFF_SIDES; i++)
		free(values[i]);
}

static void find_outliers(struct diff *d)
{
	struct diff_outliers *o = &d->outliers;

	*o = (struct diff_outliers){ .change_pct = (double)NAN,
				     .median_pct = (double)NAN };
	if (d->subject == DIFF_OF_ROWS || d->sides[DIFF_NEW].nruns == 0)
		return;
	for (int which = DIFF_BASE; which < NDIFF_SIDES; which++)
		mark_side(d, o, (enum diff_which)which);
	if (o->n[DIFF_BASE] + o->n[DIFF_NEW] > 0)
		compare_usual(d);
}

void diff_outliers_release(struct diff_outliers *o)
{
	for (size_t i = 0; i < NDIFF_SIDES; i++)
		free(o->is[i]);
	*o = (struct diff_outliers){ .change_pct = (double)NAN };
}

/* The number of a step, or the file of a run without its folders. */
static const char *sample_name(const struct diff *d, enum diff_which which, size_t sample,
			       struct arena *arena)
{
	const struct diff_steps *steps = &d->sides[which].steps[0];
	size_t i = 0;

	if (!d->subject_within_run) {
		const char *name = d->request->runs[which][sample].name;
		const char *slash = strrchr(name, '/');
		return slash && slash[1] ? slash + 1 : name;
	}
	while (i + 1 < steps->n && steps->items[i].replicate != sample)
		i++;
	return arena_printf(arena, "%" PRId64, steps->items[i].number);
}

/* "5, 9": those of a side; NULL: it has none. */
static const char *diff_outliers_names(const struct diff *d, enum diff_which which,
				       struct arena *arena)
{
	const struct diff_outliers *o = &d->outliers;
	const char *names = NULL;
	size_t found = 0;

	for (size_t i = 0; o->n[which] > 0 && i < d->sides[which].nsamples; i++) {
		if (!o->is[which][i])
			continue;
		if (++found > NAMES_SHOWN)
			return arena_printf(arena, "%s, ...", names);
		names = arena_printf(arena, "%s%s%s", names ? names : "",
				     names ? ", " : "", sample_name(d, which, i, arena));
	}
	return names;
}

/* "2 of 6 new steps are outliers: 5, 9; " */
static const char *side_text(const struct diff *d, enum diff_which which,
			     struct arena *arena)
{
	size_t n = d->outliers.n[which];

	if (n == 0)
		return "";
	return arena_printf(arena, "%zu of %zu %s %s %s: %s; ", n,
			    d->sides[which].nsamples, which == DIFF_NEW ? "new" : "base",
			    diff_subject_replicates(d),
			    n > 1 ? "are outliers" : "is an outlier",
			    diff_outliers_names(d, which, arena));
}

const char *diff_outliers_text(const struct diff *d, struct arena *arena)
{
	const struct diff_outliers *o = &d->outliers;
	size_t n = o->n[DIFF_BASE] + o->n[DIFF_NEW];

	if (n == 0 || isnan(o->change_pct))
		return NULL;
	return arena_printf(arena, "%s%swithout %s %s (median change %s)",
			    side_text(d, DIFF_BASE, arena), side_text(d, DIFF_NEW, arena),
			    n > 1 ? "them" : "it", diff_pct_text(o->change_pct, arena),
			    diff_pct_text(o->median_pct, arena));
}

/* One run's value for the headline; of steps when `per_step`, their mean. */
static double run_subject(const struct diff *d, const struct diff_side *side,
			  const struct diff_run *run, size_t i, int64_t *total)
{
	const struct diff_steps *steps = &side->steps[i];

	*total = 0;
	if (d->subject == DIFF_OF_STEPS) {
		*total = diff_steps_total(steps);
		return (double)*total /
		       (double)(d->subject_per_step && steps->n ? steps->nranges : 1);
	}
	for (size_t p = 0; p < run->scope->n; p++)
		*total = sum_add(*total, run->scope->profiles[p].dur_ns);
	return (double)*total;
}

static void sample_runs(const struct diff *d, size_t which, struct diff_side *side)
{
	int64_t all = 0, units = 0;

	side->samples = xcalloc(side->nruns, sizeof(*side->samples));
	for (size_t i = 0; i < side->nruns; i++) {
		int64_t total;
		side->samples[side->nsamples++] =
			run_subject(d, side, &d->request->runs[which][i], i, &total);
		all = sum_add(all, total);
		units += d->subject_per_step ? (int64_t)side->steps[i].nranges : 1;
	}
	side->subject = diff_divide(all, units > 0 ? units : 1);
}

/* The steps of one run a side; of several ranks the mean of those of one number. */
static void sample_steps(struct diff_side *side)
{
	const struct diff_steps *steps = &side->steps[0];
	int64_t *n = xcalloc(steps->nreplicates, sizeof(*n));

	side->nsamples = steps->nreplicates;
	side->samples = xcalloc(side->nsamples, sizeof(*side->samples));
	for (size_t i = 0; i < steps->n; i++) {
		const struct diff_step *step = &steps->items[i];
		side->samples[step->replicate] += (double)step->dur_ns;
		n[step->replicate] += step->count;
	}
	for (size_t i = 0; i < side->nsamples; i++)
		side->samples[i] /= (double)n[i];
	free(n);
	side->subject =
		steps->n ? diff_divide(diff_steps_total(steps), (int64_t)steps->nranges)
			 : 0;
}

/* What the rows add up to, replicate by replicate. */
static void sample_rows(struct diff_side *side, const struct diff_sums *of)
{
	int64_t all = 0, *sums = xcalloc(side->nreplicates, sizeof(*sums));

	side->nsamples = side->nreplicates;
	side->samples = xcalloc(side->nsamples, sizeof(*side->samples));
	for (size_t i = 0; i < of->n; i++) {
		const struct diff_sum *sum = &of->items[i];
		sums[sum->replicate] = sum_add(sums[sum->replicate], sum->amount);
		all = sum_add(all, sum->amount);
	}
	for (size_t i = 0; i < side->nsamples; i++)
		side->samples[i] = (double)sums[i] / (double)side->replicate_units[i];
	side->subject = diff_divide(all, side->units);
	free(sums);
}

void diff_headline_make(struct diff *d)
{
	const struct diff_limits limits = { d->request->alpha,
					    d->request->min_effect_pct };

	for (size_t which = 0; which < NDIFF_SIDES; which++) {
		struct diff_side *side = &d->sides[which];
		if (side->nruns == 0)
			continue;
		if (d->subject == DIFF_OF_ROWS)
			sample_rows(side, diff_has_self_sums(d) ? &side->self_sums
								: &side->sums);
		else if (d->subject_within_run)
			sample_steps(side);
		else
			sample_runs(d, which, side);
	}
	diff_test_headline(d->sides[DIFF_BASE].samples, d->sides[DIFF_BASE].nsamples,
			   d->sides[DIFF_NEW].samples, d->sides[DIFF_NEW].nsamples,
			   &limits, &d->headline);
	if (!d->may_decide) {
		d->headline.verdict = DIFF_UNDECIDED;
		d->headline.least_pct = (double)NAN;
	}
	find_outliers(d);
}

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
	{ "shift", "Shift", "median change: the Hodges-Lehmann estimate", NULL, UNIT_NS, SHIFT(shift.shift) },
	{ "shift_low", "Low", "its interval, from here; null with one value a side", NULL, UNIT_NS, SHIFT(shift.low) },
	{ "shift_high", "High", "to here", NULL, UNIT_NS, SHIFT(shift.high) },
	{ "shift_pct", "Shift %", "the shift in percent of the mean of base", NULL, UNIT_PERCENT, REAL(headline.change_pct) },
	{ "shift_low_pct", "Low %", "its interval, from here", NULL, UNIT_PERCENT, REAL(headline.low_pct) },
	{ "shift_high_pct", "High %", "to here", NULL, UNIT_PERCENT, REAL(headline.high_pct) },
	{ "p", "p", "p of the Mann-Whitney test", NULL, UNIT_RATIO, REAL(headline.p) },
	{ "verdict", "Verdict", "increase, decrease, no_change or undecided", NULL, UNIT_TEXT, .get = get_verdict },
	{ "replicates", "Replicates", "what is compared: runs or steps", NULL, UNIT_TEXT, .get = get_replicates },
	{ "base_replicates", "Base n", "how many in base", NULL, UNIT_COUNT, NUMBER(headline.sizes[DIFF_BASE]) },
	{ "new_replicates", "New n", "how many in new", NULL, UNIT_COUNT, NUMBER(headline.sizes[DIFF_NEW]) },
	{ "needed_replicates", "Needed", "runs or steps per side that a verdict needs", NULL, UNIT_COUNT, .get = get_needed },
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
