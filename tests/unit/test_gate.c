/* What ptool gate believes: pairs by signed ranks, verdicts, and how often they are wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/gate/gate.h"
#include "query/stats/middle.h"
#include "query/stats/signed_rank.h"

#define ALPHA 0.01

static void assert_near(double got, double wanted, double within)
{
	if (!(fabs(got - wanted) <= within))
		fail_msg("%.9g is not %.9g", got, wanted);
}

/* R: wilcox.test(x, conf.int = TRUE) */
static void signed_ranks_are_those_of_r(void **state)
{
	static const double x[] = {
		1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30
	};
	static const double y[] = { 0.878, 0.647, 0.598, 2.05, 1.06,
				    1.29,  1.06,  3.14,  1.29 };
	double d[9];

	(void)state;
	for (size_t i = 0; i < 9; i++)
		d[i] = x[i] - y[i];
	struct signed_rank test = signed_rank_test(d, 9);
	assert_true(test.is_exact);
	assert_near(test.w, 40, 0);
	assert_near(test.p, 0.0390625, 1e-12); /* Hollander and Wolfe 1973, 29f. */
	struct hodges_lehmann h = signed_rank_shift(d, 9, 0.05);
	assert_near(h.shift, 0.46, 1e-9);
	assert_near(h.low, 0.01, 1e-9);
	assert_near(h.high, 0.786, 1e-9);
	assert_near(signed_rank_least_p(9), 2 / 512.0, 0);
	/* ties share their ranks, exactly: 8 of 8 are worse */
	test = signed_rank_test((const double[]){ 1, 1, 2, 2, 2, 3, 3, 1 }, 8);
	assert_near(test.p, 2 / 256.0, 1e-15);
}

static struct gate_result judge(const double *base, size_t nbase, const double *new_side,
				size_t nnew, double tolerance)
{
	const struct gate_trial trial = { .base = { base, nbase },
					  .new_side = { new_side, nnew },
					  .tolerance = tolerance };
	struct gate_result r;

	gate_judge(&trial, ALPHA, &r);
	gate_decide(&r, 1, ALPHA);
	return r;
}

static void one_slow_run_a_side_hides_nothing(void **state)
{
	const double base[] = { 100, 101, 99, 102, 98, 100.5, 99.5, 140 };
	const double slow[] = { 105, 106, 104, 107, 103, 105.5, 104.5, 150 };
	struct gate_result r = judge(base, 8, slow, 8, 2);

	(void)state;
	assert_int_equal(r.verdict, GATE_FAIL);
	assert_int_equal(r.outliers[0], 1);
	assert_int_equal(r.outliers[1], 1);
	assert_near(r.change_pct, 5, 0.1);
	assert_int_equal(judge(base, 8, base, 8, 3).verdict, GATE_PASS);
	assert_int_equal(judge(base, 8, base, 8, 0.5).verdict, GATE_INCONCLUSIVE);
}

/* Worse and better pairs together are more than a quarter. */
static void many_outliers_are_the_measurement(void **state)
{
	const double base[] = { 100, 101, 102, 103, 504, 505, 106, 107 };
	const double new_side[] = { 101, 103, 105, 104, 506, 905, 506, -293 };
	const struct gate_trial trial = { .base = { base, 8 },
					  .new_side = { new_side, 8 },
					  .is_paired = true,
					  .tolerance = 2 };
	struct gate_result r;

	(void)state;
	gate_judge(&trial, ALPHA, &r);
	assert_int_equal(r.outliers[0], 0);
	assert_int_equal(r.outliers[1], 0);
	/* four that are worse, which are more than a quarter with the better one */
	const double even[12] = { 0 };
	const double uneven[12] = { 1, 2, 3, 1, 2, 3, 2, 400, 400, 401, 402, -400 };
	const struct gate_trial more = { .base = { even, 12 },
					 .new_side = { uneven, 12 },
					 .is_paired = true,
					 .tolerance = 2 };
	gate_judge(&more, ALPHA, &r);
	assert_int_equal(r.outliers[0], 0);
	assert_int_equal(r.outliers[1], 0);
}

