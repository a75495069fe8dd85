/* Budgets, judged: see gate.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "query/gate/gate.h"
#include "query/stats/middle.h"
#include "query/stats/rank_tests.h"
#include "query/stats/signed_rank.h"

#define INTERVAL_ALPHA (1 - GATE_INTERVAL_PCT / 100.0)

/* Of so many pairs at most the means of two are looked at; of more, of a share of them. */
#define PAIRS_MAX 4000

/* By rank, a difference is found as by a mean of so many times fewer values: 3 / pi. */
#define EFFICIENCY 0.9549

/* Worse than the middle by so many median deviations is an outlier ... */
#define OUTLIER 6

/* ... of which there is at most one among so many. */
#define OUTLIERS_OF 4

/* From so many equal values of base on, they have no noise. */
#define EQUAL_LEAST 3

static double *sorted_copy(struct gate_side side)
{
	double *copy = xrealloc_array(NULL, side.n, sizeof(*copy));

	if (side.n)
		memcpy(copy, side.values, side.n * sizeof(*copy));
	qsort(copy, side.n, sizeof(*copy), sort_compare_double);
	return copy;
}

static double middle_of(struct gate_side side)
{
	double *copy = sorted_copy(side);
	double middle = middle_median(copy, side.n);

	free(copy);
	return middle;
}

static double deviation(const double *values, size_t n)
{
	double mean = n ? middle_mean(values, n) : 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return n > 1 ? sqrt(sum / (double)(n - 1)) : (double)NAN;
}

static bool are_equal(struct gate_side side)
{
	for (size_t i = 1; i < side.n; i++)
		if (side.values[i] != side.values[0])
			return false;
	return true;
}

static double percent(double part, double whole)
{
	return whole != 0 ? 100 * part / fabs(whole) : (double)NAN;
}

/* What a test says of both sides, in their unit. */
struct seen {
	struct hodges_lehmann shift;
	double p;
	double deviation; /* of one value of a side, or of a pair's difference; may be NaN */
	double least_p;    /* of sizes like these */
	double lowest_p;   /* of these values, which may be equal */
	bool has_interval; /* of the confidence that is asked for */
};

static void see_unpaired(const struct gate_trial *t, struct seen *s)
{
	size_t m = t->base.n, n = t->new_side.n;
	double *copies[2] = { sorted_copy(t->base), sorted_copy(t->new_side) };
	struct sample a = { copies[0], m }, b = { copies[1], n };
	struct u_distribution own = { 0, 0, NULL }, *made = t->exact ? t->exact : &own;
	const struct u_distribution *exact = u_distribution_is_for_p(m, n) ? made : NULL;

	if (exact && (made->m != (m > n ? m : n) || made->n != (m > n ? n : m))) {
		u_distribution_release(made);
		u_distribution_init(made, m, n);
	}
	struct mann_whitney test = mann_whitney(a, b, exact);
	s->p = test.p;
	s->least_p = rank_power_least_p(m, n);
	s->lowest_p = test.least_p;
	s->shift = hodges_lehmann(a, b, exact, INTERVAL_ALPHA);
	double of[2] = { deviation(copies[0], m), deviation(copies[1], n) };
	s->deviation = isnan(of[0])   ? of[1]
		       : isnan(of[1]) ? of[0]
				      : sqrt((of[0] * of[0] + of[1] * of[1]) / 2);
	u_distribution_release(&own);
	free(copies[0]);
	free(copies[1]);
}

static void see_paired(const struct gate_trial *t, struct seen *s)
{
	size_t n = t->base.n, every = (n + PAIRS_MAX - 1) / PAIRS_MAX, kept = 0;
	double *differences = xrealloc_array(NULL, n, sizeof(*differences));

	for (size_t i = 0; i < n; i++)
		differences[i] = t->new_side.values[i] - t->base.values[i];
	struct signed_rank test = signed_rank_test(differences, n);
	s->p = test.p;
	s->deviation = deviation(differences, n);
	for (size_t i = 0; i < n; i += every)
		differences[kept++] = differences[i];
	s->shift = signed_rank_shift(differences, kept, INTERVAL_ALPHA);
	s->least_p = signed_rank_least_p(n);
	s->lowest_p = signed_rank_least_p(test.n);
	free(differences);
}

