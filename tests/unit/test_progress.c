/* The progress line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/ingesting.h"
#include <cmocka.h>

#define SECOND_NS INT64_C(1000000000)
#define MB        UINT64_C(1000000)

static void assert_line(const struct progress *p, int64_t elapsed_ns, size_t width,
			const char *expected)
{
	char line[PROGRESS_LINE_MAX];

	progress_format(p, elapsed_ns, width, line);
	assert_string_equal(expected, line);
}

static void a_known_size_gives_percent_and_time_left(void **state)
{
	struct progress p = { .label = "a.json", .done = 500 * MB, .total = 2000 * MB };

	(void)state;
	assert_line(&p, SECOND_NS, 80, "a.json  25%  500 MB  500 MB/s  ETA 3s");
	assert_line(&p, 100 * SECOND_NS, 80, "a.json  25%  500 MB  5 MB/s  ETA 5m00s");
	assert_line(&p, 5000 * SECOND_NS, 80, "a.json  25%  500 MB  0 MB/s  ETA 4h10m");
}

static void when_all_is_read_it_says_what_is_left(void **state)
{
	struct progress p = { .label = "a.json", .done = 20 * MB, .total = 20 * MB };

	(void)state;
	assert_line(&p, SECOND_NS, 80, "a.json  100%  20 MB  20 MB/s  writing");
}

static void an_unknown_size_gives_neither(void **state)
{
	struct progress p = { .label = "-", .done = 1500 * MB };

	(void)state;
	assert_line(&p, 2 * SECOND_NS, 80, "-  1.50 GB  750 MB/s");
}

static void a_file_that_grows_is_never_more_than_whole(void **state)
{
	struct progress p = { .label = "a.json", .done = 30 * MB, .total = 20 * MB };

	(void)state;
	assert_line(&p, SECOND_NS, 80, "a.json  30 MB  30 MB/s");
}

static void nothing_is_divided_by_nothing(void **state)
{
	struct progress p = { .label = "a.json", .done = 0, .total = 20 * MB };

	(void)state;
	assert_line(&p, 0, 80, "a.json  0%  0 kB  0 MB/s");
}

static void the_line_is_cut_to_the_terminal(void **state)
{
	struct progress p = { .label = "a.json", .done = 5 * MB, .total = 20 * MB };

	(void)state;
	assert_line(&p, SECOND_NS, 12, "a.json  25% ");
	assert_line(&p, SECOND_NS, 0, "");
}

static void a_hostile_file_name_cannot_speak_to_the_terminal(void **state)
{
	struct progress p = { .label = "a\x1b[2Jb", .done = MB };

	(void)state;
	assert_line(&p, SECOND_NS, 80, "a\\x1b[2Jb  1 MB  1 MB/s");
}

static void a_long_file_name_leaves_room_for_the_numbers(void **state)
{
	struct progress p = {
		.label = "/a/very/long/path/to/a/trace/of/rank/17/of/64/trace.json",
		.done = MB
	};
	char line[PROGRESS_LINE_MAX];

	(void)state;
	progress_format(&p, SECOND_NS, 80, line);
	assert_non_null(strstr(line, "trace.json  1 MB  1 MB/s"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_known_size_gives_percent_and_time_left),
		cmocka_unit_test(when_all_is_read_it_says_what_is_left),
		cmocka_unit_test(an_unknown_size_gives_neither),
		cmocka_unit_test(a_file_that_grows_is_never_more_than_whole),
		cmocka_unit_test(nothing_is_divided_by_nothing),
		cmocka_unit_test(the_line_is_cut_to_the_terminal),
		cmocka_unit_test(a_hostile_file_name_cannot_speak_to_the_terminal),
		cmocka_unit_test(a_long_file_name_leaves_room_for_the_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
