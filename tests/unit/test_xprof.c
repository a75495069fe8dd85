/* Traces of TensorFlow and JAX (ingest/xprof.c). */
#include "reading.h"

#define PROCESS(pid, name)           \
	"{\"ph\":\"M\",\"pid\":" pid \
	",\"name\":\"process_name\",\"args\":{\"name\":\"" name "\"}}"
#define THREAD(pid, tid, name)                       \
	"{\"ph\":\"M\",\"pid\":" pid ",\"tid\":" tid \
	",\"name\":\"thread_name\",\"args\":{\"name\":\"" name "\"}}"
/* An X of 2 us. */
#define X(pid, tid, name, args)                      \
	"{\"ph\":\"X\",\"pid\":" pid ",\"tid\":" tid \
	",\"ts\":1,\"dur\":2,\"name\":\"" name "\",\"args\":{" args "}}"

/* The line of the slice of "[PROCESS 3, THREAD 3/13, X]". */
static void assert_slice(const char *process, const char *thread, const char *name,
			 const char *args, const char *expected)
{
	char json[1024], facts[512];

	snprintf(json, sizeof(json),
		 "[" PROCESS("3", "%s") "," THREAD("3", "13", "%s") "," X("3", "13", "%s",
									  "%s") "]",
		 process, thread, name, args);
	snprintf(facts, sizeof(facts),
		 "process_name 3 \"%s\"\nthread_name 3/13 \"%s\"\nslice %s\n", process,
		 thread, expected);
	assert_sound(json, facts);
}

static void the_work_of_a_gpu_stands_on_its_streams(void **state)
{
	static const char *const names[] = { "loop_fusion", "MemcpyH2D", "MemcpyD2D",
					     "Memset" };
	static const char *const classes[] = { "kernel", "memcpy", "memcpy", "memset" };
	char expected[128];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		snprintf(expected, sizeof(expected),
			 "stream 3/13 \"%s\" 1000+2000 %s device=0 stream=7", names[i],
			 classes[i]);
		assert_slice("/device:GPU:0", "Stream #7(MemcpyH2D,Compute)", names[i],
			     "", expected);
	}
	assert_slice("/device:GPU:12 (Metal)", "Stream #1", "k", "",
		     "stream 3/13 \"k\" 1000+2000 kernel device=12 stream=1");
	assert_slice("vm /device:GPU:1", "Stream #1", "k", "",
		     "stream 3/13 \"k\" 1000+2000 kernel device=1 stream=1");
}

static void what_is_derived_from_the_work_is_no_work(void **state)
{
	static const char *const rows[] = { "Steps",         "XLA Modules",
					    "XLA Ops",       "XLA Ops - from #13",
					    "Framework Ops", "Framework Name Scope",
					    "Source code",   "XLA TraceMe",
					    "Launch Stats" };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_slice("/device:GPU:0", rows[i], "k", "\"correlation_id\":\"5\"",
			     "notes 3/13 \"k\" 1000+2000 device_annotation device=0");
	assert_slice("/device:TPU:0", "Steps", "0", "",
		     "notes 3/13 \"0\" 1000+2000 device_annotation device=0");
	assert_slice("/device:TPU:0", "Async XLA Ops", "copy-start.1", "",
		     "notes 3/13 \"copy-start.1\" 1000+2000 device_annotation device=0");
	assert_slice("/device:GPU:0", "Stream #7", "MemoryAlloc",
		     "\"memalloc_details\":\"kind:device num_bytes:64\"",
		     "notes 3/13 \"MemoryAlloc\" 1000+2000 device_annotation device=0 "
		     "stream=7");
}

static void the_operations_of_an_accelerator_are_its_work(void **state)
{
	(void)state;
	assert_slice(
		"/device:TPU:3", "XLA Ops", "fusion.1",
		"\"hlo_category\":\"loop fusion\",\"group_id\":\"4\"",
		"stream 3/13 \"fusion.1\" 1000+2000 accelerator group_id=4 device=3");
	assert_slice("/device:TPU:0 SparseCore 1", "Sparse Core Ops", "copy", "",
		     "stream 3/13 \"copy\" 1000+2000 accelerator device=0");
	assert_slice("/device:CUSTOM:Megascale", "XLA Ops", "copy", "",
		     "stream 3/13 \"copy\" 1000+2000 accelerator");
}

