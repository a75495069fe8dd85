/* Misspelt names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/suggest.h"

static const char *const options[] = { "--by", "--limit", "--format", "--focus", NULL };
static const char *const sort_keys[] = { "self", "total", "cumulative", "cpu_time_total",
					 NULL };

static void a_slip_of_the_finger_counts_as_one(void **state)
{
	(void)state;
	assert_int_equal(0, suggest_distance("limit", "limit"));
	assert_int_equal(1, suggest_distance("limt", "limit"));
	assert_int_equal(1, suggest_distance("limiit", "limit"));
	assert_int_equal(1, suggest_distance("lamit", "limit"));
	assert_int_equal(1, suggest_distance("limti", "limit"));
	assert_int_equal(3, suggest_distance("kitten", "sitting"));
	assert_int_equal(5, suggest_distance("", "limit"));
}

static void case_and_the_kind_of_dash_do_not_count(void **state)
{
	(void)state;
	assert_int_equal(0, suggest_distance("CPU-Time", "cpu_time"));
}

static void the_nearest_name_is_found(void **state)
{
	(void)state;
	assert_string_equal("--limit", suggest_nearest("--limt", options));
	assert_string_equal("--limit", suggest_nearest("-limit", options));
	assert_string_equal("--format", suggest_nearest("--fromat", options));
	assert_string_equal("cpu_time_total",
			    suggest_nearest("cpu-time-total", sort_keys));
}

static void of_equally_near_ones_the_longest_beginning_counts(void **state)
{
	(void)state;
	assert_string_equal(
		"--limit",
		suggest_nearest("--limt",
				(const char *const[]){ "--list", "--limit", NULL }));
}

static void a_beginning_is_as_good_as_the_name(void **state)
{
	(void)state;
	assert_string_equal("cumulative", suggest_nearest("cum", sort_keys));
	assert_string_equal("--format", suggest_nearest("--for", options));
	assert_string_equal("cumulative", suggest_nearest("cu", sort_keys));
}

static void nothing_is_suggested_for_what_is_like_no_name(void **state)
{
	(void)state;
	assert_null(suggest_nearest("--verbose", options));
	assert_null(suggest_nearest("x", sort_keys));
	assert_null(suggest_nearest("", sort_keys));
	assert_null(suggest_nearest("-", options));
	assert_null(suggest_nearest("foo", (const char *const[]){ "top", "op", NULL }));
	assert_string_equal("top",
			    suggest_nearest("tpo", (const char *const[]){ "top", NULL }));
}

static void words_longer_than_any_name_are_unlike_all(void **state)
{
	char word[1000];

	(void)state;
	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_int_equal(sizeof(word) - 1, suggest_distance(word, "limit"));
	assert_null(suggest_nearest(word, options));
}

static void the_message_names_the_nearest_and_the_valid_ones(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(-1, suggest_unknown(&err, "option", "--limt", options));
	assert_int_equal(ERR_USAGE, err.kind);
	assert_string_equal("unknown option '--limt'; did you mean '--limit'? "
			    "(valid: --by, --limit, --format, --focus)",
			    err.text);
	suggest_unknown(&err, "--sort", "zebra", sort_keys);
	assert_string_equal("unknown --sort 'zebra' "
			    "(valid: self, total, cumulative, cpu_time_total)",
			    err.text);
}

static void a_list_too_long_for_a_message_says_so(void **state)
{
	const char *names[101];
	struct err err = ERR_INIT;
	char word[1000];

	(void)state;
	for (size_t i = 0; i < 100; i++)
		names[i] = "some_column_ns";
	names[100] = NULL;
	memset(word, 'w', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	suggest_unknown(&err, "column", word, names);
	assert_string_equal(", some_column_ns, ...)", err.text + strlen(err.text) - 22);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slip_of_the_finger_counts_as_one),
		cmocka_unit_test(case_and_the_kind_of_dash_do_not_count),
		cmocka_unit_test(the_nearest_name_is_found),
		cmocka_unit_test(of_equally_near_ones_the_longest_beginning_counts),
		cmocka_unit_test(a_beginning_is_as_good_as_the_name),
		cmocka_unit_test(nothing_is_suggested_for_what_is_like_no_name),
		cmocka_unit_test(words_longer_than_any_name_are_unlike_all),
		cmocka_unit_test(the_message_names_the_nearest_and_the_valid_ones),
		cmocka_unit_test(a_list_too_long_for_a_message_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
