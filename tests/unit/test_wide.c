/* 64-bit numbers come back as they were, whatever their size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/wide.h"

static void a_small_number_takes_no_room_beside_its_code(void **state)
{
	static const int64_t small[] = { 0, 1, -1, WIDE_HALF - 1, -WIDE_HALF };
	struct wides w = { 0 };
	(void)state;

	for (size_t i = 0; i < sizeof(small) / sizeof(*small); i++)
		assert_true(wide_get(&w, wide_add(&w, small[i])) == small[i]);
	assert_int_equal(0, w.nlarge);
	wides_release(&w);
}

static void a_large_number_comes_back(void **state)
{
	static const int64_t large[] = { WIDE_HALF, -WIDE_HALF - 1, INT64_MAX,
					 INT64_MIN + 1, INT64_C(1) << 32 };
	uint32_t codes[sizeof(large) / sizeof(*large)];
	struct wides w = { 0 };
	(void)state;

	for (size_t i = 0; i < sizeof(large) / sizeof(*large); i++)
		codes[i] = wide_add(&w, large[i]);
	for (size_t i = 0; i < sizeof(large) / sizeof(*large); i++)
		assert_true(wide_get(&w, codes[i]) == large[i]);
	assert_int_equal(5, w.nlarge);
	wides_release(&w);
}

static void no_number_has_a_code_that_no_number_has(void **state)
{
	struct wides w = { 0 };
	(void)state;

	assert_int_equal(WIDE_NONE, wide_add(&w, NUMBER_NONE));
	assert_true(wide_get(&w, WIDE_NONE) == NUMBER_NONE);
	assert_int_not_equal(WIDE_NONE, wide_add(&w, -1));
	assert_int_equal(0, w.nlarge);
	wides_release(&w);
}

static void a_large_number_that_stays_is_kept_once(void **state)
{
	struct wides w = { 0 };
	(void)state;

	for (int i = 0; i < 1000; i++)
		assert_true(wide_get(&w, wide_add(&w, INT64_MAX - 7)) == INT64_MAX - 7);
	assert_int_equal(1, w.nlarge);
	wides_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_number_takes_no_room_beside_its_code),
		cmocka_unit_test(a_large_number_comes_back),
		cmocka_unit_test(no_number_has_a_code_that_no_number_has),
		cmocka_unit_test(a_large_number_that_stays_is_kept_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
