/* The filters of reading commands: how they are written, and what they let through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "ingest/sink.h"
#include "query/filter.h"

static struct filter must_compile(const struct filter_texts *texts)
{
	struct err err = ERR_INIT;
	struct filter f;

	if (filter_compile(texts, &f, &err) < 0)
		fail_msg("%s", err.text);
	return f;
}

static void assert_refused(const struct filter_texts *texts, const char *text)
{
	struct err err = ERR_INIT;
	struct filter f;

	assert_int_equal(-1, filter_compile(texts, &f, &err));
	assert_int_equal(ERR_USAGE, err.kind);
	assert_string_equal(text, err.text);
}

static int64_t time_of(const char *text)
{
	int64_t ns = -1;

	assert_true(filter_parse_time(str_of(text), &ns));
	return ns;
}

static bool names_match(const char *focus, const char *ignore, const char *name)
{
	struct filter f =
		must_compile(&(struct filter_texts){ .focus = focus, .ignore = ignore });
	struct err err = ERR_INIT;
	int has = filter_has_name(&f, str_of(name), &err);

	assert_true(has >= 0);
	filter_release(&f);
	return has;
}

static void no_filter_lets_everything_through(void **state)
{
	struct filter f = must_compile(&(struct filter_texts){ .focus = NULL });
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(1, filter_has_name(&f, STR_LIT(""), &err));
	assert_true(filter_has_step(&f, 1, 0, false));
	assert_true(filter_has_time(&f, INT64_MIN));
	assert_true(filter_has_dur(&f, 0));
	assert_true(filter_has_category(&f, STR_LIT(""), CLASS_NONE));
	assert_true(filter_has_thread(&f, STR_LIT(""), STR_LIT("")));
	assert_true(filter_has_number(&f.streams, -7));
	assert_false(filter_needs_slices(&f));
	filter_release(&f);
}

static void times_carry_their_unit_and_are_exact(void **state)
{
	(void)state;
	assert_int_equal(7, time_of("7ns"));
	assert_int_equal(1500, time_of("1.5us"));
	assert_int_equal(1500000, time_of("1.5ms"));
	assert_int_equal(3000000000, time_of("3s"));
	assert_int_equal(1, time_of("0.000000001s"));
	assert_int_equal(INT64_MAX, time_of("9223372036.854775807s"));
	assert_int_equal(0, time_of("0"));
}

static void what_is_no_time_is_none(void **state)
{
	static const char *const texts[] = { "",       "5",      "ms",          "-1ms",
					     "1e3us",  "1.5 ms", "1m",          "1h",
					     "1ms2us", ".",      "9223372037s", "0x1us",
					     "1us " };
	int64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (filter_parse_time(str_of(texts[i]), &ns))
			fail_msg("'%s' was taken for %lld ns", texts[i], (long long)ns);
}

static void a_window_of_time_holds_its_start_and_not_its_end(void **state)
{
	struct filter f = must_compile(&(struct filter_texts){ .times = "1us..2.5us" });

	(void)state;
	assert_false(filter_has_time(&f, 999));
	assert_true(filter_has_time(&f, 1000));
	assert_true(filter_has_time(&f, 2499));
	assert_false(filter_has_time(&f, 2500));
	assert_true(filter_needs_slices(&f));
	filter_release(&f);
}

static void a_window_of_time_may_be_open(void **state)
{
	struct filter from = must_compile(&(struct filter_texts){ .times = "1us.." });
	struct filter to = must_compile(&(struct filter_texts){ .times = "..1us" });

	(void)state;
	assert_false(filter_has_time(&from, 999));
	assert_true(filter_has_time(&from, INT64_MAX - 1));
	assert_true(filter_has_time(&to, 999));
	assert_false(filter_has_time(&to, 1000));
	filter_release(&from);
	filter_release(&to);
}

static void steps_are_ranges_with_both_ends(void **state)
{
	struct filter f = must_compile(&(struct filter_texts){ .steps = "3..5" });
	struct filter one = must_compile(&(struct filter_texts){ .steps = "4" });
	struct filter from = must_compile(&(struct filter_texts){ .steps = "4.." });

	(void)state;
	assert_false(filter_has_step(&f, 1, 2, true));
	assert_true(filter_has_step(&f, 1, 3, true));
	assert_true(filter_has_step(&f, 1, 5, true));
	assert_false(filter_has_step(&f, 1, 6, true));
	assert_false(filter_has_step(&f, 1, 4, false)); /* stands in no step */
	assert_true(filter_has_step(&one, 1, 4, true));
	assert_false(filter_has_step(&one, 1, 5, true));
	assert_true(filter_has_step(&from, 1, INT64_MAX, true));
	assert_false(filter_needs_slices(&f)); /* summaries know steps */
	filter_release(&f);
	filter_release(&one);
	filter_release(&from);
}

