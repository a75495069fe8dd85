/* Natural order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sort.h"

static int compare(const char *a, const char *b)
{
	return natural_compare(str_of(a), str_of(b));
}

static void numbers_stand_by_their_value(void **state)
{
	(void)state;
	assert_true(compare("step_9.json", "step_10.json") < 0);
	assert_true(compare("step_10.json", "step_9.json") > 0);
	assert_true(compare("a2b10", "a2b9") > 0);
	assert_true(compare("rank12", "rank3") > 0);
	assert_true(compare("999", "1000") < 0);
}

static void numbers_of_any_length_are_numbers(void **state)
{
	(void)state;
	assert_true(compare("w.99999999999999999999998", "w.99999999999999999999999") <
		    0);
	assert_true(compare("w.99999999999999999999999", "w.100000000000000000000000") <
		    0);
}

static void other_text_stands_by_its_bytes(void **state)
{
	(void)state;
	assert_true(compare("a", "b") < 0);
	assert_true(compare("B", "a") < 0);
	assert_true(compare("a", "ab") < 0);
	assert_true(compare("", "a") < 0);
	assert_true(compare("z", "\xc3\xa4") < 0);
	assert_int_equal(0, compare("a1", "a1"));
	assert_int_equal(0, compare("", ""));
}

static void the_files_of_a_folder_stand_together(void **state)
{
	(void)state;
	assert_true(compare("a/z", "a.b/c") < 0);
	assert_true(compare("a/z", "a-b") < 0);
	assert_true(compare("run/9", "run2/1") < 0);
}

static void leading_zeros_tell_names_apart_but_not_their_places(void **state)
{
	(void)state;
	assert_true(compare("a01", "a2") < 0);
	assert_true(compare("a002b", "a2a") > 0);
	assert_true(compare("a01", "a1") != 0);
	assert_true(compare("a01", "a1") == -compare("a1", "a01"));
	assert_true(compare("0", "00") < 0);
}

/* A sort needs an order: of any three of these, and both ways. */
static void it_is_an_order(void **state)
{
	static const char *const names[] = { "",   "a",  "a1", "a01", "a10", "a9b",
					     "a/", "a.", "A1", "01",  "1",   "1a",
					     "/",  "9",  "10", "a1a", "a:",  "\xff" };
	const size_t n = sizeof(names) / sizeof(*names);

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			int ij = compare(names[i], names[j]);
			int ji = compare(names[j], names[i]);
			assert_true((ij < 0) == (ji > 0) && (ij == 0) == (i == j));
			for (size_t k = 0; k < n; k++)
				if (ij < 0 && compare(names[j], names[k]) < 0)
					assert_true(compare(names[i], names[k]) < 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_stand_by_their_value),
		cmocka_unit_test(numbers_of_any_length_are_numbers),
		cmocka_unit_test(other_text_stands_by_its_bytes),
		cmocka_unit_test(the_files_of_a_folder_stand_together),
		cmocka_unit_test(leading_zeros_tell_names_apart_but_not_their_places),
		cmocka_unit_test(it_is_an_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
