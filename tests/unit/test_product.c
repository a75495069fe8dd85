/* src/base/product.h: exact products, rounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/product.h"

static int64_t rounded(struct product p)
{
	int64_t n = 0;

	assert_true(product_round(p, &n));
	return n;
}

static void numbers_round_to_the_nearest_and_ties_to_even(void **state)
{
	(void)state;
	assert_int_equal(rounded(product_of(0.1, 1e9)), 100000000);
	assert_int_equal(rounded(product_of(4.35, 100)), 435);
	assert_int_equal(rounded(product_of(0.5, 5)), 2);
	assert_int_equal(rounded(product_of(0.5, 7)), 4);
	assert_int_equal(rounded(product_of(-0.5, 5)), -2);
	assert_int_equal(rounded(product_of(0, 1e300)), 0);
}

/* 1.5 - 1.5 * 2^-54 is 1.5 as a double, and 0.5 + 2^-54 is 0.5. */
static void what_is_a_tie_as_a_double_alone_is_none(void **state)
{
	(void)state;
	assert_int_equal(rounded(product_of(1 + 0x1p-27, 1.5 * (1 - 0x1p-27))), 1);
	assert_int_equal(rounded(product_of(-1 - 0x1p-27, 1.5 * (1 - 0x1p-27))), -1);
	assert_int_equal(rounded(product_of(3, 0x1.5555555555556p-3)), 1);
	assert_int_equal(rounded(product_of(-3, 0x1.5555555555556p-3)), -1);
	/* 2^52 + 1 and half of one: to the even one of its neighbours */
	assert_int_equal(rounded((struct product){ 0x1p52 + 1, 0.5 }),
			 (INT64_C(1) << 52) + 2);
	assert_int_equal(rounded((struct product){ 0x1p52, 0.5 }), INT64_C(1) << 52);
}

static void whole_numbers_are_exact_beyond_53_bits(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		int64_t a = (int64_t)(random >> 24), b = (int64_t)(random & 0xfffff);
		assert_int_equal(rounded(product_of((double)a, (double)b)), a * b);
		assert_int_equal(
			rounded(product_times(product_of((double)a, (double)b), -2)),
			-2 * (a * b));
	}
}

static void three_factors_keep_what_two_had_left_over(void **state)
{
	int64_t whole = INT64_C(123456789012), parts = 1000003;

	(void)state;
	/* its last digits are in the low part of the first product */
	assert_int_equal(
		rounded(product_times(product_of((double)whole * 0x1p-10, (double)parts),
				      1024)),
		whole * parts);
}

static void what_is_beyond_64_bits_is_the_end_of_the_range(void **state)
{
	int64_t n = 0;

	(void)state;
	assert_int_equal(rounded(product_of(0x1p62, 1)), INT64_C(1) << 62);
	assert_int_equal(rounded(product_times(product_of_int(INT64_MAX), 1)), INT64_MAX);
	assert_int_equal(rounded(product_times(product_of_int(INT64_MAX), -1)),
			 -INT64_MAX);
	assert_int_equal(rounded(product_times(product_of_int(INT64_MAX - 5000), 1)),
			 INT64_MAX - 5000);
	assert_false(product_round(product_times(product_of_int(INT64_MAX), 2), &n));
	assert_false(product_round(product_of(0x1p62, 2), &n));
	assert_int_equal(n, INT64_MAX);
	assert_false(product_round(product_of(-1e300, 1e300), &n));
	assert_int_equal(n, -INT64_MAX);
	assert_false(product_round(product_of((double)NAN, 1), &n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_round_to_the_nearest_and_ties_to_even),
		cmocka_unit_test(what_is_a_tie_as_a_double_alone_is_none),
		cmocka_unit_test(whole_numbers_are_exact_beyond_53_bits),
		cmocka_unit_test(three_factors_keep_what_two_had_left_over),
		cmocka_unit_test(what_is_beyond_64_bits_is_the_end_of_the_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
