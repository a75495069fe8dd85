/* The phases of the Trace Event Format: what each event becomes (ingest/phase.c). */
#include "reading.h"

#include "ingest/event.h"

/* One event in the shortest trace. */
#define EVENT(members) "[{" members "}]"

static void an_x_is_a_complete_slice(void **state)
{
	(void)state;
	assert_sound(
		EVENT("\"ph\":\"X\",\"name\":\"a\",\"ts\":10,\"dur\":5,\"pid\":1,\"tid\":2"),
		"slice thread 1/2 \"a\" 10000+5000\n");
	assert_sound(
		EVENT("\"ph\":\"X\",\"name\":\"a\",\"cat\":\"x,y\",\"ts\":1.5,\"dur\":0"),
		"slice thread 0/0 \"a\" 1500+0 cat=\"x,y\"\n");
}

static void keys_may_come_in_any_order(void **state)
{
	(void)state;
	assert_sound(
		EVENT("\"args\":{\"ph\":\"B\"},\"dur\":5,\"tid\":2,\"ts\":10,\"pid\":1,"
		      "\"name\":\"a\",\"ph\":\"X\""),
		"slice thread 1/2 \"a\" 10000+5000\n");
}

static void a_b_begins_and_an_e_ends(void **state)
{
	(void)state;
	assert_sound("[{\"ph\":\"B\",\"name\":\"a\",\"ts\":1,\"pid\":1,\"tid\":1},"
		     "{\"ph\":\"E\",\"ts\":2,\"pid\":1,\"tid\":1}]",
		     "slice thread 1/1 \"a\" 1000+0 begin\n"
		     "slice thread 1/1 \"\" 2000+0 end\n");
}

static void i_and_its_old_spellings_are_instants(void **state)
{
	(void)state;
	assert_sound("[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"s\":\"g\"},"
		     "{\"ph\":\"I\",\"name\":\"b\",\"ts\":2},"
		     "{\"ph\":\"R\",\"name\":\"c\",\"ts\":3}]",
		     "slice thread 0/0 \"a\" 1000+0 instant\n"
		     "slice thread 0/0 \"b\" 2000+0 instant\n"
		     "slice thread 0/0 \"c\" 3000+0 instant\n");
}

static void every_arg_of_a_counter_is_a_series(void **state)
{
	(void)state;
	assert_sound(EVENT("\"ph\":\"C\",\"name\":\"q\",\"ts\":1,\"pid\":3,\"tid\":9,"
			   "\"args\":{\"depth\":3,\"bytes\":\"12.5\",\"d\\u00e9\":-1e2}"),
		     "counter 3 \"q\"/\"depth\" 1000 = 3\n"
		     "counter 3 \"q\"/\"bytes\" 1000 = 12.5\n"
		     "counter 3 \"q\"/\"d\xc3\xa9\" 1000 = -100\n");
}

static void the_id_of_a_counter_is_part_of_its_name(void **state)
{
	(void)state;
	assert_sound(EVENT("\"ph\":\"C\",\"name\":\"q\\\"\",\"id\":\"0xa\",\"ts\":1,"
			   "\"args\":{\"v\":1}"),
		     "counter 0 \"q\\x22[0xa]\"/\"v\" 1000 = 1\n");
	assert_sound(EVENT("\"ph\":\"C\",\"name\":\"q\",\"id2\":{\"local\":\"0xb\"},"
			   "\"ts\":1,\"args\":{\"v\":1}"),
		     "counter 0 \"q[0xb]\"/\"v\" 1000 = 1\n");
}

static void a_counter_that_is_no_number_is_told(void **state)
{
	(void)state;
	assert_flawed(EVENT("\"ph\":\"C\",\"name\":\"q\",\"ts\":1,"
			    "\"args\":{\"a\":true,\"b\":\"many\",\"c\":1,\"d\":[2]}"),
		      "finding counter_value @1\n"
		      "finding counter_value @1\n"
		      "counter 0 \"q\"/\"c\" 1000 = 1\n"
		      "finding counter_value @1\n",
		      1, "a counter's value is not a number");
}

