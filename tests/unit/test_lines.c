/*
 * Line profiles and samples of memory that were cut: what was whole is read, at every
 * byte; dumps are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording_sink.h"

#define TEXT_MAX 16384

static struct str read_fixture(const char *name, char *room)
{
	const char *folder = getenv("FIXTURES");
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", folder ? folder : "tests/fixtures", name);
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	size_t n = fread(room, 1, TEXT_MAX, f);
	fclose(f);
	assert_in_range(n, 1, TEXT_MAX - 1);
	return (struct str){ room, n };
}

/* Lines that begin with `kind`, up to the first " text=", which a cut shortens. */
static size_t facts_of(const struct recording *r, const char *kind, struct str *out,
		       size_t most)
{
	struct str rest = buf_str(&r->lines);
	size_t n = 0;

	while (rest.n) {
		const char *end = memchr(rest.p, '\n', rest.n);
		struct str line = { rest.p, (size_t)(end - rest.p) };
		rest = str_behind(rest, line.n + 1);
		if (!str_starts_with(line, str_of(kind)))
			continue;
		for (size_t i = 0; i + 6 <= line.n; i++)
			if (memcmp(line.p + i, " text=", 6) == 0)
				line.n = i;
		/* memory_profiler's functions are named by a line below: not by a cut one */
		for (size_t i = line.n; i-- > 0;)
			if (line.p[i] == ':') {
				line = str_behind(line, i);
				break;
			}
		assert_true(n < most);
		out[n++] = line;
	}
	return n;
}

/* Facts of any cut are the first ones of the whole text; only more bytes give more. */
static void cut_everywhere(const char *name, const char *reader, const char *kind)
{
	static char room[TEXT_MAX];
	static struct str all[1024], some[1024];
	struct str text = read_fixture(name, room);
	const struct read_options options = { .strict = false };
	struct recording whole, cut;
	struct err err = ERR_INIT;
	size_t before = 0;

	recording_init(&whole);
	assert_int_equal(
		0, recording_read_as(&whole, reader_find(reader), text, &options, &err));
	size_t n = facts_of(&whole, kind, all, 1024);
	assert_in_range(n, 2, 1024);
	for (size_t bytes = 1; bytes < text.n; bytes++) {
		recording_init(&cut);
		err = (struct err)ERR_INIT;
		int rc = recording_read_as(&cut, reader_find(reader),
					   (struct str){ text.p, bytes }, &options, &err);
		assert_false(cut.is_ill);
		assert_true((rc == 0) == (err.kind == ERR_NONE));
		size_t got = rc == 0 ? facts_of(&cut, kind, some, 1024) : 0;
		assert_true(got >= before && got <= n);
		for (size_t i = 0; i < got; i++)
			assert_true(str_equal(some[i], all[i]));
		before = got;
		recording_release(&cut);
	}
	assert_in_range(before, n - 1, n);
	recording_release(&whole);
}

static void whole_rows_of_a_report_are_read(void **state)
{
	(void)state;
	cut_everywhere("lines/lp503.txt", "line-report", "line ");
	cut_everywhere("lines/memory061.txt", "line-report", "line ");
}

static void whole_samples_are_read(void **state)
{
	(void)state;
	cut_everywhere("mprof/multiprocess_M.dat", "mprof", "counter ");
}

static void a_dump_that_was_cut_is_refused(void **state)
{
	static const char *const names[] = { "lines/lp21_py27.lprof",
					     "lines/proto0.lprof", "lines/proto1.lprof",
					     "lines/lp503.lprof" };
	static char room[TEXT_MAX];
	const struct read_options options = { .strict = false };

	(void)state;
	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
		struct str text = read_fixture(names[k], room);
		for (size_t bytes = 0; bytes <= text.n; bytes++) {
			struct recording r;
			struct err err = ERR_INIT;
			recording_init(&r);
			int rc = recording_read_as(&r, reader_find("lprof"),
						   (struct str){ text.p, bytes },
						   &options, &err);
			assert_int_equal(rc, bytes < text.n ? -1 : 0);
			assert_true(rc == 0 || err.offset <= (int64_t)bytes);
			recording_release(&r);
		}
	}
}