/* 5 v 5 without ties can have p = 0.008; with one p is at least 0.012. */
static void ties_leave_a_row_open(void **state)
{
	const double base[] = { 100, 100, 102, 103, 104 };
	const double new_side[] = { 200, 201, 202, 203, 204 };
	const struct gate_trial trial = { .base = { base, 5 },
					  .new_side = { new_side, 5 },
					  .is_row = true,
					  .tolerance = 2 };
	struct gate_result r;

	(void)state;
	gate_judge(&trial, ALPHA, &r);
	gate_decide(&r, 1, ALPHA);
	assert_true(r.p > ALPHA);
	assert_true(r.is_lost);
}

static void the_headline_is_tested_alone_and_the_others_together(void **state)
{
	struct gate_result r[3] = { { .p = 0.008 }, { .p = 0.008 }, { .p = 0.9 } };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		r[i].is_worse = r[i].can_decide = r[i].has_noise = true;
		r[i].base = 1;
	}
	gate_decide(r, 3, ALPHA);
	assert_int_equal(r[0].verdict, GATE_FAIL);
	assert_int_equal(r[1].verdict, GATE_INCONCLUSIVE);
	assert_near(r[1].q, 0.016, 1e-12);
}

static uint64_t random_state = 1;

static double uniform(void)
{
	random_state = random_state * UINT64_C(6364136223846793005) +
		       UINT64_C(1442695040888963407);
	return (double)(random_state >> 11) / 9007199254740992.0;
}

static double normal(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform();
	return sum;
}

/* The middle step of a run on a machine that drifts, with slow steps and slow runs. */
static double record(double level)
{
	double steps[20];

	level *= 1 + 0.008 * normal();
	level *= uniform() < 0.05 ? 1.05 + 0.15 * uniform() : 1;
	for (size_t i = 0; i < 20; i++) {
		steps[i] = level * (1 + 0.017 * normal());
		steps[i] *= uniform() < 0.05 ? 1.5 + 1.5 * uniform() : 1;
	}
	return middle_median(steps, 20);
}

/* How many of so many gates of 8 runs a side fail. */
static int count_failures(int gates, double by)
{
	int failures = 0;

	for (int i = 0; i < gates; i++) {
		double base[8], new_side[8], drift = 0;
		for (size_t k = 0; k < 8; k++) {
			drift = 0.7 * drift + 0.0045 * normal();
			base[k] = record(1e6 * (1 + drift));
			new_side[k] = record(1e6 * (1 + drift) * (1 + by));
		}
		failures += judge(base, 8, new_side, 8, 1).verdict == GATE_FAIL;
	}
	return failures;
}

/* The short form of tests/bench/gates.py: the numbers are the same in every run. */
static void gates_of_one_program_rarely_fail_and_3_percent_are_found(void **state)
{
	(void)state;
	assert_in_range(count_failures(400, 0), 0, 4);
	assert_in_range(count_failures(400, 0.03), 360, 400);
}

static void power_tells_what_gates_do(void **state)
{
	static const double base[] = { 100, 101, 99, 102, 98, 100.5, 99.5, 101.5 };
	const struct gate_trial trial = { .base = { base, 8 }, .tolerance = 1 };
	struct gate_power p, more;

	(void)state;
	gate_power_make(&trial, 1, 0, ALPHA, &p);
	assert_true(p.aa_pct <= 1);
	assert_true(p.least_80[0] > 1 && p.least_80[0] < p.least_90[0]);
	assert_true(p.least_90[0] < 5);
	gate_power_make(&trial, 1, 2, ALPHA, &more);
	assert_true(isnan(more.least_80[0])); /* 8 v 2 cannot decide */
	gate_power_release(&p);
	gate_power_release(&more);
}