static void a_counter_without_series_is_told(void **state)
{
	(void)state;
	assert_sound(
		EVENT("\"ph\":\"C\",\"name\":\"q\",\"ts\":1,\"args\":\"__stripped__\""),
		"");
	assert_flawed("[{\"ph\":\"C\",\"name\":\"q\",\"ts\":1},"
		      "{\"ph\":\"C\",\"name\":\"q\",\"ts\":2,\"args\":{}}]",
		      "finding counter_value @1 \"no series\"\n"
		      "finding counter_value @30 \"no series\"\n",
		      1, "a counter's value is not a number");
}

static void nestable_async_slices_are_grouped_by_category_scope_and_id(void **state)
{
	(void)state;
	assert_sound(
		"[{\"ph\":\"b\",\"name\":\"a\",\"cat\":\"net\",\"id\":\"0x1\",\"ts\":1,\"pid\":1},"
		"{\"ph\":\"n\",\"name\":\"b\",\"cat\":\"net\",\"id\":\"0x1\",\"ts\":2,\"pid\":2},"
		"{\"ph\":\"e\",\"name\":\"a\",\"cat\":\"net\",\"id\":1,\"ts\":3,"
		"\"scope\":\"tab\"}]",
		"slice async 0 \"net 0x1\" \"a\" 1000+0 begin cat=\"net\"\n"
		"slice async 0 \"net 0x1\" \"b\" 2000+0 instant cat=\"net\"\n"
		"slice async 0 \"net:tab 1\" \"a\" 3000+0 end cat=\"net\"\n");
}

static void a_local_id_belongs_to_its_process(void **state)
{
	(void)state;
	assert_sound(
		"[{\"ph\":\"b\",\"name\":\"a\",\"cat\":\"c\",\"id2\":{\"local\":\"0x9\"},"
		"\"ts\":1,\"pid\":4},"
		"{\"ph\":\"b\",\"name\":\"a\",\"cat\":\"c\",\"id2\":{\"global\":\"0x9\"},"
		"\"ts\":2,\"pid\":4}]",
		"slice async 4 \"c 0x9\" \"a\" 1000+0 begin cat=\"c\"\n"
		"slice async 0 \"c 0x9\" \"a\" 2000+0 begin cat=\"c\"\n");
}

static void legacy_async_slices_are_grouped_by_name_and_id(void **state)
{
	(void)state;
	assert_sound("[{\"ph\":\"S\",\"name\":\"job\",\"cat\":\"old\",\"id\":5,\"ts\":1},"
		     "{\"ph\":\"T\",\"name\":\"job\",\"cat\":\"old\",\"id\":5,\"ts\":2,"
		     "\"args\":{\"step\":\"parse\"}},"
		     "{\"ph\":\"p\",\"name\":\"job\",\"cat\":\"old\",\"id\":5,\"ts\":3,"
		     "\"args\":{\"step\":\"fetch\"}},"
		     "{\"ph\":\"F\",\"name\":\"job\",\"cat\":\"old\",\"id\":5,\"ts\":4}]",
		     "slice async 0 \"job 5\" \"job\" 1000+0 begin cat=\"old\"\n"
		     "slice async 0 \"job 5\" \"parse\" 2000+0 into cat=\"old\"\n"
		     "slice async 0 \"job 5\" \"fetch\" 3000+0 past cat=\"old\"\n"
		     "slice async 0 \"job 5\" \"job\" 4000+0 end cat=\"old\"\n");
}

