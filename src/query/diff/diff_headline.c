/* What the headline of a comparison is made of: see diff_rows.h. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/diff/diff_outliers.h"
#include "query/diff/diff_rows.h"

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
	diff_outliers_find(d);
}
