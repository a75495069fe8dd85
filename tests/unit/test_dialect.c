/*
 * Which PyTorch wrote a trace, as its content tells, and the rules that follow
 * (ingest/dialect.c).
 */
#include "reading.h"

#include "trace/torch_dialect.h"

#define OP(args)                                                                                   \
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":5.001," \
	"\"dur\":1,\"args\":{" args "}}"
#define WHOLE_US_OP(args)                                                                      \
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":5," \
	"\"dur\":1,\"args\":{" args "}}"
#define META \
	"{\n\"ph\":\"M\",\"name\":\"process_name\",\"ts\":5.001,\"pid\":1,\"args\":{\"name\":\"p\"}}"
#define BASE "\"displayTimeUnit\": \"ms\", \"baseTimeNanoseconds\": 1790857026000000000"
#define IN(before, events, behind) \
	"{\"schemaVersion\": 1," before "\"traceEvents\": [" events "]" behind "}"

static void a_is_told_by_its_categories(void **state)
{
	(void)state;
	assert_profile(
		IN("",
		   "{\"ph\":\"X\",\"cat\":\"Operator\",\"name\":\"aten::mm\",\"pid\":1,"
		   "\"tid\":\"25738\",\"ts\":1621401187223005,\"dur\":1,"
		   "\"args\":{\"Device\":0,\"Input dims\":[[1]]}}",
		   ""),
		"pytorch A shapes rules fudge=1000");
}

static void b_is_told_by_its_event_index(void **state)
{
	(void)state;
	assert_profile(IN("", WHOLE_US_OP("\"Trace name\": \"PyTorch Profiler\""), ""),
		       "pytorch B rules fudge=1000");
	assert_profile(IN("", WHOLE_US_OP("\"Profiler Event Index\": 3"), ""),
		       "pytorch B rules fudge=1000");
}

static void c_has_whole_microseconds_and_no_index(void **state)
{
	(void)state;
	assert_profile(IN("", WHOLE_US_OP("\"Ev Idx\": 3"), ""),
		       "pytorch C rules fudge=1000");
}

static void the_months_between_had_fractions_and_no_base(void **state)
{
	(void)state;
	/* since 1970, or since a time that is not told */
	assert_profile(IN("",
			  "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"n\",\"pid\":1,"
			  "\"tid\":1,\"ts\":1712195495406752.811,\"dur\":1}",
			  ",\"displayTimeUnit\": \"ns\""),
		       "pytorch C' rules float_memory_window fudge=1");
	assert_profile(IN("", OP("\"Ev Idx\": 3"), ",\"displayTimeUnit\": \"ns\""),
		       "pytorch C' rules float_memory_window fudge=1500");
}

static void d_has_its_base_behind_the_events(void **state)
{
	(void)state;
	assert_profile(IN("", OP("\"Ev Idx\": 3"), "," BASE),
		       "pytorch D base=1790857026000000000 rules split_annotations "
		       "float_memory_window fudge=2");
}

static void e_has_its_base_before_the_events(void **state)
{
	(void)state;
	assert_profile(IN(BASE ",", OP("\"Ev Idx\": 3"), ""),
		       "pytorch E base=1790857026000000000 rules split_annotations "
		       "float_memory_window fudge=2");
	/* from 2.11 on its flags stand behind trace_id, from 2.12 on it names its host */
	assert_profile(
		IN("\"profile_memory\": 1,\"trace_id\": \"1\"," BASE ",",
		   OP("\"finished\": true"), ""),
		"pytorch E base=1790857026000000000 memory rules split_annotations "
		"float_memory_window fudge=2");
	assert_profile(
		IN("\"trace_id\": \"1\",\"profile_memory\": 1," BASE ",",
		   OP("\"finished\": true"), ""),
		"pytorch E base=1790857026000000000 memory rules split_annotations fudge=2");
	assert_profile(
		IN("\"trace_id\": \"1\",\"profile_memory\": 1,"
		   "\"host_name\": \"n\\u00f6de\"," BASE ",",
		   OP("\"Ev Idx\": 3"), ""),
		"pytorch E base=1790857026000000000 host=\"n\xc3\xb6"
		"de\" memory rules split_annotations python_in_tree keep_unfinished fudge=2");
}

static void f_has_its_metadata_events_first(void **state)
{
	(void)state;
	assert_profile(IN(BASE ",", META "," OP("\"Ev Idx\": 3"), ""),
		       "pytorch F base=1790857026000000000 rules split_annotations "
		       "python_in_tree keep_unfinished fudge=2");
}

#define META_IN_A_LINE \
	"{\"ph\":\"M\",\"name\":\"process_name\",\"ts\":5.001,\"pid\":1,\"args\":{\"name\":\"p\"}}"