static void an_arrow_starts_steps_and_finishes(void **state)
{
	(void)state;
	assert_sound(
		"[{\"ph\":\"s\",\"name\":\"m\",\"cat\":\"c\",\"id\":31,\"ts\":1,\"pid\":1,\"tid\":2},"
		"{\"ph\":\"t\",\"name\":\"m\",\"cat\":\"c\",\"id\":\"31\",\"ts\":2},"
		"{\"ph\":\"f\",\"name\":\"m\",\"cat\":\"c\",\"id\":\"0x1f\",\"ts\":3},"
		"{\"ph\":\"f\",\"name\":\"m\",\"id\":\"x y\",\"ts\":4,\"bp\":\"e\"}]",
		"flow start 1/2 \"c\"/\"m\" #31 1000 enclosing\n"
		"flow step 0/0 \"c\"/\"m\" #31 2000 enclosing\n"
		"flow finish 0/0 \"c\"/\"m\" #31 3000\n"
		"flow finish 0/0 \"\"/\"m\" #\"x y\" 4000 enclosing\n");
}

static void arrows_of_old_categories_end_in_the_slice_around_them(void **state)
{
	(void)state;
	assert_sound(
		"[{\"ph\":\"f\",\"name\":\"m\",\"cat\":\"a,input,b\",\"id\":1,\"ts\":1},"
		"{\"ph\":\"f\",\"name\":\"m\",\"cat\":\"ipc.flow\",\"id\":1,\"ts\":2}]",
		"flow finish 0/0 \"a,input,b\"/\"m\" #1 1000 enclosing\n"
		"flow finish 0/0 \"ipc.flow\"/\"m\" #1 2000 enclosing\n");
}

static void an_arrow_of_version_2_rides_on_its_slice(void **state)
{
	(void)state;
	assert_sound(
		"[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"bind_id\":\"0x77\","
		"\"flow_out\":true},"
		"{\"ph\":\"X\",\"name\":\"b\",\"ts\":2,\"dur\":1,\"bind_id\":\"0x77\","
		"\"flow_in\":true,\"flow_out\":true},"
		"{\"ph\":\"X\",\"name\":\"c\",\"ts\":3,\"dur\":1,\"bind_id\":\"0x77\","
		"\"flow_in\":true,\"flow_out\":false},"
		"{\"ph\":\"X\",\"name\":\"d\",\"ts\":4,\"dur\":1,\"bind_id\":\"0x77\"},"
		"{\"ph\":\"B\",\"name\":\"e\",\"ts\":5,\"bind_id\":\"0x77\",\"flow_out\":true},"
		"{\"ph\":\"E\",\"ts\":6},"
		"{\"ph\":\"i\",\"name\":\"g\",\"ts\":7,\"bind_id\":\"0x77\",\"flow_in\":true}]",
		"slice thread 0/0 \"a\" 1000+1000\n"
		"flow start 0/0 \"bind_id\"/\"bind_id\" #119 1000 enclosing\n"
		"slice thread 0/0 \"b\" 2000+1000\n"
		"flow step 0/0 \"bind_id\"/\"bind_id\" #119 2000 enclosing\n"
		"slice thread 0/0 \"c\" 3000+1000\n"
		"flow finish 0/0 \"bind_id\"/\"bind_id\" #119 3000 enclosing\n"
		"slice thread 0/0 \"d\" 4000+1000\n"
		"slice thread 0/0 \"e\" 5000+0 begin\n"
		"flow start 0/0 \"bind_id\"/\"bind_id\" #119 5000 enclosing\n"
		"slice thread 0/0 \"\" 6000+0 end\n"
		"slice thread 0/0 \"g\" 7000+0 instant\n"
		"flow finish 0/0 \"bind_id\"/\"bind_id\" #119 7000 enclosing\n");
}

static void an_arrow_of_an_asynchronous_slice_is_told(void **state)
{
	(void)state;
	assert_facts("[{\"ph\":\"b\",\"name\":\"a\",\"cat\":\"c\",\"id\":1,\"ts\":1,"
		     "\"bind_id\":\"0x7\",\"flow_in\":true},"
		     "{\"ph\":\"b\",\"name\":\"b\",\"cat\":\"c\",\"id\":2,\"ts\":2,"
		     "\"bind_id\":\"0x7\"}]",
		     "slice async 0 \"c 1\" \"a\" 1000+0 begin cat=\"c\"\n"
		     "finding flow_unbound @1 \"bind_id\"\n"
		     "slice async 0 \"c 2\" \"b\" 2000+0 begin cat=\"c\"\n");
}