/* Half of base is 50 % worse where higher is better, and rows need no narrow intervals. */
static void power_is_of_rows_and_of_either_direction(void **state)
{
	static const double base[] = { 100, 105, 95, 102, 98, 103, 97, 101.5 };
	struct gate_trial trials[] = { { .base = { base, 8 }, .tolerance = 2 },
				       { .base = { base, 8 }, .tolerance = 2 } };
	struct gate_power p;

	(void)state;
	gate_power_make(trials, 2, 0, ALPHA, &p);
	assert_true(p.aa_inconclusive_pct > 50);
	gate_power_release(&p);
	trials[0].is_row = trials[1].is_row = true;
	gate_power_make(trials, 2, 0, ALPHA, &p);
	assert_true(p.aa_inconclusive_pct < 5 && p.aa_pct < 2);
	gate_power_release(&p);
	trials[0].is_row = false;
	trials[0].higher_is_better = true;
	trials[0].tolerance = 50;
	gate_power_make(trials, 1, 0, ALPHA, &p);
	assert_true(p.least_80[0] > 50 && p.least_80[0] < 54);
	gate_power_release(&p);
	trials[0].tolerance = 120;
	gate_power_make(trials, 1, 0, ALPHA, &p);
	assert_true(isnan(p.least_80[0]));
	gate_power_release(&p);
}

/* Ten sevenths of 7 add up to less: equal values are no noise. */
static void equal_values_have_no_noise(void **state)
{
	static const double base[] = { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 };
	static const double more[] = { 14 };
	const struct gate_trial trial = { .base = { base, 10 },
					  .new_side = { more, 1 },
					  .tolerance = 2,
					  .is_in_noise = true };
	struct gate_result r;
	struct gate_power p;

	(void)state;
	gate_judge(&trial, ALPHA, &r);
	assert_true(r.tolerance_pct == 0 && r.is_worse);
	gate_power_make(&trial, 1, 1, ALPHA, &p);
	assert_true(p.aa_pct == 0 && p.aa_inconclusive_pct == 0);
	assert_true(p.least_80[0] > 0 && p.least_80[0] < 0.1);
	gate_power_release(&p);
}

static void runs_that_decide_grow_with_noise(void **state)
{
	static const double quiet[] = { 100, 101, 99 }, loud[] = { 100, 108, 92 };
	const struct gate_trial trials[] = {
		{ .base = { quiet, 3 }, .new_side = { quiet, 3 }, .tolerance = 2 },
		{ .base = { loud, 3 }, .new_side = { loud, 3 }, .tolerance = 2 },
	};
	size_t needed[2];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct gate_result r;
		gate_judge(&trials[i], ALPHA, &r);
		gate_decide(&r, 1, ALPHA);
		assert_int_equal(r.verdict, GATE_INCONCLUSIVE);
		needed[i] = gate_runs_needed(&trials[i], &r, ALPHA);
	}
	assert_in_range(needed[0], 4, 6);
	assert_in_range(needed[1], 60, 200);
}

static struct gate_result judge_in_noise(const double *base, size_t nbase,
					 const double *new_side, size_t nnew)
{
	const struct gate_trial trial = { .base = { base, nbase },
					  .new_side = { new_side, nnew },
					  .tolerance = 2,
					  .is_in_noise = true };
	struct gate_result r;

	gate_judge(&trial, ALPHA, &r);
	gate_decide(&r, 1, ALPHA);
	return r;
}

static void from_0_a_change_is_measured_in_its_unit(void **state)
{
	static const double none[] = { 0, 0, 0, 0 }, some[] = { 3, 4, 5, 4 };
	static const double loud[] = { -1, 0, 1, -1, 0, 1, 0, 0 };
	static const double near[] = { 0, 1, 0, -1, 0, 0, 1, -1 };
	static const double far[] = { 9, 10, 11, 9, 10, 11, 10, 10 };

	(void)state;
	assert_int_equal(judge(none, 4, some, 4, 2).verdict, GATE_FAIL);
	assert_int_equal(judge_in_noise(none, 4, some, 4).verdict, GATE_FAIL);
	assert_int_equal(judge_in_noise(none, 4, none, 4).verdict, GATE_PASS);
	assert_int_equal(judge_in_noise(none, 4, some, 1).verdict, GATE_FAIL);
	assert_int_equal(judge_in_noise(loud, 8, near, 8).verdict, GATE_PASS);
	struct gate_result r = judge_in_noise(loud, 8, far, 8);
	assert_int_equal(r.verdict, GATE_FAIL);
	assert_true(isnan(r.change_pct) && isnan(r.tolerance_pct));
}

