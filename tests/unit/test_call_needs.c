/* What a call of an operator can take by its shapes. */
#include "query/advise/call_needs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int64_t needs(const char *name, const char *shapes)
{
	return call_needs_ns(str_of(name), str_of(shapes));
}

static void elements_of_all_tensors_count(void **state)
{
	(void)state;
	assert_int_equal(50000 + 50 * 8192, needs("aten::sqrt", "[[128, 64]]"));
	assert_int_equal(50000 + 50 * 16, needs("aten::add_", "[[8], [8], []]"));
	assert_int_equal(50000 + 50 * 16, needs("aten::add_.Tensor", "[[8], [8], []]"));
	assert_int_equal(50000 + 50 * 1000000, needs("aten::mul", "[[1000, 1], [1000]]"));
}

static void products_count_their_multiplications(void **state)
{
	(void)state;
	assert_int_equal(50000 + 50 * (6 + 12) + 12,
			 needs("aten::mm", "[[2, 3], [3, 4]]"));
	assert_int_equal(50000 + 50 * (4 + 6 + 12) + 12,
			 needs("aten::addmm", "[[4], [2, 3], [3, 4], [], []]"));
	assert_int_equal(50000 + 50 * (2 * 3 * 64 + 5 * 3 * 9) + 2 * 64 * 5 * 3 * 9 / 2,
			 needs("aten::mkldnn_convolution",
			       "[[2, 3, 8, 8], [5, 3, 3, 3], [], [], [], [], []]"));
}

static void a_view_looks_at_no_element(void **state)
{
	(void)state;
	assert_int_equal(50000, needs("aten::view", "[[1000, 1000], []]"));
}

static void what_is_not_known_is_not_judged(void **state)
{
	(void)state;
	assert_int_equal(-1, needs("aten::sort", "[[8], [], []]"));
	assert_int_equal(-1, needs("sqrt", "[[8]]"));
	assert_int_equal(-1, needs("aten::sqrt", "[]"));
	assert_int_equal(-1, needs("aten::sqrt", "[[]]"));
	assert_int_equal(-1, needs("aten::sqrt", ""));
	assert_int_equal(-1, needs("aten::sqrt", "[[8"));
	assert_int_equal(-1, needs("aten::mm", "[[8], [8]]"));
	assert_int_equal(-1, needs("aten::mkldnn_convolution", "[[8], [8]]"));
}

static void huge_shapes_do_not_overflow(void **state)
{
	(void)state;
	assert_int_equal(INT64_MAX, needs("aten::sqrt",
					  "[[9999999999999999999999, 99999999999999]]"));
	assert_int_equal(INT64_MAX, needs("aten::add", "[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "
						       "99999999999999999999]]"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_of_all_tensors_count),
		cmocka_unit_test(products_count_their_multiplications),
		cmocka_unit_test(a_view_looks_at_no_element),
		cmocka_unit_test(what_is_not_known_is_not_judged),
		cmocka_unit_test(huge_shapes_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
