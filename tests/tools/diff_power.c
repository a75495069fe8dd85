/*
 * diff_power: how often ptool diff is right, by simulation through its own code.  1,000
 * comparisons of two sides of 8 runs with 200 rows whose noise is normal:
 *
 *   - nothing was changed: how many report anything;
 *   - the headline is changed by 10 % at 5 % noise, and by 5 % at 2 %: how many see it;
 *   - every row is changed by 10 % at 5 % noise: how many of the tested rows are seen.
 *
 * Prints each share beside its limit; exit 1 when one is not kept.  No clock is read, and
 * the random numbers are the same at every run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "query/diff/diff_rows.h"

#define DIFFS      1000
#define RUNS       8
#define ROWS       200
#define ALPHA      0.05
#define MIN_EFFECT 1.0
#define MEAN_NS    1e8 /* of an average row */
#define PI         3.14159265358979323846

static double uniform(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t x = *state; /* splitmix64 */
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return ((double)((x ^ (x >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(uniform(state)));

	return radius * cos(2 * PI * uniform(state));
}

/* A new side that is changed by `change`, at a noise; both are parts of 1. */
struct plant {
	double change, noise;
};

static void fill(struct diff *d, size_t which, struct plant plant, uint64_t *state)
{
	struct diff_side *side = &d->sides[which];
	double factor = which == DIFF_NEW ? 1 + plant.change : 1;

	side->nruns = side->nreplicates = RUNS;
	side->units = RUNS;
	side->replicate_units = xcalloc(RUNS, sizeof(*side->replicate_units));
	for (uint32_t run = 0; run < RUNS; run++) {
		side->replicate_units[run] = 1;
		for (uint32_t row = 0; row < ROWS; row++) {
			/* sizes like those of operators: a few hold most of the time */
			double size = MEAN_NS * 20 / (row + 4);
			double ns = size * factor * (1 + plant.noise * normal(state));
			diff_sums_add(&side->sums,
				      (struct diff_sum){ row, run, 1, llround(ns) });
		}
	}
	diff_sums_merge(&side->sums);
}

/* What the rows of each run add up to. */
static void sum_runs(const struct diff_side *side, double sums[RUNS])
{
	for (size_t i = 0; i < RUNS; i++)
		sums[i] = 0;
	for (size_t i = 0; i < side->sums.n; i++)
		sums[side->sums.items[i].replicate] += (double)side->sums.items[i].amount;
}

static void simulate(struct diff *d, const struct diff_request *request,
		     struct plant plant, uint64_t *state)
{
	const struct diff_limits limits = { ALPHA, MIN_EFFECT };
	double base[RUNS], after[RUNS];
	char name[16];

	*d = (struct diff){ .request = request,
			    .by = diff_dimension_find("name"),
			    .unit = UNIT_NS,
			    .may_decide = true };
	intern_init(&d->names);
	for (unsigned row = 0; row < ROWS; row++) {
		snprintf(name, sizeof(name), "row %u", row);
		intern_add(&d->names, str_of(name));
	}
	for (size_t which = 0; which < NDIFF_SIDES; which++)
		fill(d, which, plant, state);
	sum_runs(&d->sides[DIFF_BASE], base);
	sum_runs(&d->sides[DIFF_NEW], after);
	diff_test_headline(base, RUNS, after, RUNS, &limits, &d->headline);
	diff_rows_make(d);
}

static bool is_change(const struct diff_headline *h)
{
	return h->verdict == DIFF_SLOWER || h->verdict == DIFF_FASTER;
}

static double share_of_false_reports(const struct diff_request *request, uint64_t *state)
{
	int reports = 0;

	for (int i = 0; i < DIFFS; i++) {
		struct diff d;
		simulate(&d, request, (struct plant){ 0, 0.05 }, state);
		reports += is_change(&d.headline) || d.has_significant_row;
		diff_release(&d);
	}
	return 100.0 * reports / DIFFS;
}

static double share_of_rows_found(const struct diff_request *request, uint64_t *state)
{
	size_t found = 0, tested = 0;

	for (int i = 0; i < DIFFS; i++) {
		struct diff d;
		simulate(&d, request, (struct plant){ 0.1, 0.05 }, state);
		tested += d.ntested;
		for (size_t row = 0; row < d.nrows; row++)
			found += d.rows[row].test.is_significant;
		diff_release(&d);
	}
	return 100.0 * (double)found / (double)tested;
}

static double share_of_headlines_found(struct plant plant, uint64_t *state)
{
	const struct diff_limits limits = { ALPHA, MIN_EFFECT };
	double base[RUNS], after[RUNS];
	int found = 0;

	for (int i = 0; i < DIFFS; i++) {
		struct diff_headline h;
		for (int run = 0; run < RUNS; run++) {
			base[run] = MEAN_NS * (1 + plant.noise * normal(state));
			after[run] = MEAN_NS * (1 + plant.change) *
				     (1 + plant.noise * normal(state));
		}
		diff_test_headline(base, RUNS, after, RUNS, &limits, &h);
		found += h.verdict == DIFF_SLOWER;
	}
	return 100.0 * found / DIFFS;
}

static bool tell(const char *what, double share, const char *relation, double limit)
{
	bool kept = relation[0] == '<' ? share <= limit : share >= limit;

	printf("%-52s %6.1f%%  %s %.0f%%%s\n", what, share, relation, limit,
	       kept ? "" : "  NOT KEPT");
	return kept;
}

int main(void)
{
	const struct diff_request request = { .alpha = ALPHA,
					      .min_effect_pct = MIN_EFFECT };
	uint64_t state = 9;
	bool kept = true;

	printf("diff: %d comparisons of 8 v 8 runs\n", DIFFS);
	kept &= tell("nothing changed, something reported",
		     share_of_false_reports(&request, &state), "<=", 5);
	kept &= tell("headline +10% at 5% noise, found",
		     share_of_headlines_found((struct plant){ 0.1, 0.05 }, &state),
		     ">=", 90);
	kept &= tell("headline +5% at 2% noise, found",
		     share_of_headlines_found((struct plant){ 0.05, 0.02 }, &state),
		     ">=", 97);
	kept &= tell("all rows +10% at 5% noise, found of those tested",
		     share_of_rows_found(&request, &state), ">=", 88);
	return kept ? EXIT_SUCCESS : EXIT_FAILURE;
}
