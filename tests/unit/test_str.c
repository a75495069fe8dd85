/* Borrowed texts: comparing them, and finding parts of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"

static void texts_are_ordered_by_bytes_and_the_shorter_first(void **state)
{
	(void)state;
	assert_true(str_compare(STR_LIT("aten::add"), STR_LIT("aten::mul")) < 0);
	assert_true(str_compare(STR_LIT("b"), STR_LIT("aa")) > 0);
	assert_true(str_compare(STR_LIT("add"), STR_LIT("add_")) < 0);
	assert_true(str_compare(STR_LIT("add_"), STR_LIT("add")) > 0);
	assert_int_equal(0, str_compare(STR_LIT("add"), STR_LIT("add")));
	/* a signed char would put it first */
	assert_true(str_compare(STR_LIT("\xc3\xa9"), STR_LIT("z")) > 0);
	assert_true(str_compare(STR_LIT("a\0b"), STR_LIT("a\0c")) < 0);
}

static void an_empty_text_needs_no_bytes(void **state)
{
	const struct str nothing = { NULL, 0 };

	(void)state;
	assert_int_equal(0, str_compare(nothing, STR_LIT("")));
	assert_true(str_compare(nothing, STR_LIT("a")) < 0);
	assert_false(str_contains(nothing, STR_LIT("a")));
	assert_true(str_contains(nothing, STR_LIT("")));
}

static void a_part_is_found_wherever_it_stands(void **state)
{
	(void)state;
	assert_true(str_contains(STR_LIT("cudaMemcpyAsync"), STR_LIT("cuda")));
	assert_true(str_contains(STR_LIT("cudaMemcpyAsync"), STR_LIT("emcpy")));
	assert_true(str_contains(STR_LIT("cudaMemcpyAsync"), STR_LIT("Async")));
	assert_true(str_contains(STR_LIT("Async"), STR_LIT("Async")));
	assert_true(str_contains(STR_LIT("aaab"), STR_LIT("aab")));
	assert_false(str_contains(STR_LIT("cudaMemcpyAsync"), STR_LIT("async")));
	assert_false(str_contains(STR_LIT("Asyn"), STR_LIT("Async")));
}

static void no_byte_behind_a_text_counts(void **state)
{
	const struct str text = { "AsAsync", 4 };

	(void)state;
	assert_false(str_contains(text, STR_LIT("Async")));
	assert_true(str_contains(text, STR_LIT("As")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_ordered_by_bytes_and_the_shorter_first),
		cmocka_unit_test(an_empty_text_needs_no_bytes),
		cmocka_unit_test(a_part_is_found_wherever_it_stands),
		cmocka_unit_test(no_byte_behind_a_text_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
