/* Numbers as people read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

static void assert_scale(enum unit unit, double largest, const char *label, int decimals)
{
	struct scale scale = units_scale(unit, largest, false);

	assert_string_equal(label, scale.label);
	assert_int_equal(decimals, scale.decimals);
}

static void assert_text(const char *expected, enum unit unit, struct cell cell)
{
	char out[UNITS_TEXT_MAX];
	struct str text = units_text(unit, cell, out);

	assert_int_equal(strlen(expected), text.n);
	assert_memory_equal(expected, text.p, text.n);
}

static void times_scale_by_thousands(void **state)
{
	(void)state;
	assert_scale(UNIT_NS, 0, "ns", 0);
	assert_scale(UNIT_NS, 999, "ns", 0);
	assert_scale(UNIT_NS, 1000, "us", 3);
	assert_scale(UNIT_NS, 999999, "us", 3);
	assert_scale(UNIT_NS, 1e6, "ms", 3);
	assert_scale(UNIT_NS, 1e9, "s", 3);
	assert_scale(UNIT_TIME, 1e13, "s", 3);
}

static void bytes_scale_by_1024(void **state)
{
	(void)state;
	assert_scale(UNIT_BYTES, 1023, "B", 0);
	assert_scale(UNIT_BYTES, 1024, "KiB", 2);
	assert_scale(UNIT_BYTES, 1048576, "MiB", 2);
	assert_scale(UNIT_BYTES, 1073741824, "GiB", 2);
	assert_scale(UNIT_BYTES, 1e18, "GiB", 2);
}

static void flops_scale_to_tera(void **state)
{
	(void)state;
	assert_scale(UNIT_FLOPS, 999, "FLOP", 0);
	assert_scale(UNIT_FLOPS, 1e3, "kFLOP", 3);
	assert_scale(UNIT_FLOPS, 1e6, "MFLOP", 3);
	assert_scale(UNIT_FLOPS, 1e9, "GFLOP", 3);
	assert_scale(UNIT_FLOPS, 1e15, "TFLOP", 3);
}

static void what_rounds_up_to_the_next_unit_is_in_it(void **state)
{
	(void)state;
	assert_text("1.000 ms", UNIT_NS, cell_real(999999.9));
	assert_text("999.999 us", UNIT_NS, cell_int(999999));
	assert_text("1.00 MiB", UNIT_BYTES, cell_int(1048575));
}

static void fractions_of_the_smallest_unit_are_shown(void **state)
{
	(void)state;
	assert_text("12 ns", UNIT_NS, cell_int(12));
	assert_text("12.500 ns", UNIT_NS, cell_real(12.5));
	assert_text("1,000.50", UNIT_COUNT, cell_real(1000.5));
	assert_text("1,000", UNIT_COUNT, cell_real(1000));
}

static void counts_have_thousands_separators(void **state)
{
	(void)state;
	assert_text("0", UNIT_COUNT, cell_int(0));
	assert_text("999", UNIT_COUNT, cell_int(999));
	assert_text("1,432", UNIT_COUNT, cell_int(1432));
	assert_text("-100,000", UNIT_COUNT, cell_int(-100000));
	assert_text("9,223,372,036,854,775,807", UNIT_COUNT, cell_int(INT64_MAX));
	assert_text("-9,223,372,036,854,775,808", UNIT_COUNT, cell_int(INT64_MIN));
}

static void numbers_that_name_have_none(void **state)
{
	(void)state;
	assert_text("1009", UNIT_ID, cell_int(1009));
	assert_text("9223372036854775807", UNIT_ID, cell_int(INT64_MAX));
}

static void percent_has_two_decimals_and_ratio_three(void **state)
{
	(void)state;
	assert_text("93.10%", UNIT_PERCENT, cell_real(93.1));
	assert_text("100.00%", UNIT_PERCENT, cell_int(100));
	assert_text("1.250", UNIT_RATIO, cell_real(1.25));
}

static void booleans_are_yes_and_no(void **state)
{
	(void)state;
	assert_text("yes", UNIT_BOOL, cell_int(1));
	assert_text("no", UNIT_BOOL, cell_int(0));
}

static void null_and_nan_are_a_dash(void **state)
{
	(void)state;
	assert_text("-", UNIT_NS, cell_null());
	assert_text("-", UNIT_RATIO, cell_real((double)NAN));
	assert_text("-", UNIT_ANY, cell_null());
}

static void what_rounds_to_zero_has_no_sign(void **state)
{
	char out[UNITS_TEXT_MAX];
	struct scale seconds = units_scale(UNIT_NS, 1e9, false);

	(void)state;
	assert_string_equal("0.000", units_cell(seconds, cell_int(-400), out).p);
	assert_string_equal("-0.001", units_cell(seconds, cell_int(-600000), out).p);
}

/* Any double at all, halves of the last digit, and what lies beside them. */
static double awkward_value(uint64_t i)
{
	uint64_t bits = i * UINT64_C(0x9e3779b97f4a7c15);
	double any, half = (double)(bits >> 40) / 8 / (i % 2 ? 1 : 1000);

	memcpy(&any, &bits, sizeof(any));
	switch (i % 4) {
	case 0:
		return any;
	case 1:
		return half;
	case 2:
		return nextafter(half, 0);
	default:
		return (double)(bits >> 12) / 1024 / 8;
	}
}