static void metadata_names_processes_and_threads(void **state)
{
	(void)state;
	assert_sound(
		"[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"p\\n\"}},"
		"{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":1,\"args\":{\"labels\":\"GPU 0\"}},"
		"{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":1,"
		"\"args\":{\"sort_index\":-3}},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":\"-5\","
		"\"args\":{\"name\":\"w\"}},"
		"{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":\"1\",\"tid\":2,"
		"\"args\":{\"sort_index\":\"9\"}}]",
		"process_name 1 \"p\\x0a\"\n"
		"process_labels 1 \"GPU 0\"\n"
		"process_sort 1 -3\n"
		"thread_name 1/-5 \"w\"\n"
		"thread_sort 1/2 9\n");
}

static void metadata_of_an_unknown_name_is_kept_each_time(void **state)
{
	(void)state;
	assert_flawed(
		"[{\"ph\":\"M\",\"name\":\"num_cpus\",\"pid\":1,\"args\":{\"number\":8}},"
		"{\"ph\":\"M\",\"name\":\"num_cpus\",\"pid\":1,\"args\":{\"number\":9}},"
		"{\"ph\":\"M\",\"name\":\"bare\"},"
		"{\"ph\":\"M\",\"name\":\"text\",\"args\":\"x\"},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"args\":{\"name\":null}},"
		"{\"ph\":\"M\",\"name\":\"none\",\"args\":null},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"args\":{}}]",
		"metadata num_cpus: {\"number\":8}\n"
		"metadata num_cpus: {\"number\":9}\n"
		"metadata bare: null\n"
		"finding args_not_object @140\n"
		"metadata text: \"x\"\n"
		"metadata thread_name: {\"name\":null}\n"
		"metadata none: null\n"
		"metadata thread_name: {}\n",
		140, "the args of an event are not an object");
}

static void a_number_and_its_text_are_the_same_thread(void **state)
{
	(void)state;
	assert_sound("[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"pid\":7,\"tid\":\"8\"},"
		     "{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"pid\":\"7\",\"tid\":8},"
		     "{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"pid\":\"7.0\",\"tid\":8}]",
		     "slice thread 7/8 \"a\" 1000+0 instant\n"
		     "slice thread 7/8 \"a\" 1000+0 instant\n"
		     "slice thread 7/8 \"a\" 1000+0 instant\n");
}

static void ids_of_threads_may_be_text_negative_or_of_64_bits(void **state)
{
	(void)state;
	assert_flawed(
		"[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"pid\":\"Spans\",\"tid\":\"PyTorch (0)\"},"
		"{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"pid\":\"\",\"tid\":\"stream 7\"},"
		"{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"pid\":-1,\"tid\":140737353934656},"
		"{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"pid\":-9223372036854775808,"
		"\"tid\":9223372036854775808},"
		"{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"pid\":null,\"tid\":1.5}]",
		"slice thread \"Spans\"/\"PyTorch (0)\" \"a\" 1000+0 instant\n"
		"slice thread \"\"/\"stream 7\" \"a\" 1000+0 instant\n"
		"slice thread -1/140737353934656 \"a\" 1000+0 instant\n"
		"slice thread -9223372036854775808/\"9223372036854775808\" \"a\" 1000+0 instant\n"
		"finding integer_range @179\n"
		"finding no_thread @261\n"
		"slice thread 0/\"1.5\" \"a\" 1000+0 instant\n",
		179, "an integer lies beyond 64 bits");
}

