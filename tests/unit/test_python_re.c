/* Python's regular expressions and repr(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/python_repr.h"
#include "query/calls/python_re.h"

static bool finds(const char *pattern, const char *text)
{
	struct python_re *re = python_re_new(str_of(pattern));
	struct err err = ERR_INIT;

	assert_non_null(re);
	int rc = python_re_search(re, str_of(text), &err);
	python_re_free(re);
	assert_true(rc >= 0);
	return rc > 0;
}

static bool is_none(const char *pattern)
{
	struct python_re *re = python_re_new(str_of(pattern));

	python_re_free(re);
	return !re;
}

static void what_python_spells_otherwise_means_what_it_means_there(void **state)
{
	(void)state;
	assert_true(finds("a{,2}b", "b"));
	assert_false(finds("^a{,2}b", "aaab"));
	assert_true(finds("\\w\\Z", "x"));
	assert_false(finds("x\\Z", "x\n"));
	assert_true(finds("x$", "x\n"));
	assert_true(finds("\\w", "\xc3\xa9"));
	assert_false(finds("(?a)\\w", "\xc3\xa9"));
	assert_true(finds("\\u00e9", "\xc3\xa9"));
	assert_true(finds("[[:]", "["));
	assert_true(finds("[[:alpha:]]", ":]"));
	assert_false(finds("[[:alpha:]]", "b]"));
	assert_true(finds("[]x]", "]"));
	assert_true(finds("[^]x]", "y"));
	assert_true(finds("\\v", "\x0b"));
	assert_false(finds("\\v", "\n"));
	assert_true(finds("(?P<n>a)(?P=n)", "aa"));
	assert_true(finds("(?i:A)", "a"));
	assert_true(finds("(?i)A", "a"));
	assert_true(finds("(?<=/)b", "/b"));
	assert_true(finds("{", "{"));
}

static void what_python_refuses_is_none(void **state)
{
	static const char *const wrong[] = { "(",       "(bad",    "[",      "*",
					     "a**",     "\\",      "\\z",    "\\p{L}",
					     "\\K",     "\\Q.\\E", "a(?i)b", "(?<n>a)",
					     "(?R)",    "(*UTF)a", "\\x4",   "(?|a)",
					     "(?C1)",   "[\\Z]",   "\\R",    "(?'n'a)",
					     "(?P>n)a", "\\N{DOT}" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_true(is_none(wrong[i]));
}

static void a_match_that_would_take_years_is_given_up(void **state)
{
	struct python_re *re = python_re_new(STR_LIT("^(a+)+$"));
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(
		-1,
		python_re_search(
			re, STR_LIT("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"),
			&err));
	assert_int_equal(ERR_USAGE, err.kind);
	python_re_free(re);
}

static void assert_repr(const char *expected, const char *text)
{
	struct buf out;

	buf_init(&out, 1000);
	python_repr_text(&out, str_of(text));
	assert_string_equal(expected, out.p);
	buf_release(&out);
}

static void texts_are_quoted_as_python_quotes(void **state)
{
	(void)state;
	assert_repr("''", "");
	assert_repr("'a\"b'", "a\"b");
	assert_repr("\"it's\"", "it's");
	assert_repr("'it\\'s \"x\"'", "it's \"x\"");
	assert_repr("'\\\\.py\\n\\t\\r\\x1b\\x7f'", "\\.py\n\t\r\x1b\x7f");
	assert_repr("'\xc3\xa9\\xa0\\u2028\\ufeff'",
		    "\xc3\xa9\xc2\xa0\xe2\x80\xa8\xef\xbb\xbf");
	assert_repr("'\\udcff'", "\xff");
	assert_repr("'\xf0\x9f\x90\x8d\\U000f0000'", "\xf0\x9f\x90\x8d\xf3\xb0\x80\x80");
}

static void assert_real(const char *expected, double value)
{
	struct buf out;

	buf_init(&out, 1000);
	python_repr_real(&out, value);
	assert_string_equal(expected, out.p);
	buf_release(&out);
}

static void reals_are_the_shortest_that_read_the_same(void **state)
{
	(void)state;
	assert_real("0.1", 0.1);
	assert_real("0.0", 0);
	assert_real("1.0", 1);
	assert_real("1e-05", 1e-5);
	assert_real("0.0001", 1e-4);
	assert_real("0.30000000000000004", 0.1 + 0.2);
	assert_real("1000000000000000.0", 1e15);
	assert_real("1e+16", 1e16);
	assert_real("inf", HUGE_VAL);
	assert_real("nan", (double)NAN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_python_spells_otherwise_means_what_it_means_there),
		cmocka_unit_test(what_python_refuses_is_none),
		cmocka_unit_test(a_match_that_would_take_years_is_given_up),
		cmocka_unit_test(texts_are_quoted_as_python_quotes),
		cmocka_unit_test(reals_are_the_shortest_that_read_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