/*
 * Which values are not far from the middle, for the worse (sign 1 or -1) or in both
 * directions (0); how many, all where the others would be more than a few.  One slow run of
 * a side, by another load of the machine, else hides each change from a test by ranks.
 */
static size_t find_usual(const double *values, size_t n, double sign, bool *is_usual)
{
	double *sizes = xrealloc_array(NULL, n, sizeof(*sizes));
	double middle = middle_of((struct gate_side){ values, n });
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		sizes[i] = fabs(values[i] - middle);
	double usual = middle_median(sizes, n);
	free(sizes);
	for (size_t i = 0; i < n; i++) {
		double off = values[i] - middle,
		       size = sign == 0 ? fabs(off) : sign * off;
		is_usual[i] = !(usual > 0 && size > OUTLIER * usual);
		left += is_usual[i];
	}
	if ((n - left) * OUTLIERS_OF <= n)
		return left;
	for (size_t i = 0; i < n; i++)
		is_usual[i] = true;
	return n;
}

static void keep(const double *values, size_t n, const bool *is_usual, double *kept)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		if (is_usual[i])
			kept[left++] = values[i];
}

static size_t keep_side(const struct gate_side *side, double sign, double *kept)
{
	bool *is_usual = xcalloc(side->n, sizeof(*is_usual));
	size_t left = find_usual(side->values, side->n, sign, is_usual);

	keep(side->values, side->n, is_usual, kept);
	free(is_usual);
	return left;
}

/* The same of pairs, by their differences, of which the better ones can be as wrong. */
static size_t keep_pairs(const struct gate_trial *t, double *base, double *new_side)
{
	size_t n = t->base.n;
	double *differences = xrealloc_array(NULL, n, sizeof(*differences));
	bool *is_usual = xcalloc(n, sizeof(*is_usual));

	for (size_t i = 0; i < n; i++)
		differences[i] = t->new_side.values[i] - t->base.values[i];
	size_t left = find_usual(differences, n, 0, is_usual);
	keep(t->base.values, n, is_usual, base);
	keep(t->new_side.values, n, is_usual, new_side);
	free(differences);
	free(is_usual);
	return left;
}

/* The trial without outliers; the values are the caller's to free. */
static struct gate_trial without_outliers(const struct gate_trial *t, double **values)
{
	struct gate_trial kept = *t;
	double sign = t->higher_is_better ? -1 : 1;
	double *base = xcalloc(t->base.n + t->new_side.n, sizeof(*base));
	double *new_side = base + t->base.n;

	*values = base;
	if (t->is_paired) {
		kept.base.n = kept.new_side.n = keep_pairs(t, base, new_side);
	} else {
		kept.base.n = keep_side(&t->base, sign, base);
		kept.new_side.n = keep_side(&t->new_side, sign, new_side);
	}
	kept.base.values = base;
	kept.new_side.values = new_side;
	return kept;
}

/* In percent of base's middle; in the column's unit where that is 0. */
static double measure(double part, double base)
{
	return base != 0 ? percent(part, base) : part;
}

/* How much worse than base's middle is allowed: of 0, any percentage is 0. */
static double allowed_of(const struct gate_trial *t, double base)
{
	if (t->is_in_noise)
		return t->tolerance * measure(deviation(t->base.values, t->base.n), base);
	return base != 0 ? t->tolerance : 0;
}

/* Of the new values so many are worse than base's middle by more than is allowed. */
static size_t count_worse(const struct gate_trial *t, const struct gate_result *r)
{
	double sign = t->higher_is_better ? -1 : 1;
	size_t n = 0;

	for (size_t i = 0; i < t->new_side.n; i++)
		n += sign * measure(t->new_side.values[i] - r->base, r->base) >
		     r->allowed;
	return n;
}

/* Where base has no noise any difference is real: if the new values agree, they decide. */
static void judge_without_noise(const struct gate_trial *t, struct gate_result *r)
{
	size_t worse = count_worse(t, r);

	r->has_noise = worse != 0 && worse != t->new_side.n;
	if (r->has_noise)
		return;
	r->p = (double)NAN;
	r->can_decide = true;
	r->is_worse = worse != 0;
	r->is_within = !r->is_worse;
}