static void ts_may_be_text_and_have_an_exponent(void **state)
{
	(void)state;
	assert_sound(
		"[{\"ph\":\"X\",\"name\":\"a\",\"ts\":\"20.5\",\"dur\":\"1.5e3\"},"
		"{\"ph\":\"X\",\"name\":\"b\",\"ts\":1.5e3,\"dur\":25e-1},"
		"{\"ph\":\"X\",\"name\":\"c\",\"ts\":-10,\"dur\":1},"
		"{\"ph\":\"X\",\"name\":\"d\",\"ts\":1712195495519689.047,\"dur\":0.0005}]",
		"slice thread 0/0 \"a\" 20500+1500000\n"
		"slice thread 0/0 \"b\" 1500000+2500\n"
		"slice thread 0/0 \"c\" -10000+1000\n"
		"slice thread 0/0 \"d\" 1712195495519689047+0\n");
}

static void an_event_without_a_readable_ts_is_skipped(void **state)
{
	(void)state;
	assert_flawed(
		"[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1},{\"ph\":\"X\",\"dur\":1},"
		"{\"ph\":\"X\",\"ts\":\"abc\",\"dur\":1},{\"ph\":\"B\",\"ts\":null},"
		"{\"ph\":\"C\",\"ts\":[1]},{\"ph\":\"s\",\"ts\":{},\"id\":1},"
		"{\"ph\":\"b\",\"ts\":false,\"id\":1}]",
		"slice thread 0/0 \"a\" 1000+0 instant\n"
		"finding no_time @30\n"
		"finding no_time @49\n"
		"finding no_time @79\n"
		"finding no_time @100\n"
		"finding no_time @120\n"
		"finding no_time @146\n",
		30, "an event has no readable ts");
}

static void a_time_beyond_64_bits_skips_the_event(void **state)
{
	(void)state;
	assert_flawed("[{\"ph\":\"i\",\"ts\":1e30},{\"ph\":\"i\",\"ts\":-1e30},"
		      "{\"ph\":\"i\",\"ts\":4611686018427387.904},"
		      "{\"ph\":\"i\",\"name\":\"a\",\"ts\":4611686018427387.903},"
		      "{\"ph\":\"X\",\"ts\":4611686018427387,\"dur\":600000000000},"
		      "{\"ph\":\"X\",\"ts\":0,\"dur\":1e30}]",
		      "finding time_range @1\n"
		      "finding time_range @22\n"
		      "finding time_range @44\n"
		      "slice thread 0/0 \"a\" 4611686018427387903+0 instant\n"
		      "finding time_range @129\n"
		      "finding time_range @181\n",
		      1, "a time lies more than 146 years from 0");
}

static void an_x_without_a_dur_is_unfinished(void **state)
{
	(void)state;
	assert_flawed("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1},"
		      "{\"ph\":\"X\",\"name\":\"b\",\"ts\":1,\"dur\":\"abc\"}]",
		      "finding no_duration @1\n"
		      "slice thread 0/0 \"a\" 1000+0 begin unfinished\n"
		      "finding no_duration @30\n"
		      "slice thread 0/0 \"b\" 1000+0 begin unfinished\n",
		      1, "a complete event has no readable dur");
}

static void a_negative_dur_is_told_and_handed_on(void **state)
{
	(void)state;
	assert_flawed(
		"[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":-1},"
		"{\"ph\":\"X\",\"name\":\"b\",\"ts\":1,\"dur\":-11018539704271257}]",
		"finding negative_duration @1\n"
		"slice thread 0/0 \"a\" 1000+-1000\n"
		"finding negative_duration @39\n"
		"slice thread 0/0 \"b\" 1000+-9223372036854775808\n",
		1, "an event ends before it begins");
}

