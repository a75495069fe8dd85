/* Which steps are outliers: see query/steps/step_outliers.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/steps/step_outliers.h"

static void a_median_of_two_is_between_them_rounded_down(void **state)
{
	int64_t two[] = { 8, 5 }, three[] = { 9, 1, 4 };

	(void)state;
	assert_int_equal(6, step_median(two, 2));
	assert_int_equal(4, step_median(three, 3));
}

static void a_limit_is_a_tenth_or_five_deviations_above_the_median(void **state)
{
	int64_t alike[] = { 100, 101, 100, 300 }, spread[] = { 100, 80, 120, 60, 140 };
	struct step_usual usual;

	(void)state;
	assert_true(step_usual_of(alike, 4, &usual));
	assert_int_equal(100, usual.median_ns);
	assert_int_equal(110, usual.limit_ns);
	assert_true(step_usual_of(spread, 5, &usual));
	assert_int_equal(100, usual.median_ns);
	assert_int_equal(200, usual.limit_ns); /* 5 times 20 */
}

static void two_steps_say_nothing(void **state)
{
	int64_t ns[] = { 1, 100 };
	struct step_usual usual;

	(void)state;
	assert_false(step_usual_of(ns, 2, &usual));
}

static void the_ends_of_int64_stay_in_it(void **state)
{
	int64_t ns[] = { INT64_MAX, INT64_MIN, INT64_MAX, 0 };
	struct step_usual usual;

	(void)state;
	assert_true(step_usual_of(ns, 4, &usual));
	assert_true(usual.limit_ns >= usual.median_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_median_of_two_is_between_them_rounded_down),
		cmocka_unit_test(a_limit_is_a_tenth_or_five_deviations_above_the_median),
		cmocka_unit_test(two_steps_say_nothing),
		cmocka_unit_test(the_ends_of_int64_stay_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