static void judge_kept(const struct gate_trial *t, double alpha, struct gate_result *r)
{
	struct seen s = { .p = (double)NAN };
	double sign = t->higher_is_better ? -1 : 1;

	if (t->is_paired)
		see_paired(t, &s);
	else
		see_unpaired(t, &s);
	r->base = middle_of(t->base);
	r->change_pct = percent(s.shift.shift, r->base);
	r->p = s.p;
	r->lowest_p = s.lowest_p;
	r->can_decide = s.least_p < alpha;
	s.has_interval = s.least_p < INTERVAL_ALPHA + 1e-9;
	if (t->base.n > 1 && t->new_side.n > 1) {
		r->low_pct = percent(s.shift.low, r->base);
		r->high_pct = percent(s.shift.high, r->base);
	}
	r->worse = sign * measure(s.shift.shift, r->base);
	r->allowed = allowed_of(t, r->base);
	r->deviation = measure(s.deviation, r->base);
	r->tolerance_pct = r->base != 0     ? r->allowed
			   : t->is_in_noise ? (double)NAN
					    : t->tolerance;
	double end = t->higher_is_better ? -s.shift.low : s.shift.high;
	r->is_worse = r->worse > r->allowed;
	r->is_within = s.has_interval && measure(end, r->base) <= r->allowed;
	r->has_noise = true;
	if (t->base.n >= EQUAL_LEAST && are_equal(t->base))
		judge_without_noise(t, r);
}

static void judge_change(const struct gate_trial *t, double alpha, struct gate_result *r)
{
	double *values;
	struct gate_trial kept = without_outliers(t, &values);

	r->value = middle_of(kept.new_side);
	r->outliers[0] = t->base.n - kept.base.n;
	r->outliers[1] = t->new_side.n - kept.new_side.n;
	judge_kept(&kept, alpha, r);
	free(values);
}

/* P(so many or more of n by chance, each with even odds). */
static double coin_p(size_t k, size_t n)
{
	double term = ldexp(1, -(int)n), sum = 0;

	for (size_t i = 0; i <= n; i++) {
		if (i >= k)
			sum += term;
		term *= (double)(n - i) / (double)(i + 1);
	}
	return sum;
}

static size_t count_broken(const struct gate_trial *t)
{
	size_t broken = 0;

	for (size_t i = 0; i < t->new_side.n; i++)
		broken += t->higher_is_better ? t->new_side.values[i] < t->limit
					      : t->new_side.values[i] > t->limit;
	return broken;
}

/*
 * Against a limit: it is kept when the middle run keeps it, and broken when all runs break
 * it, or so many that chance is unlikely.
 */
static void judge_limit(const struct gate_trial *t, double alpha, struct gate_result *r)
{
	size_t broken = count_broken(t), n = t->new_side.n;
	bool is_beyond = t->higher_is_better ? r->value < t->limit : r->value > t->limit;
	bool is_sure = broken == n || (n < GATE_RUNS_MAX && coin_p(broken, n) < alpha);
	r->verdict = !is_beyond ? GATE_PASS : is_sure ? GATE_FAIL : GATE_INCONCLUSIVE;
}

void gate_judge(const struct gate_trial *trial, double alpha, struct gate_result *out)
{
	*out = (struct gate_result){ .base = (double)NAN,
				     .change_pct = (double)NAN,
				     .low_pct = (double)NAN,
				     .high_pct = (double)NAN,
				     .tolerance_pct = (double)NAN,
				     .worse = (double)NAN,
				     .allowed = (double)NAN,
				     .deviation = (double)NAN,
				     .p = (double)NAN,
				     .q = (double)NAN,
				     .is_row = trial->is_row };
	out->value = middle_of(trial->new_side);
	if (trial->base.n == 0)
		judge_limit(trial, alpha, out);
	else
		judge_change(trial, alpha, out);
}

static bool is_tested(const struct gate_result *r)
{
	return !isnan(r->p);
}

static void decide_one(struct gate_result *r, double p, double alpha)
{
	bool is_sure = r->has_noise ? r->can_decide && p < alpha : r->can_decide;

	r->verdict = r->is_worse && is_sure ? GATE_FAIL
		     : r->is_within         ? GATE_PASS
					    : GATE_INCONCLUSIVE;
}