static void mistakes_name_the_option(void **state)
{
	(void)state;
	assert_refused(&(struct filter_texts){ .steps = "a" },
		       "--step wants N, A..B, A.. or ..B, not 'a'");
	assert_refused(&(struct filter_texts){ .steps = ".." },
		       "--step wants N, A..B, A.. or ..B, not '..'");
	assert_refused(&(struct filter_texts){ .steps = "5..3" },
		       "--step 5..3 ends before it begins");
	assert_refused(
		&(struct filter_texts){ .times = "1..2" },
		"--time wants A..B with units (1.5ms..20ms, 1s.., ..300us), not '1..2'");
	assert_refused(&(struct filter_texts){ .times = "2ms..2ms" },
		       "--time 2ms..2ms is empty");
	assert_refused(&(struct filter_texts){ .min_dur = "10" },
		       "--min-dur wants a time with its unit (10us), not '10'");
	assert_refused(&(struct filter_texts){ .focus = "a(b" },
		       "--focus 'a(b': character 4: missing closing parenthesis");
	assert_refused(&(struct filter_texts){ .streams = (const char *const[]){ "7,x" },
					       .nstreams = 1 },
		       "--stream wants numbers, not 'x'");
	assert_refused(&(struct filter_texts){ .categories = (const char *const[]){ "" },
					       .ncategories = 1 },
		       "--cat wants a name");
}

static void focus_keeps_and_ignore_drops_what_matches_anywhere(void **state)
{
	(void)state;
	assert_true(names_match("conv|mm$", NULL, "aten::addmm"));
	assert_false(names_match("conv|mm$", NULL, "aten::mm_"));
	assert_true(names_match(NULL, "^aten", "backward"));
	assert_false(names_match(NULL, "^aten", "aten::mm"));
	assert_false(names_match("mm", "add", "aten::addmm"));
	assert_true(names_match("mm", "add", "aten::bmm"));
}

static void names_may_be_any_bytes(void **state)
{
	(void)state;
	assert_true(names_match("b$", NULL, "a\xff\x80 b"));
	assert_true(names_match("^.漢$", NULL, "é漢"));
	assert_true(names_match("^$", NULL, ""));
}

static void an_expression_that_runs_away_is_given_up(void **state)
{
	struct filter f = must_compile(&(struct filter_texts){ .focus = "(a+)+$" });
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(
		-1, filter_has_name(&f, STR_LIT("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"),
				    &err));
	assert_int_equal(ERR_USAGE, err.kind);
	assert_string_equal(
		"--focus takes too long on 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'; "
		"make it simpler",
		err.text);
	filter_release(&f);
}

static void lists_are_given_at_once_or_again_and_again(void **state)
{
	struct filter f = must_compile(&(struct filter_texts){
		.categories = (const char *const[]){ "kernel,cpu_op", "overhead" },
		.ncategories = 2,
		.devices = (const char *const[]){ "0", "3" },
		.ndevices = 2 });

	(void)state;
	assert_true(filter_has_category(&f, STR_LIT("kernel"), CLASS_NONE));
	assert_true(filter_has_category(&f, STR_LIT("overhead"), CLASS_NONE));
	assert_false(filter_has_category(&f, STR_LIT("kern"), CLASS_NONE));
	assert_false(filter_has_category(&f, STR_LIT(""), CLASS_NONE));
	assert_true(filter_has_number(&f.devices, 3));
	assert_false(filter_has_number(&f.devices, 1));
	assert_false(filter_wants_python(&f));
	filter_release(&f);
}

