/* Sums that stay within int64, and never become the number of none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/sum.h"

#define ENDS_N (sizeof(ends) / sizeof(ends[0]))

static const int64_t ends[] = {
	INT64_MIN, -INT64_MAX, -INT64_MAX / 2 - 1, -INT64_MAX / 2, -3,       -1, 0,
	1,         3,          INT64_MAX / 2,      INT64_MAX - 1,  INT64_MAX
};

__extension__ typedef __int128 wide;

/* What a wider number is, held within the range. */
static int64_t held(wide number)
{
	if (number > INT64_MAX)
		return INT64_MAX;
	return number < -INT64_MAX ? -INT64_MAX : (int64_t)number;
}

static void all_pairs_are_held(void **state)
{
	(void)state;
	for (size_t i = 0; i < ENDS_N; i++)
		for (size_t k = 0; k < ENDS_N; k++) {
			wide a = ends[i], b = ends[k];
			assert_int_equal(sum_add(ends[i], ends[k]), held(a + b));
			assert_int_equal(sum_sub(ends[i], ends[k]), held(a - b));
			assert_int_equal(sum_times(ends[i], ends[k]), held(a * b));
		}
}

static void any_double_is_held(void **state)
{
	(void)state;
	assert_int_equal(sum_of_double(2.9), 2);
	assert_int_equal(sum_of_double(-2.9), -2);
	assert_int_equal(sum_of_double(0x1p63), INT64_MAX);
	assert_int_equal(sum_of_double(-0x1p63), -INT64_MAX);
	assert_int_equal(sum_of_double((double)INFINITY), INT64_MAX);
	assert_int_equal(sum_of_double(-(double)INFINITY), -INT64_MAX);
	assert_int_equal(sum_of_double((double)NAN), 0);
}

static void the_ends_say_at_least(void **state)
{
	(void)state;
	assert_true(sum_is_stuck(sum_add(INT64_MAX, 1)));
	assert_true(sum_is_stuck(sum_sub(-INT64_MAX, 1)));
	assert_false(sum_is_stuck(INT64_MAX - 1));
	assert_false(sum_is_stuck(1 - INT64_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_pairs_are_held),
		cmocka_unit_test(any_double_is_held),
		cmocka_unit_test(the_ends_say_at_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
