/* Numbers as traces spell them: exact, whatever a double would make of them. */
#include "reading.h"

#include "base/decimal.h"

static void assert_ns(const char *text, int64_t expected)
{
	int64_t ns = -77;

	assert_int_equal(decimal_us_to_ns(in_window(text), &ns), DECIMAL_OK);
	assert_int_equal(ns, expected);
}

static void assert_int(const char *text, int64_t expected)
{
	int64_t value = -77;

	assert_int_equal(decimal_int(in_window(text), &value), DECIMAL_OK);
	assert_int_equal(value, expected);
}

static void microseconds_become_exact_nanoseconds(void **state)
{
	(void)state;
	assert_ns("0", 0);
	assert_ns("7", 7000);
	assert_ns("4311020981081.440", 4311020981081440);
	assert_ns("1712195495519689.047", 1712195495519689047);
	assert_ns("1712195495519689", 1712195495519689000);
	assert_ns("20.5", 20500);
	assert_ns("20.25", 20250);
	assert_ns("0.001", 1);
}

static void every_spelling_of_json_and_of_printf_is_read(void **state)
{
	(void)state;
	assert_ns("1.5e3", 1500000);
	assert_ns("15E2", 1500000);
	assert_ns("25e-1", 2500);
	assert_ns("1e+3", 1000000);
	assert_ns("-3", -3000);
	assert_ns("-0", 0);
	assert_ns("+4", 4000);
	assert_ns(".5", 500);
	assert_ns("5.", 5000);
	assert_ns("007", 7000);
	assert_ns(" 12\t", 12000);
	assert_ns("0000000000000000000000000000000001.000", 1000);
	assert_ns("1000000000000000000000000e-24", 1000);
	assert_ns("0e999999999", 0);
	assert_ns("1e-999999999", 0);
}

static void digits_below_a_nanosecond_round_half_to_even(void **state)
{
	(void)state;
	assert_ns("700.0005", 700000);
	assert_ns("700.0015", 700002);
	assert_ns("700.0025", 700002);
	assert_ns("700.00050000000000000000000000000000001", 700001);
	assert_ns("700.0004999999", 700000);
	assert_ns("700.0006", 700001);
	assert_ns("0.0005", 0);
	assert_ns("0.00051", 1);
	assert_ns("0.00005", 0);
	assert_ns("-0.0015", -2);
	assert_ns("-0.0005", 0);
}

static void a_hundred_thousand_digits_are_read_to_the_last(void **state)
{
	size_t n = 100000;
	char *text = malloc(n + DECIMAL_PADDING);
	int64_t ns;

	(void)state;
	memset(text, '0', n);
	text[1] = '.';
	text[5] = '5';
	assert_int_equal(decimal_us_to_ns((struct str){ text, n }, &ns), DECIMAL_OK);
	assert_int_equal(ns, 0);
	text[n - 1] = '1';
	assert_int_equal(decimal_us_to_ns((struct str){ text, n }, &ns), DECIMAL_OK);
	assert_int_equal(ns, 1);
	memset(text, '9', n);
	assert_int_equal(decimal_us_to_ns((struct str){ text, n }, &ns), DECIMAL_TOO_BIG);
	memset(text, '0', n);
	text[n - 1] = '3';
	assert_int_equal(decimal_us_to_ns((struct str){ text, n }, &ns), DECIMAL_OK);
	assert_int_equal(ns, 3000);
	free(text);
}

