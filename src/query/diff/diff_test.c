/* What is believed of a comparison: see diff_test.h. */
#include "query/diff/diff_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "query/stats/middle.h"
#include "query/stats/rank_tests.h"

void diff_tester_init(struct diff_tester *t, size_t nbase, size_t nnew)
{
	*t = (struct diff_tester){ .sizes = { nbase, nnew } };
	t->has_exact = u_distribution_is_for_p(nbase, nnew);
	if (t->has_exact)
		u_distribution_init(&t->exact, nnew, nbase);
}

void diff_tester_release(struct diff_tester *t)
{
	u_distribution_release(&t->exact);
	*t = (struct diff_tester){ .has_exact = false };
}

double diff_tester_p(struct diff_tester *t, double *const values[2], const size_t n[2])
{
	struct sparse_sample of[2];

	for (size_t i = 0; i < 2; i++) {
		qsort(values[i], n[i], sizeof(double), sort_compare_double);
		of[i] = (struct sparse_sample){ { values[i], n[i] }, t->sizes[i] - n[i] };
	}
	return mann_whitney_sparse(of[0], of[1], t->has_exact ? &t->exact : NULL).p;
}

static bool is_large(double change_pct, const struct diff_limits *limits)
{
	return fabs(change_pct) > limits->min_effect_pct; /* not when it is NaN */
}

void diff_test_rows(struct diff_test *rows, size_t n, const struct diff_limits *limits)
{
	double *p = xrealloc_array(NULL, n, sizeof(*p));
	size_t tested = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		if (rows[i].is_tested && !isnan(rows[i].p))
			p[tested++] = rows[i].p;
	benjamini_hochberg(p, p, tested);
	for (size_t i = 0; i < n; i++) {
		struct diff_test *row = &rows[i];
		bool has_q = row->is_tested && !isnan(row->p);
		row->q = has_q ? p[at++] : (double)NAN;
		row->is_significant = has_q && row->q < limits->alpha &&
				      is_large(row->change_pct, limits);
	}
	free(p);
}

static double deviation(struct sample of)
{
	double middle = middle_mean(of.values, of.n), sum = 0;

	for (size_t i = 0; i < of.n; i++)
		sum += (of.values[i] - middle) * (of.values[i] - middle);
	return of.n > 1 ? sqrt(sum / (double)(of.n - 1)) : (double)NAN;
}

/*
 * The least change that sizes and deviations like these would show; NaN: none.  One of
 * `least` seems larger than it in half of the cases: by rank it varies as a difference of
 * means of 3 / pi times as many values does.
 */
static double least_shift(struct sample a, struct sample b,
			  const struct u_distribution *exact, double alpha, double least)
{
	double of_a = deviation(a), of_b = deviation(b);

	if (isnan(of_a)) /* one value says nothing: both vary alike */
		of_a = of_b;
	if (isnan(of_b))
		of_b = of_a;
	if (isnan(of_a))
		return (double)NAN;
	double sizes = of_a * of_a / (double)a.n + of_b * of_b / (double)b.n;
	double shift = rank_power_least_shift(of_a, a.n, of_b, b.n, exact, alpha);
	double wanted = normal_quantile_above(1 - RANK_POWER_PCT / 100.0);
	double seen = least + wanted * sqrt(sizes * acos(-1.0) / 3);
	return shift < seen ? seen : shift;
}

/* Of a whole that may be negative, as what was freed: the sign is that of the part. */
static double percent(double part, double whole)
{
	return whole != 0 ? 100 * part / fabs(whole) : (double)NAN;
}

static double *sorted_copy(const double *values, size_t n)
{
	double *copy = xrealloc_array(NULL, n, sizeof(*copy));

	memcpy(copy, values, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), sort_compare_double);
	return copy;
}

/* The shift; its interval takes exact quantiles of more sizes than p does. */
static struct hodges_lehmann find_shift(const struct diff_tester *t, struct sample base,
					struct sample new_side, double alpha)
{
	struct u_distribution wide = { 0, 0, NULL };
	const struct u_distribution *exact = t->has_exact ? &t->exact : NULL;

	if (!exact && base.n <= U_DISTRIBUTION_PAIRS_MAX / new_side.n) {
		u_distribution_init(&wide, new_side.n, base.n);
		exact = &wide;
	}
	struct hodges_lehmann h = hodges_lehmann(base, new_side, exact, alpha);
	u_distribution_release(&wide);
	return h;
}

/* `least_p`: of the test. */
static enum diff_verdict decide(const struct diff_headline *h, double least_p,
				const struct diff_limits *limits)
{
	/* From 0 any change is more than any percentage. */
	double change_pct =
		isnan(h->change_pct) ? h->shift.shift * (double)INFINITY : h->change_pct;

	if (!(least_p < limits->alpha))
		return DIFF_UNDECIDED;
	if (!(h->p < limits->alpha) || !is_large(change_pct, limits))
		return DIFF_NO_CHANGE;
	return h->shift.shift > 0 ? DIFF_SLOWER : DIFF_FASTER;
}

void diff_test_headline(const double *base, size_t nbase, const double *new_side,
			size_t nnew, const struct diff_limits *limits,
			struct diff_headline *out)
{
	*out = (struct diff_headline){ .p = (double)NAN,
				       .change_pct = (double)NAN,
				       .low_pct = (double)NAN,
				       .high_pct = (double)NAN,
				       .least_pct = (double)NAN,
				       .sizes = { nbase, nnew } };
	if (nbase == 0 || nnew == 0)
		return;
	struct diff_tester t;
	diff_tester_init(&t, nbase, nnew);
	double *copies[2] = { sorted_copy(base, nbase), sorted_copy(new_side, nnew) };
	struct sample a = { copies[0], nbase }, b = { copies[1], nnew };
	const struct u_distribution *exact = t.has_exact ? &t.exact : NULL;
	double whole = middle_mean(a.values, nbase);
	struct mann_whitney test = mann_whitney(a, b, exact);
	out->has_interval = (nbase > 1 && nnew > 1) ||
			    rank_power_can_decide(nbase, nnew, limits->alpha);
	if (out->has_interval)
		out->p = test.p;
	out->shift = find_shift(&t, a, b, limits->alpha);
	out->change_pct = percent(out->shift.shift, whole);
	out->low_pct = percent(out->shift.low, whole);
	out->high_pct = percent(out->shift.high, whole);
	if (!out->has_interval)
		out->shift.low = out->shift.high = out->low_pct = out->high_pct =
			(double)NAN;
	double least = limits->min_effect_pct / 100 * fabs(whole);
	out->least_pct = percent(least_shift(a, b, exact, limits->alpha, least), whole);
	out->verdict = decide(out, test.least_p, limits);
	free(copies[0]);
	free(copies[1]);
	diff_tester_release(&t);
}