static void a_dur_above_7_days_is_told_and_handed_on(void **state)
{
	(void)state;
	assert_sound(EVENT("\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":604800000000"),
		     "slice thread 0/0 \"a\" 1000+604800000000000\n");
	assert_flawed("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":604800000000.001},"
		      "{\"ph\":\"X\",\"name\":\"b\",\"ts\":4611686018427387,"
		      "\"dur\":7447584000000000}]",
		      "finding impossible_duration @1\n"
		      "slice thread 0/0 \"a\" 1000+604800000000001\n"
		      "finding impossible_duration @53\n"
		      "slice thread 0/0 \"b\" 4611686018427387000+7447584000000000000\n",
		      1, "a duration is longer than 7 days");
}

/* torch's Python exporter writes memory instants as X, with any dur. */
static void the_dur_of_a_memory_record_is_not_looked_at(void **state)
{
	(void)state;
	assert_sound(
		EVENT("\"ph\":\"X\",\"name\":\"[memory]\",\"cat\":\"cpu_instant_event\","
		      "\"ts\":1,\"dur\":-5,\"args\":{\"Bytes\":8}"),
		"slice thread 0/0 \"[memory]\" 1000+0 instant memory cat=\"cpu_instant_event\" bytes=8\n");
}

static void asynchronous_events_and_arrows_want_an_id(void **state)
{
	(void)state;
	assert_flawed(
		"[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1},{\"ph\":\"b\",\"ts\":1},"
		"{\"ph\":\"s\",\"ts\":1,\"id\":\"\"},{\"ph\":\"S\",\"ts\":1,\"id2\":{}},"
		"{\"ph\":\"f\",\"ts\":1,\"id2\":7}]",
		"slice thread 0/0 \"a\" 1000+0 instant\n"
		"finding no_id @30\n"
		"finding no_id @48\n"
		"finding no_id @74\n"
		"finding no_id @101\n",
		30, "an asynchronous event or a flow has no id");
}

static void phases_without_a_view_are_counted_by_their_letter(void **state)
{
	(void)state;
	assert_sound(
		"[{\"ph\":\"P\",\"ts\":1},{\"ph\":\"N\"},{\"ph\":\"O\"},{\"ph\":\"D\"},"
		"{\"ph\":\"v\"},{\"ph\":\"V\"},{\"ph\":\"c\"},{\"ph\":\"(\"},{\"ph\":\")\"}]",
		"finding unused_phase @1 \"P\"\n"
		"finding unused_phase @19 \"N\"\n"
		"finding unused_phase @30 \"O\"\n"
		"finding unused_phase @41 \"D\"\n"
		"finding unused_phase @52 \"v\"\n"
		"finding unused_phase @63 \"V\"\n"
		"finding unused_phase @74 \"c\"\n"
		"finding unused_phase @85 \"(\"\n"
		"finding unused_phase @96 \")\"\n");
}

static void phases_outside_the_format_are_told(void **state)
{
	(void)state;
	assert_flawed("[{\"ph\":\"Z\",\"ts\":1},{\"ph\":\"XX\",\"ts\":1},"
		      "{\"ph\":\"a phase that is far too long\"}]",
		      "finding unknown_phase @1 \"Z\"\n"
		      "finding unknown_phase @19 \"XX\"\n"
		      "finding unknown_phase @38 \"a phase that is \"\n",
		      1, "an event has an unknown ph");
}

static void an_object_without_a_phase_is_told(void **state)
{
	(void)state;
	assert_flawed(
		"[{\"ph\":\"i\",\"ts\":1,\"name\":\"i\"},{\"ph\":\"\"},{\"name\":\"a\",\"ts\":1}]",
		"slice thread 0/0 \"i\" 1000+0 instant\n"
		"finding no_phase @30\n"
		"finding no_phase @40\n",
		30, "an event has no ph");
}

