/* What names of traces tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest/file_name.h"
#include "ingest/sink.h"

#define NONE NUMBER_NONE

static struct file_name parse(const char *path)
{
	return file_name_parse(str_of(path));
}

static void assert_worker(const char *path, const char *worker, int64_t stamp)
{
	struct file_name name = parse(path);

	if (!name.is_handler || !str_is(name.worker, worker) || name.stamp != stamp)
		fail_msg("%s: worker '" STR_FMT "', stamp %lld", path,
			 STR_ARG(name.worker), (long long)name.stamp);
}

static void the_handlers_names_tell_worker_and_stamp(void **state)
{
	(void)state;
	assert_worker("vm_4242.1795168425954677576.pt.trace.json", "vm_4242",
		      INT64_C(1795168425954677576));
	assert_worker("log/plugins/profile/run/host.1622.pt.trace.json.gz", "host", 1622);
	assert_worker("host.7.pt.trace.json.zst", "host", 7);
	assert_worker("host.pt.trace.json", "host", NONE);
	assert_worker("node.example.org_1.2.pt.trace.json", "node.example.org_1", 2);
	assert_worker("a.1.2.pt.trace.json", "a.1", 2);
	assert_worker("42.pt.trace.json", "42", NONE);
	assert_worker("host.1a.pt.trace.json", "host.1a", NONE);
}

static void a_stamp_beyond_64_bits_is_none(void **state)
{
	(void)state;
	assert_worker("host.99999999999999999999.pt.trace.json", "host", NONE);
	assert_worker("host.9223372036854775807.pt.trace.json", "host", INT64_MAX);
}

static void other_names_have_no_worker(void **state)
{
	static const char *const names[] = { "trace.json",
					     "host.1.pt.trace.json.bz2",
					     "host.1.pt.trace.jsonl",
					     "pt.trace.json",
					     "host.1.pt.trace.json/trace.json",
					     "",
					     "-",
					     "/",
					     "host.1.PT.trace.json" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct file_name name = parse(names[i]);
		if (name.is_handler || name.worker.n || name.stamp != NONE)
			fail_msg("%s", names[i]);
	}
}

struct number {
	const char *path;
	int64_t number;
};

static void a_rank_stands_behind_the_word(void **state)
{
	static const struct number cases[] = {
		{ "rank0.json", 0 },
		{ "rank-0.Apr_03_18_51_38.1102.pt.trace.json", 0 },
		{ "rank_12.json.gz", 12 },
		{ "trace_rank3.json", 3 },
		{ "Rank7.json", 7 },
		{ "RANK=5.json", 5 },
		{ "node1rank2.json", 2 },
		{ "sampled_rank-31.json.gz", 31 },
		{ "rank007.json", 7 },
		{ "rank1_of_8.json", 1 },
		{ "rank3.1795168425954677576.pt.trace.json", 3 },
		{ "prank1_rank2.json", 2 },
		{ "rank", NONE },
		{ "rank.json", NONE },
		{ "frank7.json", NONE },
		{ "pagerank2.json", NONE },
		{ "ranks4.json", NONE },
		{ "ranking5.json", NONE },
		{ "rank2nd.json", NONE },
		{ "rank--1.json", NONE },
		{ "rank0-3.json", NONE },
		{ "local_rank1.json", NONE },
		{ "LocalRank1.json", NONE },
		{ "isLocal-rank3.json", NONE },
		{ "traceLocal_rank3.json", NONE },
		{ "local_rank1_rank9.json", 9 },
		{ "node_rank1_local_rank0.json", NONE },
		{ "group_rank2_rank5.json", 5 },
		{ "rank.1795168425954677576.pt.trace.json", NONE },
		{ "rank1795168425954677576.json", NONE },
		{ "trace.json", NONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (parse(cases[i].path).rank != cases[i].number)
			fail_msg("%s: rank %lld", cases[i].path,
				 (long long)parse(cases[i].path).rank);
}

static void the_folder_tells_the_rank_when_the_file_does_not(void **state)
{
	(void)state;
	assert_int_equal(4, parse("out/rank4/trace.json").rank);
	assert_int_equal(4, parse("rank_4/trace.json").rank);
	assert_int_equal(1, parse("rank4/rank1.json").rank);
	/* further out it is somebody's home */
	assert_int_equal(NONE, parse("rank4/out/trace.json").rank);
	assert_int_equal(NONE, parse("/trace.json").rank);
}

static void a_step_stands_behind_the_word(void **state)
{
	static const struct number cases[] = {
		{ "train_step_0.json", 0 },
		{ "train_step_12.json.gz", 12 },
		{ "step_3.json", 3 },
		{ "trace_step12.json.gz", 12 },
		{ "global-step-100.json.zst", 100 },
		{ "step3_rank1.json", 3 },
		{ "rank1.step_4.json", 4 },
		{ "node_step3.json", 3 },
		{ "group_step3.json", 3 },
		{ "local_step3.json", NONE },
		{ "local_step3_global_step100.json", 100 },
		{ "steps.json", NONE },
		{ "steps_3.json", NONE },
		{ "stepwise3.json", NONE },
		{ "footstep3.json", NONE },
		{ "step_3-5.json", NONE },
		{ "step_20240403120000.json", NONE },
		{ "step_3/trace.json", NONE },
		{ "step.1622.pt.trace.json", NONE },
		{ "step_6.1622.pt.trace.json", 6 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (parse(cases[i].path).step != cases[i].number)
			fail_msg("%s: step %lld", cases[i].path,
				 (long long)parse(cases[i].path).step);
}

static void paths_are_cut_at_their_last_slash(void **state)
{
	(void)state;
	assert_true(str_is(file_name_base(str_of("a/b/c")), "c"));
	assert_true(str_is(file_name_folder(str_of("a/b/c")), "a/b"));
	assert_true(str_is(file_name_base(str_of("c")), "c"));
	assert_true(str_is(file_name_folder(str_of("c")), ""));
	assert_true(str_is(file_name_base(str_of("a/")), ""));
	assert_true(str_is(file_name_folder(str_of("/c")), ""));
}

/* Every part of a name is looked at where it lies: ASan sees a byte behind it. */
static void no_byte_behind_the_name_is_read(void **state)
{
	static const char whole[] =
		"d/local_rank_1_rank-2-x_step=03-1.45.pt.trace.json.gz";

	(void)state;
	for (size_t from = 0; from < sizeof(whole); from++)
		for (size_t to = from; to < sizeof(whole); to++) {
			char *copy = test_malloc(to - from + 1);
			memcpy(copy, whole + from, to - from);
			struct file_name name =
				file_name_parse((struct str){ copy, to - from });
			assert_true(name.worker.n <= to - from);
			test_free(copy);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_handlers_names_tell_worker_and_stamp),
		cmocka_unit_test(a_stamp_beyond_64_bits_is_none),
		cmocka_unit_test(other_names_have_no_worker),
		cmocka_unit_test(a_rank_stands_behind_the_word),
		cmocka_unit_test(the_folder_tells_the_rank_when_the_file_does_not),
		cmocka_unit_test(a_step_stands_behind_the_word),
		cmocka_unit_test(paths_are_cut_at_their_last_slash),
		cmocka_unit_test(no_byte_behind_the_name_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
