/* Changes in a series are found where they were made, and hardly elsewhere. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/stats/change_points.h"

#define MOST 64

static double noise(uint64_t *state)
{
	double sum = 0;

	for (int i = 0; i < 12; i++) { /* about normal, of deviation 1 */
		*state = *state * UINT64_C(6364136223846793005) +
			 UINT64_C(1442695040888963407);
		sum += (double)(*state >> 33) / (double)(UINT64_C(1) << 31);
	}
	return sum - 6;
}

/* n values around 100, and around 100 + by from `at` on. */
static void make(double *values, size_t n, size_t at, double by, uint64_t seed)
{
	for (size_t i = 0; i < n; i++)
		values[i] = 100 + noise(&seed) + (i >= at ? by : 0);
}

static void a_change_is_found_where_it_was_made(void **state)
{
	struct change_point out[MOST];
	double values[MOST];
	size_t near = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		make(values, 40, 23, 4, seed);
		size_t n = change_points_find(values, 40, out);
		near += n == 1 && out[0].at >= 22 && out[0].at <= 24;
	}
	assert_true(near >= 47);
}

static void two_changes_are_two(void **state)
{
	struct change_point out[MOST];
	double values[MOST];

	(void)state;
	make(values, 60, 20, 10, 7);
	for (size_t i = 40; i < 60; i++)
		values[i] -= 20;
	assert_int_equal(2, change_points_find(values, 60, out));
	assert_int_equal(20, out[0].at);
	assert_int_equal(40, out[1].at);
}

static void one_outlier_is_no_change(void **state)
{
	struct change_point out[MOST];
	double values[MOST];

	(void)state;
	make(values, 30, 30, 0, 5);
	values[14] = 300;
	assert_int_equal(0, change_points_find(values, 30, out));
}

static void noise_has_few_changes(void **state)
{
	struct change_point out[MOST];
	double values[MOST];
	size_t alarms = 0;

	(void)state;
	for (uint64_t seed = 1000; seed < 1200; seed++) {
		make(values, 20, 20, 0, seed);
		alarms += change_points_find(values, 20, out) > 0;
	}
	assert_true(alarms <= 8); /* 2 are expected: CHANGE_P */
}

static void short_and_equal_series_have_none(void **state)
{
	struct change_point out[MOST];
	double values[MOST];

	(void)state;
	make(values, 5, 2, 1000, 1);
	assert_int_equal(0, change_points_find(values, 5, out));
	assert_int_equal(0, change_points_find(values, 0, out));
	for (size_t i = 0; i < MOST; i++)
		values[i] = 3;
	assert_int_equal(0, change_points_find(values, MOST, out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_is_found_where_it_was_made),
		cmocka_unit_test(two_changes_are_two),
		cmocka_unit_test(one_outlier_is_no_change),
		cmocka_unit_test(noise_has_few_changes),
		cmocka_unit_test(short_and_equal_series_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