#define MEMORY               \
	"Filename: a.py\n\n" \
	"Line #    Mem usage    Increment  Occurrences   Line Contents\n"
#define TIMES                                     \
	"\nFile: a.py\nFunction: f at line 1\n\n" \
	"Line #      Hits         Time  Per Hit   % Time  Line Contents\n"

/* How many lines of a report of line_profiler and memory_profiler are told. */
static size_t told_lines(struct recording *r, const char *text)
{
	const struct read_options options = { .strict = false };
	struct err err = ERR_INIT;
	struct str lines[16];

	recording_init(r);
	assert_int_equal(0, recording_read_as(r, reader_find("line-report"), str_of(text),
					      &options, &err));
	return facts_of(r, "line ", lines, 16);
}

/* Of tables of times the last of a function counts, of those of memory each. */
static void a_table_of_times_deletes_none_of_memory(void **state)
{
	struct recording r;

	(void)state;
	assert_int_equal(
		3,
		told_lines(
			&r, MEMORY
			"     1   10.0 MiB   10.0 MiB           1   def f():\n\n" MEMORY
			"     1   15.0 MiB    5.0 MiB           1   def f():\n" TIMES
			"     2         1         10.0     10.0     50.0      y = 1\n" TIMES
			"     2         1         11.0     11.0     50.0      y = 1\n"));
	assert_non_null(strstr(recording_text(&r), "memory=10485760"));
	recording_release(&r);
}

/* The times and calls of a function are those of its last table of times. */
static void a_table_of_memory_changes_no_time(void **state)
{
	const char times[] =
		"\nTotal time: 5 s\nFile: a.py\nFunction: f at line 1\n\n"
		"Line #      Hits         Time  Per Hit   % Time  Line "
		"Contents\n"
		"     1         1    2000000.0  2000000     40.0      x = 1\n\n";
	const char memory[] =
		MEMORY "     1   10.0 MiB   10.0 MiB           1   def f():\n\n";
	char text[2][sizeof(times) + sizeof(memory)];
	struct recording r;

	(void)state;
	snprintf(text[0], sizeof(text[0]), "%s%s", times, memory);
	snprintf(text[1], sizeof(text[1]), "%s%s", memory, times);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(2, told_lines(&r, text[i]));
		assert_non_null(strstr(recording_text(&r), "calls=1 self=nan total=5\n"));
		recording_release(&r);
	}
}

/* The largest number is taken, and told; a unit of 0 would make all times 0. */
static void numbers_beyond_64_bits_and_bad_units_are_told(void **state)
{
	static const struct {
		const char *text, *finding;
	} cases[] = {
		{ "File: a.py\n" TIMES
		  "     2      1e30  10.0  10.0     50.0      y = 1\n",
		  "finding line_range @" },
		{ "Timer unit: 1e300 s\n" TIMES
		  "     2  1  10.0  10.0     50.0      y = 1\n",
		  "self=9223372036854775807" },
		{ "Timer unit: 1e300 s\n" TIMES
		  "     2  1  10.0  10.0     50.0      y = 1\n",
		  "finding line_range @" },
		{ "Total time: 1e300 s\n" TIMES
		  "     2  1  10.0  10.0     50.0      y = 1\n",
		  "finding line_range @" },
		{ MEMORY "     1   1e300 MiB   10.0 MiB     1   def f():\n",
		  "finding line_range @" },
		{ "Timer unit: 0 s\n" TIMES "     2  1  10.0  10.0     50.0      y = 1\n",
		  "self=10000" },
		{ "Timer unit: 0 s\n" TIMES "     2  1  10.0  10.0     50.0      y = 1\n",
		  "finding row_syntax @0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct recording r;
		assert_int_equal(1, told_lines(&r, cases[i].text));
		assert_non_null(strstr(recording_text(&r), cases[i].finding));
		recording_release(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_rows_of_a_report_are_read),
		cmocka_unit_test(a_table_of_times_deletes_none_of_memory),
		cmocka_unit_test(a_table_of_memory_changes_no_time),
		cmocka_unit_test(numbers_beyond_64_bits_and_bad_units_are_told),
		cmocka_unit_test(whole_samples_are_read),
		cmocka_unit_test(a_dump_that_was_cut_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