static void the_ends_of_the_range_are_read_and_no_more(void **state)
{
	int64_t ns;

	(void)state;
	assert_ns("9223372036854775.807", INT64_MAX);
	assert_ns("-9223372036854775.808", INT64_MIN);
	assert_ns("9223372036854775.8074", INT64_MAX);
	assert_ns("9223372036854774.999", 9223372036854774999);
	assert_ns("9223372036854773", 9223372036854773000);
	assert_int_equal(decimal_us_to_ns(in_window("9223372036854775.808"), &ns),
			 DECIMAL_TOO_BIG);
	assert_int_equal(ns, INT64_MAX);
	assert_int_equal(decimal_us_to_ns(in_window("9223372036854776"), &ns),
			 DECIMAL_TOO_BIG);
	assert_int_equal(decimal_us_to_ns(in_window("999999999999999999"), &ns),
			 DECIMAL_TOO_BIG);
	assert_int_equal(decimal_us_to_ns(in_window("-9223372036854775.809"), &ns),
			 DECIMAL_TOO_BIG);
	assert_int_equal(ns, INT64_MIN);
	assert_int_equal(decimal_us_to_ns(in_window("1e400"), &ns), DECIMAL_TOO_BIG);
	assert_int_equal(decimal_us_to_ns(in_window("18446744073709551617"), &ns),
			 DECIMAL_TOO_BIG);
}

static void assert_scaled(const char *text, int digits, int64_t expected)
{
	int64_t value = -77;

	assert_int_equal(decimal_scaled(str_of(text), digits, &value), DECIMAL_OK);
	assert_int_equal(value, expected);
}

static void numbers_are_scaled_by_any_power_of_ten(void **state)
{
	int64_t value;

	(void)state;
	assert_scaled("1.5", 9, 1500000000);
	assert_scaled("-2.5", 0, -2);
	assert_scaled("3.5e-00000000000000001", 1, 4);
	assert_scaled("9223372036.854775807", 9, INT64_MAX);
	assert_scaled(
		"0.00000000000000000000000000000000000000000000000000000000000000000"
		"001e68",
		0, 1);
	assert_int_equal(decimal_scaled(str_of("9.3"), 18, &value), DECIMAL_TOO_BIG);
	assert_int_equal(decimal_scaled(str_of("1e"), 0, &value), DECIMAL_BAD);
}

static void what_is_no_number_is_said_to_be_none(void **state)
{
	static const char *const texts[] = { "",    " ",     "abc",  "1x",  "x1",
					     "-",   "+",     ".",    "e5",  "1e",
					     "1e+", "1.5.2", "--1",  "1 2", "0x10",
					     "NaN", "inf",   "null", "1,5", "[1]" };
	int64_t value;
	double real;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(decimal_us_to_ns(in_window(texts[i]), &value),
				 DECIMAL_BAD);
		assert_int_equal(decimal_int(in_window(texts[i]), &value), DECIMAL_BAD);
		assert_false(decimal_real(in_window(texts[i]), &real));
	}
}

static void digits_are_read_in_every_number(void **state)
{
	char text[32];

	(void)state;
	for (int64_t value = 1; value < INT64_MAX / 20;
	     value = value * 10 + value % 7 + 1) {
		snprintf(text, sizeof(text), "%lld", (long long)value);
		assert_int(text, value);
		if (value < INT64_MAX / 1000)
			assert_ns(text, value * 1000);
		snprintf(text, sizeof(text), "-%lld", (long long)value);
		assert_int(text, -value);
		snprintf(text, sizeof(text), "%lld.%03lld", (long long)(value / 1000),
			 (long long)(value % 1000));
		assert_ns(text, value);
	}
	/* a byte that is no digit, at every place */
	for (size_t n = 1; n < 18; n++) {
		for (size_t at = 0; at < n; at++) {
			int64_t value;
			memset(text, '4', n);
			text[n] = '\0';
			text[at] = "/:;aA\xb4\x84"[at % 7];
			assert_int_equal(decimal_int(in_window(text), &value),
					 DECIMAL_BAD);
			assert_int_equal(decimal_us_to_ns(in_window(text), &value),
					 DECIMAL_BAD);
		}
	}
}