#define RULES_OF_2_14 "rules split_annotations python_in_tree keep_unfinished fudge=2"

static void p_is_written_by_python(void **state)
{
	(void)state;
	assert_profile(IN(BASE ",", META_IN_A_LINE "," OP(""), ""),
		       "pytorch P base=1790857026000000000 " RULES_OF_2_14);
	assert_profile(IN("\"trace_id\": \"1\"," BASE ",", META_IN_A_LINE "," OP(""), ""),
		       "pytorch F base=1790857026000000000 " RULES_OF_2_14);
	/* its memory records last until the end; however the file was laid out since */
	assert_profile(IN(BASE ",",
			  META ",{\"ph\":\"X\",\"cat\":\"cpu_instant_event\",\"name\":"
			       "\"[memory]\",\"ts\":1,\"dur\":7,\"args\":{\"Bytes\":1}}",
			  ""),
		       "pytorch P base=1790857026000000000 memory " RULES_OF_2_14);
}

static void l_has_pids_of_text_and_no_categories(void **state)
{
	(void)state;
	assert_profile("[{\"name\": \"aten::mm\", \"ph\": \"X\", \"ts\": 5, \"dur\": 1, "
		       "\"tid\": 1, \"pid\": \"CPU functions\", \"args\": {}}]",
		       "pytorch L rules fudge=0");
	assert_profile("[{\"name\": \"volta\", \"ph\": \"X\", \"ts\": 5.5, \"dur\": 1, "
		       "\"tid\": 0, \"pid\": \"CUDA functions\", \"args\": {}}]",
		       "pytorch L rules fudge=0");
	/* with a category it is somebody else's */
	assert_profile("[{\"name\": \"a\", \"cat\": \"b\", \"ph\": \"X\", \"ts\": 5, "
		       "\"dur\": 1, \"tid\": 1, \"pid\": \"CPU functions\"}]",
		       "chrome  rules all_slices fudge=0");
}

/* What a trace is when the user says which torch wrote it. */
static void assert_named(int version, const char *json, const char *expected)
{
	struct read_options options = { .torch_version = version };
	char line[256];

	snprintf(line, sizeof(line), "profile %s\n", expected);
	assert_lines(str_of(json), &options, true, line);
}

static void the_version_that_is_named_counts(void **state)
{
	const char *f = IN(BASE ",", META "," OP(""), "");

	(void)state;
	assert_named(110, f, "pytorch A base=1790857026000000000 rules fudge=1000");
	assert_named(
		204, f,
		"pytorch D base=1790857026000000000 rules float_memory_window fudge=2");
	assert_named(206, f,
		     "pytorch D base=1790857026000000000 rules split_annotations "
		     "float_memory_window fudge=2");
	assert_named(
		211, f,
		"pytorch E base=1790857026000000000 rules split_annotations fudge=2");
	assert_named(213, f, "pytorch E base=1790857026000000000 " RULES_OF_2_14);
	/* a list has nothing that versions tell apart, other programs have no torch */
	assert_named(213,
		     "[{\"name\":\"a\",\"ph\":\"X\",\"ts\":5,\"dur\":1,\"pid\":\"CPU "
		     "functions\"}]",
		     "pytorch L rules fudge=0");
	assert_named(213, "[{\"name\":\"a\",\"ph\":\"X\",\"ts\":5,\"dur\":1}]",
		     "chrome  rules all_slices fudge=0");
}

static void versions_are_two_numbers_that_torch_has(void **state)
{
	static const char *const bad[] = { "",      "2",     "2.",   ".6",   "2.6.0",
					   "2.x",   "2,6",   " 2.6", "2.6 ", "-2.6",
					   "002.6", "2.123", "v2.6" };
	static const int none[] = { 0, 6, 107, 114, 199, 216, 300, 9999 };
	char text[TORCH_VERSIONS_MAX];
	int version;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(torch_version_parse(str_of(bad[i]), &version));
	assert_true(torch_version_parse(STR_LIT("1.13"), &version));
	assert_int_equal(version, 113);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_null(torch_dialect_of_version(none[i]));
	for (int v = 200; v <= 215; v++)
		assert_non_null(torch_dialect_of_version(v));
	torch_versions_text(text);
	assert_string_equal(text, "1.8 to 1.13, 2.0 to 2.15");
}

static void other_programs_traces_have_no_dialect(void **state)
{
	(void)state;
	assert_profile(
		"[{\"ph\":\"X\",\"cat\":\"toplevel\",\"name\":\"a\",\"ts\":1,\"dur\":1}]",
		"chrome  rules all_slices fudge=0");
	assert_profile("{\"traceEvents\":[" META "]}",
		       "chrome  rules all_slices fudge=0");
	/* a recording without any event of Kineto's is still PyTorch's */
	assert_profile(IN(BASE ",", META, ""),
		       "pytorch F base=1790857026000000000 rules split_annotations "
		       "python_in_tree keep_unfinished fudge=2");
}