/* Of one new run or several: all worse is a failure, none a pass, and of both is noise. */
static void without_noise_new_runs_that_agree_decide(void **state)
{
	static const double base[] = { 3, 3, 3 }, worse[] = { 6, 9, 12 };
	static const double better[] = { 1, 2, 3 }, both[] = { 3, 9, 12 };
	const struct gate_trial trial = { .base = { base, 3 },
					  .new_side = { both, 3 },
					  .tolerance = 2 };

	(void)state;
	for (size_t n = 1; n <= 3; n++) {
		assert_int_equal(judge(base, 3, worse, n, 2).verdict, GATE_FAIL);
		assert_int_equal(judge(base, 3, better, n, 2).verdict, GATE_PASS);
	}
	struct gate_result r = judge(base, 3, both, 3, 2);
	assert_int_equal(r.verdict, GATE_INCONCLUSIVE);
	assert_true(r.has_noise && !r.can_decide);
	assert_in_range(gate_runs_needed(&trial, &r, ALPHA), 4, 20);
}

static void p_is_what_the_sizes_allow(void **state)
{
	static const double base[] = { 100, 101, 100, 101 };
	static const double worse[] = { 200, 200, 200, 200 };
	double many[60];

	(void)state;
	for (size_t i = 0; i < 60; i++)
		many[i] = 100 + (double)i / 60;
	/* ties make it approximate, and one value against many does not */
	assert_near(judge(base, 4, worse, 4, 2).p, 2 / 70.0, 1e-12);
	assert_near(judge(many, 60, worse, 1, 2).p, 2 / 61.0, 1e-12);
}

/* One table serves all trials; each has that of its own sizes. */
static void trials_of_several_sizes_share_a_table(void **state)
{
	static const double base[] = { 100, 101, 102, 103, 104 };
	static const double worse[] = { 200, 201, 202, 203, 204, 205 };
	struct u_distribution exact = { .m = 0 };
	struct gate_trial trial = { .base = { base, 5 }, .exact = &exact };
	struct gate_result r;

	(void)state;
	for (size_t n = 6; n > 3; n--)
		for (int again = 0; again < 2; again++) {
			trial.new_side = (struct gate_side){ worse, n };
			gate_judge(&trial, ALPHA, &r);
			assert_near(r.p, judge(base, 5, worse, n, 0).p, 0);
			assert_int_equal(exact.m * exact.n, 5 * n);
		}
	u_distribution_release(&exact);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signed_ranks_are_those_of_r),
		cmocka_unit_test(one_slow_run_a_side_hides_nothing),
		cmocka_unit_test(many_outliers_are_the_measurement),
		cmocka_unit_test(ties_leave_a_row_open),
		cmocka_unit_test(the_headline_is_tested_alone_and_the_others_together),
		cmocka_unit_test(
			gates_of_one_program_rarely_fail_and_3_percent_are_found),
		cmocka_unit_test(power_tells_what_gates_do),
		cmocka_unit_test(power_is_of_rows_and_of_either_direction),
		cmocka_unit_test(equal_values_have_no_noise),
		cmocka_unit_test(runs_that_decide_grow_with_noise),
		cmocka_unit_test(from_0_a_change_is_measured_in_its_unit),
		cmocka_unit_test(without_noise_new_runs_that_agree_decide),
		cmocka_unit_test(p_is_what_the_sizes_allow),
		cmocka_unit_test(trials_of_several_sizes_share_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