static void an_empty_object_does_no_harm(void **state)
{
	(void)state;
	assert_sound(
		"{\"traceEvents\":[{\"ph\":\"i\",\"ts\":1,\"name\":\"i\"},{},{ \n}]}",
		"slice thread 0/0 \"i\" 1000+0 instant\n"
		"finding empty_event @45\n"
		"finding empty_event @48\n");
	assert_sound("{\"traceEvents\":[{}]}", "finding empty_event @16\n");
	assert_flawed("[{\"ph\":\"i\",\"ts\":1,\"name\":\"i\"},{\"x\":{}}]",
		      "slice thread 0/0 \"i\" 1000+0 instant\n"
		      "finding no_phase @30\n",
		      30, "an event has no ph");
}

/* As Chromium writes them: lists of categories, clocks of threads, removed args, ids of text. */
static void what_chromium_writes_is_sound(void **state)
{
	(void)state;
	assert_sound(
		EVENT("\"pid\":1,\"tid\":2,\"ph\":\"X\",\"cat\":\"cc,benchmark\",\"name\":\"a\",\"ts\":1,\"dur\":2,"
		      "\"tts\":7,\"tdur\":1,\"args\":\"__stripped__\""),
		"slice thread 1/2 \"a\" 1000+2000 cat=\"cc,benchmark\"\n");
	assert_sound(
		EVENT("\"pid\":1,\"tid\":2,\"ph\":\"n\",\"cat\":\"netlog\",\"name\":\"a\",\"ts\":1,"
		      "\"id2\":{\"local\":\"0x37\"}"),
		"slice async 1 \"netlog 0x37\" \"a\" 1000+0 instant cat=\"netlog\"\n");
	assert_sound(
		EVENT("\"pid\":1,\"tid\":2,\"ph\":\"X\",\"cat\":\"toplevel.flow\",\"name\":\"a\",\"ts\":1,"
		      "\"dur\":2,\"bind_id\":\"0x6a\",\"flow_out\":true"),
		"slice thread 1/2 \"a\" 1000+2000 cat=\"toplevel.flow\"\n"
		"flow start 1/2 \"bind_id\"/\"bind_id\" #106 1000 enclosing\n");
	assert_sound(
		EVENT("\"pid\":1,\"tid\":2,\"ph\":\"M\",\"cat\":\"__metadata\",\"name\":\"thread_name\","
		      "\"ts\":0,\"args\":{\"name\":\"CrBrowserMain\"}"),
		"thread_name 1/2 \"CrBrowserMain\"\n");
}

static void names_have_their_escapes_undone(void **state)
{
	(void)state;
	assert_sound(
		EVENT("\"ph\":\"i\",\"name\":\"caf\\u00e9 \\ud83d\\ude80\",\"cat\":\"\\\"\","
		      "\"ts\":1,\"tid\":\"\\u0041\""),
		"slice thread 0/\"A\" \"caf\xc3\xa9 \xf0\x9f\x9a\x80\" 1000+0 instant "
		"cat=\"\\x22\"\n");
}

static void a_name_may_be_missing_or_no_text(void **state)
{
	(void)state;
	assert_flawed(
		"[{\"ph\":\"i\",\"ts\":1},{\"ph\":\"i\",\"ts\":1,\"name\":null,\"cat\":null},"
		"{\"ph\":\"i\",\"ts\":1,\"name\":12}]",
		"finding no_name @1\n"
		"slice thread 0/0 \"\" 1000+0 instant\n"
		"finding no_name @19\n"
		"slice thread 0/0 \"\" 1000+0 instant\n"
		"slice thread 0/0 \"12\" 1000+0 instant\n",
		1, "an event has no name");
}

static void more_args_than_are_kept_are_told(void **state)
{
	struct buf json;

	(void)state;
	buf_init(&json, 100000);
	buf_add_text(&json, "[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"args\":{\"k\":0");
	for (int i = 0; i < EVENT_ARGS_MAX; i++)
		buf_addf(&json, ",\"k%d\":%d", i, i);
	buf_add_text(&json, "}}]");
	assert_sound(json.p, "finding many_args @1\n"
			     "slice thread 0/0 \"a\" 1000+0 instant\n");
	buf_release(&json);
}

