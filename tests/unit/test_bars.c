/* Numbers as block characters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/bars.h"

static void assert_text(const char *expected, struct buf *b)
{
	assert_int_equal(strlen(expected), b->n);
	assert_memory_equal(expected, b->p, b->n);
	buf_release(b);
}

static void a_cover_is_blank_only_where_there_is_none(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 100);
	bars_add_cover(&b, 0);
	bars_add_cover(&b, 1e-9);
	bars_add_cover(&b, 0.5);
	bars_add_cover(&b, 0.9374);
	bars_add_cover(&b, 0.9376);
	bars_add_cover(&b, 7);
	assert_text(" ▁▄▇██", &b);
}

static void a_curve_goes_from_the_lowest_block_to_the_highest(void **state)
{
	const double values[] = { 10, 17, 13, 10 };
	struct buf b;

	(void)state;
	buf_init(&b, 100);
	bars_add_curve(&b, values, 4, 10, 17);
	bars_add_curve(&b, values, 1, 10, 10);
	assert_text("▁█▄▁▁", &b);
}

static void a_squeezed_curve_keeps_the_largest_of_each_stretch(void **state)
{
	double values[] = { 1, 9, 2, 3, 8, 4, 7 };

	(void)state;
	assert_int_equal(7, bars_squeeze(values, 7, 7));
	assert_int_equal(3, bars_squeeze(values, 7, 3));
	assert_int_equal(9, values[0]);
	assert_int_equal(3, values[1]);
	assert_int_equal(8, values[2]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cover_is_blank_only_where_there_is_none),
		cmocka_unit_test(a_curve_goes_from_the_lowest_block_to_the_highest),
		cmocka_unit_test(a_squeezed_curve_keeps_the_largest_of_each_stretch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