static void decimals_round_as_printf_does(void **state)
{
	char expected[512], out[UNITS_TEXT_MAX];

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		double value = awkward_value(i);
		struct scale scale = { UNIT_NS, 1, "", (int)(i / 4 % 4) };
		if (!(fabs(value) < 1e15))
			continue;
		snprintf(expected, sizeof(expected), "%.*f", scale.decimals, value);
		const char *unsigned_zero =
			expected +
			(expected[strspn(expected, "-0.")] == '\0' && expected[0] == '-');
		assert_string_equal(unsigned_zero,
				    units_cell(scale, cell_real(value), out).p);
	}
}

static void integers_are_bare_for_machines(void **state)
{
	char out[UNITS_TEXT_MAX];

	(void)state;
	assert_string_equal("0", units_integer(0, out).p);
	assert_string_equal("-1432", units_integer(-1432, out).p);
	assert_string_equal("9223372036854775807", units_integer(INT64_MAX, out).p);
	assert_string_equal("-9223372036854775808", units_integer(INT64_MIN, out).p);
	assert_text("-9,223,372,036,854,775,808", UNIT_COUNT, cell_int(INT64_MIN));
}

static void numbers_of_sql_are_bare(void **state)
{
	(void)state;
	assert_text("1234567", UNIT_ANY, cell_int(1234567));
	assert_text("0.1", UNIT_ANY, cell_real(0.1));
	assert_text("7", UNIT_TEXT, cell_int(7));
}

static void text_passes_as_it_is(void **state)
{
	(void)state;
	assert_text("36893488147419103232", UNIT_COUNT,
		    cell_text(STR_LIT("36893488147419103232")));
}

static void shortest_reads_back_the_same(void **state)
{
	static const double values[] = { 0,      0.1,    1.0 / 3, 0.1 + 0.2,
					 1e-300, 5e-324, 1e300,   1699999999123456.789 };
	char out[UNITS_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_true(strtod(units_shortest(values[i], out).p, NULL) == values[i]);
	assert_string_equal("0.1", units_shortest(0.1, out).p);
	assert_string_equal("0.30000000000000004", units_shortest(0.1 + 0.2, out).p);
	assert_string_equal("-inf", units_shortest(-(double)INFINITY, out).p);
}

static void no_number_overflows_its_room(void **state)
{
	static const double values[] = { 1e308, -1e308, 1e15, -999999999999999.4,
					 (double)INFINITY };
	char out[UNITS_TEXT_MAX];

	(void)state;
	for (int unit = UNIT_TEXT; unit <= UNIT_ANY; unit++)
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
			assert_true(
				units_text((enum unit)unit, cell_real(values[i]), out).n <
				UNITS_TEXT_MAX);
	assert_text("-999,999,999,999,999.38", UNIT_COUNT, cell_real(-999999999999999.4));
	assert_text("1e+308", UNIT_COUNT, cell_real(1e308));
}

static void assert_bytes(int64_t expected, const char *text)
{
	int64_t bytes = -1;

	assert_true(units_parse_bytes(str_of(text), &bytes));
	assert_int_equal(expected, bytes);
}

static void sizes_are_read_in_powers_of_1024(void **state)
{
	(void)state;
	assert_bytes(0, "0");
	assert_bytes(4096, "4096");
	assert_bytes(INT64_C(512) * 1024, "512K");
	assert_bytes(16 << 20, "16M");
	assert_bytes(INT64_C(3) << 30, "3G");
	assert_bytes(INT64_C(8388607) << 40, "8388607T");
	assert_bytes(INT64_MAX, "9223372036854775807");
}

static void what_is_no_size_is_refused(void **state)
{
	static const char *const texts[] = { "",      "K",        "16m",
					     "1.5G",  "-1",       "1 M",
					     "M1",    "1KK",      "0x10",
					     "16MiB", "8388608T", "9223372036854775808" };
	int64_t bytes;
	(void)state;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (units_parse_bytes(str_of(texts[i]), &bytes))
			fail_msg("'%s' is a size", texts[i]);
	/* a NUL within the text is no letter's end */
	assert_false(units_parse_bytes((struct str){ "1\0", 2 }, &bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_scale_by_thousands),
		cmocka_unit_test(bytes_scale_by_1024),
		cmocka_unit_test(flops_scale_to_tera),
		cmocka_unit_test(what_rounds_up_to_the_next_unit_is_in_it),
		cmocka_unit_test(fractions_of_the_smallest_unit_are_shown),
		cmocka_unit_test(counts_have_thousands_separators),
		cmocka_unit_test(numbers_that_name_have_none),
		cmocka_unit_test(percent_has_two_decimals_and_ratio_three),
		cmocka_unit_test(booleans_are_yes_and_no),
		cmocka_unit_test(null_and_nan_are_a_dash),
		cmocka_unit_test(what_rounds_to_zero_has_no_sign),
		cmocka_unit_test(decimals_round_as_printf_does),
		cmocka_unit_test(integers_are_bare_for_machines),
		cmocka_unit_test(numbers_of_sql_are_bare),
		cmocka_unit_test(text_passes_as_it_is),
		cmocka_unit_test(shortest_reads_back_the_same),
		cmocka_unit_test(no_number_overflows_its_room),
		cmocka_unit_test(sizes_are_read_in_powers_of_1024),
		cmocka_unit_test(what_is_no_size_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