static void a_category_has_any_capitals_and_old_spellings(void **state)
{
	struct filter f = must_compile(&(struct filter_texts){
		.categories = (const char *const[]){ "KERNEL,cpu_op,Memcpy" },
		.ncategories = 1 });

	(void)state;
	assert_true(filter_has_category(&f, STR_LIT("Kernel"), CLASS_NONE));
	assert_true(filter_has_category(&f, STR_LIT("Operator"), CLASS_NONE));
	assert_true(filter_has_category(&f, STR_LIT("gpu_memcpy"), CLASS_NONE));
	assert_false(filter_has_category(&f, STR_LIT("Runtime"), CLASS_NONE));
	filter_release(&f);
}

static void a_class_is_as_good_as_a_category(void **state)
{
	struct filter f = must_compile(&(struct filter_texts){
		.categories = (const char *const[]){ "op,Python" }, .ncategories = 1 });

	(void)state;
	assert_true(filter_has_category(&f, STR_LIT("cpu_op"), CLASS_OP));
	assert_true(filter_has_category(&f, STR_LIT("op"), CLASS_OTHER));
	assert_false(filter_has_category(&f, STR_LIT("kernel"), CLASS_KERNEL));
	assert_true(filter_wants_python(&f));
	filter_release(&f);
}

static void a_list_is_not_endless(void **state)
{
	char *many = xcalloc(1, 512);

	(void)state;
	for (size_t i = 0; i < (size_t)2 * (FILTER_ITEMS_MAX + 1); i++)
		many[i] = i % 2 ? ',' : '1';
	assert_refused(&(struct filter_texts){ .devices = (const char *const[]){ many },
					       .ndevices = 1 },
		       "--device takes at most 64 values");
	free(many);
}

static void a_thread_is_named_by_its_number_or_its_name(void **state)
{
	struct filter f = must_compile(&(struct filter_texts){
		.threads = (const char *const[]){ "17,autograd" }, .nthreads = 1 });

	(void)state;
	assert_true(filter_has_thread(&f, STR_LIT("17"), STR_LIT("main")));
	assert_true(filter_has_thread(&f, STR_LIT("4"), STR_LIT("autograd")));
	assert_false(filter_has_thread(&f, STR_LIT("1"), STR_LIT("main")));
	assert_false(filter_has_thread(&f, STR_LIT(""), STR_LIT("")));
	filter_release(&f);
}

static void each_filter_is_seen_to_be_given(void **state)
{
	static const char *const one[] = { "1" };
	const struct filter_texts texts[] = {
		{ .focus = "a" },
		{ .ignore = "a" },
		{ .steps = "3" },
		{ .times = "1ms.." },
		{ .min_dur = "1us" },
		{ .categories = one, .ncategories = 1 },
		{ .threads = one, .nthreads = 1 },
		{ .streams = one, .nstreams = 1 },
		{ .devices = one, .ndevices = 1 },
	};
	const struct filter none = { .focus = NULL };

	(void)state;
	assert_false(filter_is_given(&none));
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct filter f = must_compile(&texts[i]);
		assert_true(filter_is_given(&f));
		filter_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_filter_lets_everything_through),
		cmocka_unit_test(times_carry_their_unit_and_are_exact),
		cmocka_unit_test(what_is_no_time_is_none),
		cmocka_unit_test(a_window_of_time_holds_its_start_and_not_its_end),
		cmocka_unit_test(a_window_of_time_may_be_open),
		cmocka_unit_test(steps_are_ranges_with_both_ends),
		cmocka_unit_test(mistakes_name_the_option),
		cmocka_unit_test(focus_keeps_and_ignore_drops_what_matches_anywhere),
		cmocka_unit_test(names_may_be_any_bytes),
		cmocka_unit_test(an_expression_that_runs_away_is_given_up),
		cmocka_unit_test(lists_are_given_at_once_or_again_and_again),
		cmocka_unit_test(a_category_has_any_capitals_and_old_spellings),
		cmocka_unit_test(a_class_is_as_good_as_a_category),
		cmocka_unit_test(a_list_is_not_endless),
		cmocka_unit_test(a_thread_is_named_by_its_number_or_its_name),
		cmocka_unit_test(each_filter_is_seen_to_be_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