static void an_operation_around_others_is_no_work(void **state)
{
	(void)state;
	assert_slice("/device:TPU:0", "XLA Ops", "body.7", "\"hlo_category\":\"while\"",
		     "notes 3/13 \"body.7\" 1000+2000 device_annotation device=0");
	assert_slice("/device:TPU:0", "XLA Ops", "while.12", "",
		     "notes 3/13 \"while.12\" 1000+2000 device_annotation device=0");
	assert_slice("/device:TPU:0", "XLA Ops", "conditional", "",
		     "notes 3/13 \"conditional\" 1000+2000 device_annotation device=0");
	assert_slice("/device:TPU:0", "XLA Ops", "while_fusion.1", "",
		     "stream 3/13 \"while_fusion.1\" 1000+2000 accelerator device=0");
	assert_slice("/device:TPU:0", "XLA Ops", "call.1",
		     "\"hlo_category\":\"custom-call\"",
		     "stream 3/13 \"call.1\" 1000+2000 accelerator device=0");
}

static void details_of_the_work_are_read(void **state)
{
	(void)state;
	assert_slice("/device:GPU:0", "Stream #7", "Memcpy k",
		     "\"kernel_details\":\"regs:32 static_shared:16 dynamic_shared:1024 "
		     "grid:8,2,1 block:128,1,1 occ_pct:75\",\"correlation_id\":\"5\","
		     "\"context_id\":\"$$1\",\"theoretical_occupancy_pct\":\"75\","
		     "\"cuda_graph_id\":\"9\",\"cuda_graph_node_id\":\"2\"",
		     "stream 3/13 \"Memcpy k\" 1000+2000 kernel correlation=5 device=0 "
		     "context=1 stream=7 grid=8,2,1 block=128,1,1 registers=32 "
		     "shared_memory=1040 graph_id=9 graph_node_id=2 occupancy=75");
	assert_slice("/device:GPU:0", "Stream #7", "k",
		     "\"kernel_details\":\" grid:4,1,1 block:64,1,1 private_mem:0 "
		     "group_mem:512\"",
		     "stream 3/13 \"k\" 1000+2000 kernel device=0 stream=7 grid=4,1,1 "
		     "block=64,1,1 shared_memory=512");
	assert_slice("/device:GPU:0", "Stream #7", "x",
		     "\"memcpy_details\":\"kind_src:pinned size:4096 dest:0 async:1\"",
		     "stream 3/13 \"x\" 1000+2000 memcpy device=0 stream=7 bytes=4096");
	assert_slice("/device:GPU:0", "Stream #7", "x",
		     "\"memset_details\":\"kind:device num_bytes:64 async:1\"",
		     "stream 3/13 \"x\" 1000+2000 memset device=0 stream=7 bytes=64");
	assert_slice("/device:GPU:0", "Stream #7", "k",
		     "\"kernel_details\":\"grid block:x,1 regs: xgrid:1,1,1 regs:7\","
		     "\"correlation_id\":\"none\"",
		     "stream 3/13 \"k\" 1000+2000 kernel device=0 stream=7");
	assert_slice("/device:GPU:0", "Stream #7", "k",
		     "\"kernel_details\":\"static_shared:9223372036854775807 "
		     "dynamic_shared:9223372036854775807 regs:99999999999999999999\"",
		     "stream 3/13 \"k\" 1000+2000 kernel device=0 stream=7 "
		     "shared_memory=9223372036854775807");
}