static void what_was_recorded_is_told(void **state)
{
	(void)state;
	assert_profile(
		IN("\"with_flops\": 1,",
		   WHOLE_US_OP(
			   "\"Input Dims\": [[1]], \"Call stack\": \"f\"") ","
									   "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\","
									   "\"ts\":1,\"args\":{\"Bytes\":1}}",
		   ""),
		"pytorch C memory shapes stacks flops rules fudge=1000");
	assert_profile(
		IN("\"with_flops\": 0,",
		   WHOLE_US_OP("") ",{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":"
				   "\"f\",\"ts\":1,\"dur\":1}",
		   ""),
		"pytorch C stacks rules fudge=1000");
}

static void the_window_and_the_span_have_ends(void **state)
{
	(void)state;
	assert_profile(
		IN("",
		   WHOLE_US_OP(
			   "") ",{\"ph\":\"X\",\"cat\":\"Trace\",\"name\":\"PyTorch Profiler (0)\","
			       "\"pid\":\"Spans\",\"tid\":\"PyTorch Profiler\",\"ts\":4,\"dur\":10},"
			       "{\"ph\":\"i\",\"s\":\"g\",\"name\":\"Record Window End\",\"pid\":\"\","
			       "\"tid\":\"\",\"ts\":12}",
		   ""),
		"pytorch C window_end=12000 span_end=14000 rules fudge=1000");
}

static void distributedInfo_gives_the_rank(void **state)
{
	(void)state;
	assert_profile(IN("\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 3, "
			  "\"world_size\": \"8\", \"pg_config\": [{\"ranks\": [0, 1]}]},",
			  WHOLE_US_OP(""), ""),
		       "pytorch C rank=3 world_size=8 rules fudge=1000");
	assert_profile(
		IN("\"distributedInfo\": {\"rank\": \"none\"},", WHOLE_US_OP(""), ""),
		"pytorch C rules fudge=1000");
	assert_profile(IN("\"distributedInfo\": {\"rank\": 1, \"world_size\": 4},"
			  "\"distributedInfo\": {\"rank\": 2},",
			  WHOLE_US_OP(""), ""),
		       "pytorch C rank=2 rules fudge=1000");
	assert_profile(IN("\"distributedInfo\": [3],", WHOLE_US_OP(""), ""),
		       "pytorch C rules fudge=1000");
}

static void deviceProperties_describe_each_device(void **state)
{
	(void)state;
	assert_sound(
		IN("\"deviceProperties\": [{\"id\": 0, \"name\": \"A100\", "
		   "\"totalGlobalMem\": 85899345920, \"computeMajor\": 8, "
		   "\"computeMinor\": 0, \"numSms\": 108}, 7, {\"name\": \"no id\"}, "
		   "{\"id\": 1}],",
		   "", ""),
		"metadata schemaVersion: 1\n"
		"metadata deviceProperties: [{\"id\": 0, \"name\": \"A100\", "
		"\"totalGlobalMem\": 85899345920, \"computeMajor\": 8, "
		"\"computeMinor\": 0, \"numSms\": 108}, 7, {\"name\": \"no id\"}, "
		"{\"id\": 1}]\n"
		"device_info 0 \"A100\" memory=85899345920 sms=108 major=8 minor=0\n"
		"device_info 1 \"\"\n");
	assert_sound(IN("\"computeProperties\": [{\"id\": 2}],", "", ""),
		     "metadata schemaVersion: 1\n"
		     "metadata computeProperties: [{\"id\": 2}]\n"
		     "device_info 2 \"\"\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_is_told_by_its_categories),
		cmocka_unit_test(b_is_told_by_its_event_index),
		cmocka_unit_test(c_has_whole_microseconds_and_no_index),
		cmocka_unit_test(the_months_between_had_fractions_and_no_base),
		cmocka_unit_test(d_has_its_base_behind_the_events),
		cmocka_unit_test(e_has_its_base_before_the_events),
		cmocka_unit_test(f_has_its_metadata_events_first),
		cmocka_unit_test(p_is_written_by_python),
		cmocka_unit_test(l_has_pids_of_text_and_no_categories),
		cmocka_unit_test(the_version_that_is_named_counts),
		cmocka_unit_test(versions_are_two_numbers_that_torch_has),
		cmocka_unit_test(other_programs_traces_have_no_dialect),
		cmocka_unit_test(what_was_recorded_is_told),
		cmocka_unit_test(the_window_and_the_span_have_ends),
		cmocka_unit_test(distributedInfo_gives_the_rank),
		cmocka_unit_test(deviceProperties_describe_each_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