static void args_are_kept_as_json_when_asked_for(void **state)
{
	const struct read_options keep = { .keep_args = true };

	(void)state;
	assert_lines(
		STR_LIT("[{\"ph\":\"i\",\"name\":\"a\\n\",\"ts\":1,\"args\":{\"k\" : [1, "
			"\"\\u00e9\"]}},"
			"{\"ph\":\"i\",\"name\":\"b\",\"ts\":1},"
			"{\"ph\":\"i\",\"name\":\"c\",\"ts\":1,\"args\":\"__stripped__\"}]"),
		&keep, false,
		"slice thread 0/0 \"a\\x0a\" 1000+0 instant args={\"k\" : [1, \"\\u00e9\"]}\n"
		"slice thread 0/0 \"b\" 1000+0 instant\n"
		"slice thread 0/0 \"c\" 1000+0 instant args=\"__stripped__\"\n");
	/* what is not JSON becomes a JSON string */
	assert_lines(
		STR_LIT("[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"args\":{\"k\":NaN}}]"),
		&keep, false,
		"slice thread 0/0 \"a\" 1000+0 instant args=\"{\\\"k\\\":NaN}\"\n"
		"finding not_finite @1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_x_is_a_complete_slice),
		cmocka_unit_test(keys_may_come_in_any_order),
		cmocka_unit_test(a_b_begins_and_an_e_ends),
		cmocka_unit_test(i_and_its_old_spellings_are_instants),
		cmocka_unit_test(every_arg_of_a_counter_is_a_series),
		cmocka_unit_test(the_id_of_a_counter_is_part_of_its_name),
		cmocka_unit_test(a_counter_that_is_no_number_is_told),
		cmocka_unit_test(a_counter_without_series_is_told),
		cmocka_unit_test(
			nestable_async_slices_are_grouped_by_category_scope_and_id),
		cmocka_unit_test(a_local_id_belongs_to_its_process),
		cmocka_unit_test(legacy_async_slices_are_grouped_by_name_and_id),
		cmocka_unit_test(an_arrow_starts_steps_and_finishes),
		cmocka_unit_test(arrows_of_old_categories_end_in_the_slice_around_them),
		cmocka_unit_test(an_arrow_of_version_2_rides_on_its_slice),
		cmocka_unit_test(an_arrow_of_an_asynchronous_slice_is_told),
		cmocka_unit_test(metadata_names_processes_and_threads),
		cmocka_unit_test(metadata_of_an_unknown_name_is_kept_each_time),
		cmocka_unit_test(a_number_and_its_text_are_the_same_thread),
		cmocka_unit_test(ids_of_threads_may_be_text_negative_or_of_64_bits),
		cmocka_unit_test(ts_may_be_text_and_have_an_exponent),
		cmocka_unit_test(an_event_without_a_readable_ts_is_skipped),
		cmocka_unit_test(a_time_beyond_64_bits_skips_the_event),
		cmocka_unit_test(an_x_without_a_dur_is_unfinished),
		cmocka_unit_test(a_negative_dur_is_told_and_handed_on),
		cmocka_unit_test(a_dur_above_7_days_is_told_and_handed_on),
		cmocka_unit_test(the_dur_of_a_memory_record_is_not_looked_at),
		cmocka_unit_test(asynchronous_events_and_arrows_want_an_id),
		cmocka_unit_test(phases_without_a_view_are_counted_by_their_letter),
		cmocka_unit_test(phases_outside_the_format_are_told),
		cmocka_unit_test(an_object_without_a_phase_is_told),
		cmocka_unit_test(an_empty_object_does_no_harm),
		cmocka_unit_test(what_chromium_writes_is_sound),
		cmocka_unit_test(names_have_their_escapes_undone),
		cmocka_unit_test(a_name_may_be_missing_or_no_text),
		cmocka_unit_test(more_args_than_are_kept_are_told),
		cmocka_unit_test(args_are_kept_as_json_when_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
