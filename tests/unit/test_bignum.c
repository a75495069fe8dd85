/* Whole numbers of any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bignum.h"

static struct arena arena;

static int release(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static struct bignum of(const char *text)
{
	return bignum_parse(&arena, str_of(text));
}

static void assert_prints(const char *expected, struct bignum n)
{
	struct buf text;

	buf_init(&text, 1000);
	bignum_print(n, &text);
	assert_string_equal(expected, text.p);
	buf_release(&text);
}

static void assert_sum(const char *expected, const char *a, const char *b)
{
	assert_prints(expected, bignum_add(&arena, of(a), of(b)));
	assert_prints(expected, bignum_add(&arena, of(b), of(a)));
}

static void numbers_print_as_they_were_written(void **state)
{
	static const char *const numbers[] = { "0",
					       "-1",
					       "9223372036854775807",
					       "9223372036854775808",
					       "-9223372036854775808",
					       "-9223372036854775809",
					       "1180591620717411303424" };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		assert_prints(numbers[i], of(numbers[i]));
	assert_prints("7", of("000000000000000000000000007"));
	assert_prints("-30000000000000000000", of("-00030000000000000000000"));
}

static void what_fits_an_int64_is_one(void **state)
{
	(void)state;
	assert_null(of("-9223372036854775808").digits);
	assert_int_equal(INT64_MIN, of("-9223372036854775808").n);
	assert_non_null(of("9223372036854775808").digits);
	assert_int_equal(INT64_MAX, of("9223372036854775808").n);
	/* and a sum that has come back */
	struct bignum sum =
		bignum_add(&arena, of("9223372036854775808"), of("-9223372036854775809"));
	assert_null(sum.digits);
	assert_int_equal(-1, sum.n);
}

static void more_digits_than_a_sum_should_have_are_the_end_of_the_range(void **state)
{
	char digits[BIGNUM_DIGITS_MAX + 3];

	(void)state;
	memset(digits, '9', sizeof(digits));
	digits[0] = '-';
	digits[BIGNUM_DIGITS_MAX + 1] = '\0';
	assert_prints(digits, of(digits));
	assert_prints(digits + 1, of(digits + 1));
	digits[BIGNUM_DIGITS_MAX + 1] = '9';
	digits[BIGNUM_DIGITS_MAX + 2] = '\0';
	assert_null(of(digits).digits);
	assert_int_equal(INT64_MIN, of(digits).n);
	assert_null(of(digits + 1).digits);
	assert_int_equal(INT64_MAX, of(digits + 1).n);
}

static void sums_are_exact_beyond_int64(void **state)
{
	(void)state;
	assert_sum("9223372036854775808", "9223372036854775807", "1");
	assert_sum("-9223372036854775809", "-9223372036854775808", "-1");
	assert_sum("100000000000000000000", "99999999999999999999", "1");
	assert_sum("99999999999999999999", "100000000000000000000", "-1");
	assert_sum("-99999999999999999999", "-100000000000000000000", "1");
	assert_sum("0", "100000000000000000000", "-100000000000000000000");
	assert_sum("1180591621816922931200", "1180591620717411303424", "1099511627776");
}

static void order_is_that_of_numbers(void **state)
{
	static const char *const rising[] = { "-100000000000000000000",
					      "-99999999999999999999",
					      "-9223372036854775808",
					      "-1",
					      "0",
					      "5",
					      "9223372036854775807",
					      "9223372036854775808",
					      "99999999999999999999",
					      "100000000000000000000" };
	const int n = sizeof(rising) / sizeof(*rising);

	(void)state;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			assert_int_equal((i > k) - (i < k),
					 bignum_compare(of(rising[i]), of(rising[k])));
}

static void reals_are_the_nearest(void **state)
{
	(void)state;
	assert_true(bignum_real(of("1180591620717411303424")) == 0x1p70);
	assert_true(bignum_real(of("-7")) == -7.0);
}

static void what_is_no_number_is_an_end_of_the_range(void **state)
{
	(void)state;
	assert_int_equal(INT64_MAX, of("12x").n);
	assert_int_equal(INT64_MIN, of("-").n);
	assert_int_equal(INT64_MAX, of("").n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_print_as_they_were_written),
		cmocka_unit_test(what_fits_an_int64_is_one),
		cmocka_unit_test(
			more_digits_than_a_sum_should_have_are_the_end_of_the_range),
		cmocka_unit_test(sums_are_exact_beyond_int64),
		cmocka_unit_test(order_is_that_of_numbers),
		cmocka_unit_test(reals_are_the_nearest),
		cmocka_unit_test(what_is_no_number_is_an_end_of_the_range),
	};
	return cmocka_run_group_tests(tests, NULL, release);
}