static void the_host_has_calls_frames_and_steps(void **state)
{
	(void)state;
	assert_slice("/host:CPU", "python", "train",
		     "\"step_num\":\"41\",\"group_id\":\"0\"",
		     "thread 3/13 \"train\" 1000+2000 annotation step=41 group_id=0");
	assert_slice("/host:CPU", "python", "$train.py:10 f", "",
		     "thread 3/13 \"$train.py:10 f\" 1000+2000 python");
	assert_slice("/host:CPU", "python", "cuLaunchKernel", "\"correlation_id\":\"5\"",
		     "thread 3/13 \"cuLaunchKernel\" 1000+2000 driver correlation=5");
	assert_slice("/host:CPU", "python", "hipLaunchKernel", "\"correlation_id\":5",
		     "thread 3/13 \"hipLaunchKernel\" 1000+2000 runtime correlation=5");
	assert_slice("vm /host:CPU", "XLA Ops", "MatMul", "\"group_id\":\"4\"",
		     "thread 3/13 \"MatMul\" 1000+2000");
	assert_slice("/host:CPU", "python", "x", "\"step_num\":\"none\"",
		     "thread 3/13 \"x\" 1000+2000");
}

static void other_processes_are_left_as_they_are(void **state)
{
	static const char *const names[] = { "python", "/device:GPU:0/stream:all Compute",
					     "/device:CPU:0",
					     "/job:a/device:GPU:0 Compute", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_slice(names[i], "Stream #7", "$x", "\"correlation_id\":\"5\"",
			     "thread 3/13 \"$x\" 1000+2000");
}

static void the_last_name_before_an_event_counts(void **state)
{
	(void)state;
	assert_sound(
		"[" X("3", "13", "early", "") "," THREAD("3", "13", "Stream #1") "," PROCESS("3", "/device:GPU:0") "," X(
			"3", "13", "k",
			"") "," THREAD("3", "13",
				       "Steps") "," X("3", "13", "s",
						      "") "," PROCESS("3",
								      "python") "," X("3",
										      "13",
										      "late",
										      "") "]",
		"slice thread 3/13 \"early\" 1000+2000\n"
		"thread_name 3/13 \"Stream #1\"\n"
		"process_name 3 \"/device:GPU:0\"\n"
		"slice stream 3/13 \"k\" 1000+2000 kernel device=0 stream=1\n"
		"thread_name 3/13 \"Steps\"\n"
		"slice notes 3/13 \"s\" 1000+2000 device_annotation device=0\n"
		"process_name 3 \"python\"\n"
		"slice thread 3/13 \"late\" 1000+2000\n");
}

static void any_number_of_rows_is_kept_apart(void **state)
{
	struct recording r;
	struct err err = ERR_INIT;
	struct buf json;

	(void)state;
	buf_init(&json, (size_t)1 << 24);
	buf_add_text(&json, "[" PROCESS("0", "/device:GPU:0"));
	for (int i = 0; i < 3000; i++)
		buf_addf(&json, "," THREAD("0", "%d", "Stream #%d"), i * 1024, i);
	for (int i = 0; i < 3000; i++)
		buf_addf(&json, "," X("0", "%d", "k%d", ""), i * 1024, i);
	buf_add_text(&json, "]");
	recording_init(&r);
	assert_int_equal(recording_read(&r, buf_str(&json),
					&(struct read_options){ .strict = true }, 0,
					&err),
			 0);
	for (int i = 0; i < 3000; i++) {
		char line[96];
		snprintf(
			line, sizeof(line),
			"slice stream 0/%d \"k%d\" 1000+2000 kernel device=0 stream=%d\n",
			i * 1024, i, i);
		assert_non_null(strstr(recording_text(&r), line));
	}
	recording_release(&r);
	buf_release(&json);
}

static void the_profile_says_its_format(void **state)
{
	(void)state;
	assert_profile("[" PROCESS("3", "/host:CPU") "]",
		       "xprof  rules all_slices fudge=0");
	assert_profile("[" PROCESS("3", "python") "]",
		       "chrome  rules all_slices fudge=0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_work_of_a_gpu_stands_on_its_streams),
		cmocka_unit_test(what_is_derived_from_the_work_is_no_work),
		cmocka_unit_test(the_operations_of_an_accelerator_are_its_work),
		cmocka_unit_test(an_operation_around_others_is_no_work),
		cmocka_unit_test(details_of_the_work_are_read),
		cmocka_unit_test(the_host_has_calls_frames_and_steps),
		cmocka_unit_test(other_processes_are_left_as_they_are),
		cmocka_unit_test(the_last_name_before_an_event_counts),
		cmocka_unit_test(any_number_of_rows_is_kept_apart),
		cmocka_unit_test(the_profile_says_its_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