static void integers_may_be_spelt_with_a_fraction_of_zeros(void **state)
{
	int64_t value;

	(void)state;
	assert_int("0", 0);
	assert_int("-1", -1);
	assert_int("7.0", 7);
	assert_int("70e-1", 7);
	assert_int("7e2", 700);
	assert_int("140737353934656", 140737353934656);
	assert_int("9223372036854775807", INT64_MAX);
	assert_int("-9223372036854775808", INT64_MIN);
	assert_int_equal(decimal_int(in_window("7.5"), &value), DECIMAL_BAD);
	assert_int_equal(decimal_int(in_window("9223372036854775808"), &value),
			 DECIMAL_TOO_BIG);
}

static void ids_may_be_hexadecimal(void **state)
{
	int64_t id;

	(void)state;
	assert_true(decimal_id(in_window("31"), &id));
	assert_int_equal(id, 31);
	assert_true(decimal_id(in_window("0x1f"), &id));
	assert_int_equal(id, 31);
	assert_true(decimal_id(in_window("0X7FFFFFFFFFFFFFFF"), &id));
	assert_int_equal(id, INT64_MAX);
	assert_false(decimal_id(in_window("0x8000000000000000"), &id));
	assert_false(decimal_id(in_window("0x"), &id));
	assert_false(decimal_id(in_window("0x1g"), &id));
	assert_false(decimal_id(in_window("1f"), &id));
}

static void reals_are_the_nearest_double(void **state)
{
	static const char *const texts[] = { "0",
					     "1.5",
					     "0.1",
					     "1e-3",
					     "123456.789",
					     ".25",
					     "3.",
					     "-2.5",
					     "1e308",
					     "99.99999999",
					     "12345678901234567",
					     "0.30000000000000004" };
	double real;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_true(decimal_real(in_window(texts[i]), &real));
		assert_true(real == strtod(texts[i], NULL));
	}
	assert_false(decimal_real(in_window("1e999"), &real));
}

static void text_outside_a_window_is_not_read_past_its_end(void **state)
{
	/* The sanitizers see a byte too many behind memory of this size. */
	char *exact = malloc(4);
	char *long_one = malloc(DECIMAL_TEXT_MAX + 1);
	int64_t value;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		exact[i] = "1.25"[i];
	memset(long_one, '0', DECIMAL_TEXT_MAX + 1);
	assert_int_equal(DECIMAL_OK,
			 decimal_text_us_to_ns((struct str){ exact, 4 }, &value));
	assert_int_equal(1250, value);
	for (size_t i = 0; i < 4; i++)
		exact[i] = "1234"[i];
	assert_int_equal(DECIMAL_OK, decimal_text_int((struct str){ exact, 4 }, &value));
	assert_int_equal(1234, value);
	assert_int_equal(
		DECIMAL_OK,
		decimal_text_int((struct str){ long_one, DECIMAL_TEXT_MAX }, &value));
	assert_int_equal(
		DECIMAL_BAD,
		decimal_text_int((struct str){ long_one, DECIMAL_TEXT_MAX + 1 }, &value));
	free(exact);
	free(long_one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(microseconds_become_exact_nanoseconds),
		cmocka_unit_test(every_spelling_of_json_and_of_printf_is_read),
		cmocka_unit_test(digits_below_a_nanosecond_round_half_to_even),
		cmocka_unit_test(a_hundred_thousand_digits_are_read_to_the_last),
		cmocka_unit_test(the_ends_of_the_range_are_read_and_no_more),
		cmocka_unit_test(numbers_are_scaled_by_any_power_of_ten),
		cmocka_unit_test(what_is_no_number_is_said_to_be_none),
		cmocka_unit_test(digits_are_read_in_every_number),
		cmocka_unit_test(integers_may_be_spelt_with_a_fraction_of_zeros),
		cmocka_unit_test(ids_may_be_hexadecimal),
		cmocka_unit_test(reals_are_the_nearest_double),
		cmocka_unit_test(text_outside_a_window_is_not_read_past_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
