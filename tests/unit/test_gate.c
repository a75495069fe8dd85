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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signed_ranks_are_those_of_r),
		cmocka_unit_test(one_slow_run_a_side_hides_nothing),
		cmocka_unit_test(the_headline_is_tested_alone_and_the_others_together),
		cmocka_unit_test(
			gates_of_one_program_rarely_fail_and_3_percent_are_found),
		cmocka_unit_test(power_tells_what_gates_do),
		cmocka_unit_test(runs_that_decide_grow_with_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
