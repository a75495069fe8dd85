/* JSON that is no trace is refused with what it seems to be (ingest/foreign.c). */
#include "reading.h"

static void an_object_is_told_by_its_keys(void **state)
{
	static const struct {
		const char *json, *what;
	} rows[] = {
		{ "{\"schema\":\"1.1.1\",\"pid\":3,\"time\":\"2024\",\"nodes\":[{\"id\":1}]}",
		  "a PyTorch execution trace, not a profiler trace: export_chrome_trace() "
		  "of torch.profiler writes what ptool reads" },
		{ "{\"version\":0,\"costs\":[],\"events\":[],\"functions\":[]}",
		  "a profile for gprof2dot, as of memray, not a profiler trace: 'memray "
		  "transform speedscope RECORDING' writes what ptool reads" },
		{ "{\"nodes\":[],\"startTime\":1,\"endTime\":2,\"samples\":[],\"timeDeltas\":[]}",
		  "a CPU profile of V8, not a profiler trace" },
		{ "{\"snapshot\":{},\"nodes\":[],\"edges\":[],\"strings\":[]}",
		  "a heap snapshot of V8, not a profiler trace" },
		{ "{\"$schema\":\"https://x\",\"shared\":{\"frames\":[]},\"profiles\":[]}",
		  "a speedscope profile, not a profiler trace" },
		{ "{\"segments\":[],\"device_traces\":[[]],\"allocator_settings\":{}}",
		  "a PyTorch memory snapshot, not a profiler trace" },
		{ "{\"meta\":{\"interval\":1},\"libs\":[],\"threads\":[]}",
		  "a profile of Firefox, not a profiler trace" },
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(text, sizeof(text), "this is %s", rows[i].what);
		assert_error(rows[i].json, false, 0, text);
	}
}

static void another_object_shows_its_first_keys(void **state)
{
	(void)state;
	assert_no_trace("{\"name\":\"x\",\"version\":\"1\"}", 0,
			"not a trace: the JSON object has no traceEvents (its keys: "
			"name, "
			"version)");
	assert_no_trace(
		"{\"a\":1,\"b\":2,\"c\":[],\"d\":{},\"e\":null}", 0,
		"not a trace: the JSON object has no traceEvents (its keys: a, b, c, "
		"d, ...)");
	assert_no_trace(
		"{\"a key that is longer than a line should be\":1}", 0,
		"not a trace: the JSON object has no traceEvents (its keys: a key that "
		"is longer than a line)");
}

static void objects_without_a_phase_are_no_events(void **state)
{
	(void)state;
	assert_error("[{\"a\":1,\"b\":{\"ph\":\"X\"}},{\"c\":2}]", false, 0,
		     "not a trace: no entry of the event list has a ph (keys of the "
		     "first: a, b)");
	assert_error("{\"traceEvents\":[{\"name\":\"a\",\"ts\":1}],\"z\":1}", false, 0,
		     "not a trace: no entry of the event list has a ph (keys of the "
		     "first: name, ts)");
	assert_error("{\"schemaVersion\":1,\"traceEvents\":[{},{\"name\":\"a\"}]}", false,
		     0,
		     "not a trace: no entry of the event list has a ph (keys of the "
		     "first: name)");
	assert_error("[{\"key\":\"aten::mm\",\"count\":2,\"cpu_time_total\":7}]", false,
		     0, "this is a table of key_averages(), not a profiler trace");
	assert_no_trace("[{}]", 0, "not a trace: the JSON array has no events");
}

static void a_memory_timeline_is_an_array_of_arrays(void **state)
{
	(void)state;
	assert_error("[[1, 2, 3], [[0, 5], [0, 7], [0, 9]]]", false, 0,
		     "this is an array of arrays, as a PyTorch memory timeline is, not a "
		     "profiler trace");
	assert_error("[1, \"a\"]", false, 0, "not a trace: the JSON array has no events");
}

/* Whatever else stands there, an event makes a trace. */
static void one_event_is_enough(void **state)
{
	(void)state;
	assert_facts("[{\"a\":1},{\"ph\":\"i\",\"name\":\"b\",\"ts\":1}]",
		     "finding no_phase @1\n"
		     "slice thread 0/0 \"b\" 1000+0 instant\n");
	assert_facts("{\"nodes\":1,\"schema\":2,\"traceEvents\":[]}",
		     "metadata nodes: 1\nmetadata schema: 2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_object_is_told_by_its_keys),
		cmocka_unit_test(another_object_shows_its_first_keys),
		cmocka_unit_test(objects_without_a_phase_are_no_events),
		cmocka_unit_test(a_memory_timeline_is_an_array_of_arrays),
		cmocka_unit_test(one_event_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
