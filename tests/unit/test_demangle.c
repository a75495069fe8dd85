/*
 * Mangled names, and those that are made to cost: each of the hostile ones ran
 * for minutes or took gigabytes before there were limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/demangle.h"

#define LEVELS 60

static bool becomes(struct str mangled, const char *expected)
{
	struct buf plain;
	bool is_plain = demangle(mangled, &plain);

	if (is_plain && expected && !str_is(buf_str(&plain), expected))
		fail_msg("'" STR_FMT "' became '" STR_FMT "'", STR_ARG(mangled),
			 STR_ARG(buf_str(&plain)));
	if (!is_plain)
		assert_int_equal(0, plain.n);
	buf_release(&plain);
	return is_plain;
}

static void names_and_types_are_spelt_out(void **state)
{
	(void)state;
	assert_true(becomes(STR_LIT("PKc"), "char const*"));
	assert_true(becomes(STR_LIT("_Z3fooi"), "foo(int)"));
	assert_true(becomes(STR_LIT("_ZN1AcvT_IiEEv"), "A::operator int<int>()"));
	assert_true(becomes(STR_LIT("_Z1fIJicEEvDpT_"), "void f<int, char>(int, char)"));
	assert_false(becomes(STR_LIT("aten::mm"), NULL));
	assert_false(becomes(STR_LIT(""), NULL));
	assert_false(becomes((struct str){ "Ss\0x", 4 }, NULL));
}

/* "S_", "S0_", ... "SZ_", "S10_", ...: reference number i to an earlier part. */
static void add_reference(struct buf *b, size_t i)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	buf_add_char(b, 'S');
	if (i > 36)
		buf_add_char(b, digits[(i - 1) / 36]);
	if (i > 0)
		buf_add_char(b, digits[(i - 1) % 36]);
	buf_add_char(b, '_');
}

/* Templates with the one before twice as arguments; the number of the last. */
static size_t add_doubling(struct buf *b, size_t last)
{
	for (int level = 0; level < LEVELS; level++) {
		buf_addf(b, "3A%02dI", level);
		add_reference(b, last);
		add_reference(b, last);
		buf_add_char(b, 'E');
		last += 2;
	}
	return last;
}

static void a_name_whose_parts_double_stays_mangled(void **state)
{
	struct buf name;

	(void)state;
	buf_init(&name, 4096);
	buf_add_text(&name, "_Z1f1PIiiE");
	add_doubling(&name, 1);
	assert_false(becomes(buf_str(&name), NULL));
	buf_release(&name);
}

static void a_pack_that_is_searched_for_in_doubling_parts_stays_mangled(void **state)
{
	struct buf name;

	(void)state;
	buf_init(&name, 4096);
	buf_add_text(&name, "_Z1fIJiEEv1aIiiE");
	size_t last = add_doubling(&name, 2);
	buf_add_text(&name, "Dp");
	add_reference(&name, last);
	assert_false(becomes(buf_str(&name), NULL));
	buf_release(&name);
}

static void templates_within_a_conversion_stay_mangled(void **state)
{
	struct buf name;

	(void)state;
	buf_init(&name, 4096);
	buf_add_text(&name, "_ZN1Acv");
	for (int level = 0; level < LEVELS; level++)
		buf_add_text(&name, "T_I");
	buf_add_char(&name, 'i');
	for (int level = 0; level < LEVELS; level++)
		buf_add_char(&name, 'E');
	buf_add_text(&name, "Ev");
	assert_false(becomes(buf_str(&name), NULL));
	buf_release(&name);
}

static void deep_nesting_ends(void **state)
{
	struct buf name;

	(void)state;
	buf_init(&name, 4096);
	buf_add_text(&name, "_Z1f");
	for (int i = 0; i < 1000; i++)
		buf_add_char(&name, 'P');
	buf_add_char(&name, 'i');
	becomes(buf_str(&name), NULL);
	buf_add_text(&name, "Dp");
	becomes(buf_str(&name), NULL);
	buf_release(&name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_types_are_spelt_out),
		cmocka_unit_test(a_name_whose_parts_double_stays_mangled),
		cmocka_unit_test(
			a_pack_that_is_searched_for_in_doubling_parts_stays_mangled),
		cmocka_unit_test(templates_within_a_conversion_stay_mangled),
		cmocka_unit_test(deep_nesting_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