/* Worse as far as its p can tell, when none is small enough for one of so many. */
static bool is_lost(const struct gate_result *r, double alpha)
{
	bool is_told = r->p < alpha || r->p <= r->lowest_p * (1 + 1e-9);

	return r->is_row && r->is_worse && r->has_noise && is_told && r->q >= alpha &&
	       r->lowest_p * (double)r->tests >= alpha;
}

void gate_decide(struct gate_result *results, size_t n, double alpha)
{
	double *p = xrealloc_array(NULL, n, sizeof(*p));
	size_t tested = 0, at = 0;
	bool has_headline = false;

	for (size_t i = 0; i < n; i++) {
		results[i].is_headline =
			is_tested(&results[i]) && !has_headline && !results[i].is_row;
		has_headline |= results[i].is_headline;
		if (is_tested(&results[i]) && !results[i].is_headline)
			p[tested++] = results[i].p;
	}
	benjamini_hochberg(p, p, tested);
	for (size_t i = 0; i < n; i++) {
		struct gate_result *r = &results[i];
		if (isnan(r->base))
			continue; /* a limit decides for itself */
		if (is_tested(r) && !r->is_headline) {
			r->q = p[at++];
			r->tests = tested;
			r->is_lost = is_lost(r, alpha);
		}
		decide_one(r, r->is_headline ? r->p : r->q, alpha);
	}
	free(p);
}

bool gate_row_is_open(const struct gate_result *row)
{
	return (row->has_noise && !row->can_decide) || row->is_lost;
}

/* Of n pairs as many as differ if as many do as here: equal ones take no part. */
static size_t count_different(const struct gate_trial *t, size_t n)
{
	size_t different = 0;

	for (size_t i = 0; i < t->base.n; i++)
		different += t->base.values[i] != t->new_side.values[i];
	return n * different / t->base.n;
}

/* `is_worse`: by its p; else an interval has to decide, which is of all pairs. */
static bool is_likely(const struct gate_trial *t, bool is_worse, size_t n, double alpha)
{
	size_t pairs = t->is_paired && is_worse ? count_different(t, n) : n;

	return t->is_paired ? signed_rank_least_p(pairs) < alpha
			    : rank_power_can_decide(n, n, alpha);
}

/* Runs of the smaller side. */
static size_t trial_least(const struct gate_trial *t)
{
	return t->base.n < t->new_side.n ? t->base.n : t->new_side.n;
}

static size_t runs_for_limit(const struct gate_trial *t, double alpha)
{
	size_t broken = count_broken(t), n = t->new_side.n, more = n + 1;

	while (more <= GATE_RUNS_MAX &&
	       !(coin_p((more * broken + n - 1) / n, more) < alpha))
		more++;
	return more;
}

/* As many as some p is below alpha for. */
static size_t runs_for_row(const struct gate_trial *t, double alpha)
{
	size_t n = trial_least(t) + 1;

	while (n <= GATE_RUNS_MAX && !is_likely(t, false, n, alpha))
		n++;
	return n;
}

/*
 * If the change and the noise are as they are here: as many as bring the change's error
 * below what lies between it and 0, or the tolerance.
 */
static size_t runs_for_change(const struct gate_trial *t, const struct gate_result *r,
			      double alpha)
{
	double level = !r->is_worse ? INTERVAL_ALPHA
		       : r->is_lost ? alpha / (double)r->tests
				    : alpha;
	double room = (r->is_worse ? r->worse : r->allowed - r->worse) /
		      normal_quantile_above(level / 2);
	double sides = t->is_paired ? 1 : 2;
	size_t n = 2;

	if (r->is_row && !r->is_worse) /* its interval does not count */
		return runs_for_row(t, alpha);
	while (n <= GATE_RUNS_MAX && !is_likely(t, r->is_worse, n, level))
		n++;
	while (n <= GATE_RUNS_MAX &&
	       r->deviation * sqrt(sides / ((double)n * EFFICIENCY)) > room)
		n++; /* never where the noise is not known: NaN */
	size_t there = trial_least(t);
	return n > there ? n : there + 1; /* as unlucky as these were */
}

size_t gate_runs_needed(const struct gate_trial *trial, const struct gate_result *r,
			double alpha)
{
	size_t n = trial->base.n ? runs_for_change(trial, r, alpha)
				 : runs_for_limit(trial, alpha);

	return n <= GATE_RUNS_MAX ? n : 0;
}
