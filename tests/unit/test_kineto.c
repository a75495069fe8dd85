/* PyTorch's categories and args (ingest/kineto.c). */
#include "reading.h"

/* An X of 1 us on thread 1/1 with a category, a name and args. */
#define X(cat, name, args)                                    \
	"[{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name \
	"\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{" args "}}]"
#define INSTANT(cat, name, args)                              \
	"[{\"ph\":\"i\",\"cat\":\"" cat "\",\"name\":\"" name \
	"\",\"pid\":1,\"tid\":1,\"ts\":1,\"args\":{" args "}}]"

static void every_category_has_its_class_and_track(void **state)
{
	static const struct {
		const char *category, *track, *class;
	} rows[] = {
		{ "cpu_op", "thread", " op" },
		{ "Operator", "thread", " op" },
		{ "user_annotation", "thread", " annotation" },
		{ "UserAnnotation", "thread", " annotation" },
		{ "python_function", "thread", " python" },
		{ "PythonFunction", "thread", " python" },
		{ "cuda_runtime", "thread", " runtime" },
		{ "Runtime", "thread", " runtime" },
		{ "xpu_runtime", "thread", " runtime" },
		{ "mtia_runtime", "thread", " runtime" },
		{ "glow_runtime", "thread", " runtime" },
		{ "privateuse1_runtime", "thread", " runtime" },
		{ "cuda_driver", "thread", " driver" },
		{ "xpu_driver", "thread", " driver" },
		{ "privateuse1_driver", "thread", " driver" },
		{ "overhead", "thread", " overhead" },
		{ "kernel", "stream", " kernel" },
		{ "Kernel", "stream", " kernel" },
		{ "hpu_op", "stream", " kernel" },
		{ "gpu_memcpy", "stream", " memcpy" },
		{ "Memcpy", "stream", " memcpy" },
		{ "gpu_memset", "stream", " memset" },
		{ "Memset", "stream", " memset" },
		{ "mtia_ccp_events", "stream", " accelerator" },
		{ "cuda_sync", "notes", " sync" },
		{ "xpu_sync", "notes", " sync" },
		{ "gpu_user_annotation", "notes", " device_annotation" },
		{ "gpu_user_Annotation", "notes", " device_annotation" },
		{ "Trace", "thread", " span" },
		{ "cuda_event", "notes", " sync" },
		{ "external_correlation", "thread", "" },
		{ "cuda_profiler_range", "thread", "" },
		{ "collective_comm", "thread", "" },
		{ "mtia_insight", "thread", "" },
		{ "mtia_workloadd", "thread", "" },
		{ "CPU_OP", "thread", " op" },
		{ "Cpu_Op", "thread", " op" },
		{ "operator", "thread", " op" },
		{ "User_Annotation", "thread", " annotation" },
		{ "GPU_User_Annotation", "notes", " device_annotation" },
		{ "KERNEL", "stream", " kernel" },
		{ "Gpu_Memcpy", "stream", " memcpy" },
		{ "MTIA_CCP_Events", "stream", " accelerator" },
		/* words of other programs, or other characters a bit away */
		{ "trace", "thread", "" },
		{ "TRACE", "thread", "" },
		{ "cpu\x7fop", "thread", "" },
		{ "cpu_opp", "thread", "" },
		{ "cpu_instant_event", "thread", "" },
		{ "ac2g", "thread", "" },
		{ "kernels", "thread", "" },
	};
	char json[256], expected[256];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(json, sizeof(json), X("%s", "n", ""), rows[i].category);
		snprintf(expected, sizeof(expected),
			 "slice %s 1/1 \"n\" 1000+1000%s cat=\"%s\"\n", rows[i].track,
			 rows[i].class, rows[i].category);
		assert_sound(json, expected);
	}
}

/* Device rows are called by numbers that threads have, too: 0 is the frames' of idle threads. */
static void a_thread_and_a_stream_of_the_same_numbers_are_two(void **state)
{
	(void)state;
	assert_sound(
		"[{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"wait\",\"pid\":0,"
		"\"tid\":0,\"ts\":1,\"dur\":9},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":0,"
		"\"ts\":2,\"dur\":1},"
		"{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"s\",\"pid\":0,\"tid\":0,"
		"\"ts\":2,\"dur\":2}]",
		"slice thread 0/0 \"wait\" 1000+9000 python cat=\"python_function\"\n"
		"slice stream 0/0 \"k\" 2000+1000 kernel cat=\"kernel\"\n"
		"slice notes 0/0 \"s\" 2000+2000 sync cat=\"cuda_sync\"\n");
}

static void threads_are_called_by_any_number_or_text(void **state)
{
	(void)state;
	assert_sound(
		"[{\"ph\":\"X\",\"cat\":\"Operator\",\"name\":\"a\",\"pid\":1,"
		"\"tid\":\"25738\",\"ts\":1,\"dur\":1},"
		"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,"
		"\"tid\":25738,\"ts\":1,\"dur\":1},"
		"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"c\",\"pid\":1,"
		"\"tid\":-1886824704,\"ts\":1,\"dur\":1},"
		"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"d\",\"pid\":1,"
		"\"tid\":9223372036854775807,\"ts\":1,\"dur\":1},"
		"{\"ph\":\"X\",\"cat\":\"Kernel\",\"name\":\"e\",\"pid\":0,"
		"\"tid\":\"stream 7\",\"ts\":1,\"dur\":1}]",
		"slice thread 1/25738 \"a\" 1000+1000 op cat=\"Operator\"\n"
		"slice thread 1/25738 \"b\" 1000+1000 op cat=\"cpu_op\"\n"
		"slice thread 1/-1886824704 \"c\" 1000+1000 op cat=\"cpu_op\"\n"
		"slice thread 1/9223372036854775807 \"d\" 1000+1000 op cat=\"cpu_op\"\n"
		"slice stream 0/\"stream 7\" \"e\" 1000+1000 kernel cat=\"Kernel\"\n");
}

static void an_operator_carries_its_shapes_and_its_place_in_the_backward_pass(
	void **state)
{
	(void)state;
	assert_sound(
		X("cpu_op", "aten::mm",
		  "\"External id\": 7, \"Record function id\": 0, \"Ev Idx\": 3, "
		  "\"Sequence number\": 23, \"Fwd thread id\": 1, "
		  "\"Input Dims\": [[2, 3], [3, 5]], \"Input type\": [\"float\", \"float\"], "
		  "\"Call stack\": \"a.py(1): f;b.py(2): g\", \"Module Hierarchy\": \"top\""),
		"slice thread 1/1 \"aten::mm\" 1000+1000 op cat=\"cpu_op\" external_id=7 "
		"shapes=\"[[2, 3], [3, 5]]\" stack=\"a.py(1): f;b.py(2): g\" module=\"top\" "
		"flops=60 sequence=23 fwd_thread=1 backward\n");
}

static void the_backward_pass_is_known_by_thread_and_name(void **state)
{
	(void)state;
	assert_sound(
		X("cpu_op", "aten::mm", "\"Fwd thread id\": 0"),
		"slice thread 1/1 \"aten::mm\" 1000+1000 op cat=\"cpu_op\" fwd_thread=0\n");
	assert_sound(X("cpu_op", "torch::autograd::AccumulateGrad", "\"Ev Idx\": 1"),
		     "slice thread 1/1 \"torch::autograd::AccumulateGrad\" 1000+1000 op "
		     "cat=\"cpu_op\" backward\n");
	assert_sound(
		X("cpu_op", "autograd::engine::evaluate_function: MmBackward0",
		  "\"Fwd thread id\": 1"),
		"slice thread 1/1 \"autograd::engine::evaluate_function: MmBackward0\" "
		"1000+1000 op cat=\"cpu_op\" fwd_thread=1\n");
	assert_sound(
		X("user_annotation", "step", "\"Fwd thread id\": 1"),
		"slice thread 1/1 \"step\" 1000+1000 annotation cat=\"user_annotation\" "
		"fwd_thread=1\n");
}

static void a_kernel_carries_its_launch_and_its_shape(void **state)
{
	(void)state;
	assert_sound(
		X("kernel", "gemm",
		  "\"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, "
		  "\"correlation\": 42, \"External id\": 9, \"registers per thread\": 32, "
		  "\"shared memory\": 49152, \"blocks per SM\": 1.5, \"warps per SM\": 12, "
		  "\"grid\": [4, 2, 1], \"block\": [128, 1, 1], "
		  "\"est. achieved occupancy %\": 31, \"graph id\": 2, \"graph node id\": 3, "
		  "\"priority\": -1"),
		"slice stream 1/1 \"gemm\" 1000+1000 kernel cat=\"kernel\" correlation=42 "
		"external_id=9 device=0 context=1 stream=7 grid=4,2,1 block=128,1,1 registers=32 "
		"shared_memory=49152 graph_id=2 graph_node_id=3 queued=0 priority=-1 "
		"blocks_per_sm=1.5 warps_per_sm=12 occupancy=31\n");
}

static void a_copy_carries_its_bytes(void **state)
{
	(void)state;
	assert_sound(
		X("gpu_memcpy", "Memcpy HtoD",
		  "\"device\": 1, \"stream\": \"7\", \"bytes\": 4096, "
		  "\"memory bandwidth (GB/s)\": 1.25"),
		"slice stream 1/1 \"Memcpy HtoD\" 1000+1000 memcpy cat=\"gpu_memcpy\" device=1 "
		"stream=7 bytes=4096\n");
	assert_sound(X("Memcpy", "Memcpy HtoD", "\"Device\": 1, \"external id\": 5"),
		     "slice stream 1/1 \"Memcpy HtoD\" 1000+1000 memcpy cat=\"Memcpy\" "
		     "external_id=5 device=1\n");
}

static void mtia_names_its_waits_and_copies(void **state)
{
	(void)state;
	assert_sound(
		X("mtia_ccp_events", "event_wait",
		  "\"stream\": 8, \"wait_on_stream\": 4, \"seq_num\": 5"),
		"slice notes 1/1 \"event_wait\" 1000+1000 sync cat=\"mtia_ccp_events\" "
		"stream=8 wait_stream=4\n");
	assert_sound(X("mtia_ccp_events", "event_record", "\"stream\": 8"),
		     "slice notes 1/1 \"event_record\" 1000+1000 sync "
		     "cat=\"mtia_ccp_events\" stream=8\n");
	assert_sound(
		X("mtia_ccp_events", "dma_request",
		  "\"stream\": 5, \"direction\": \"DEVICE_TO_HOST\", \"size\": 64"),
		"slice stream 1/1 \"dma_request\" 1000+1000 memcpy "
		"cat=\"mtia_ccp_events\" stream=5 bytes=64 kind=\"DEVICE_TO_HOST\"\n");
	/* a direction of what is no copy, and names of other categories, mean nothing */
	assert_sound(X("mtia_ccp_events", "pe_exe", "\"direction\": \"X\", \"size\": 64"),
		     "slice stream 1/1 \"pe_exe\" 1000+1000 accelerator "
		     "cat=\"mtia_ccp_events\"\n");
	assert_sound(X("kernel", "event_wait", ""),
		     "slice stream 1/1 \"event_wait\" 1000+1000 kernel cat=\"kernel\"\n");
}

static void a_wait_carries_what_it_waits_for(void **state)
{
	(void)state;
	assert_sound(
		X("cuda_sync", "Stream Wait Event",
		  "\"cuda_sync_kind\": \"Stream Wait Event\", \"stream\": 7, "
		  "\"correlation\": 4, \"wait_on_stream\": 20, \"wait_on_cuda_event_id\": 3, "
		  "\"wait_on_cuda_event_record_corr_id\": -1"),
		"slice notes 1/1 \"Stream Wait Event\" 1000+1000 sync cat=\"cuda_sync\" "
		"correlation=4 stream=7 kind=\"Stream Wait Event\" wait_stream=20 "
		"wait_event=3 wait_correlation=-1\n");
}

static void a_collective_is_told_on_its_operator_and_on_its_kernel(void **state)
{
	(void)state;
	assert_sound(
		X("cpu_op", "record_param_comms",
		  "\"Collective name\": \"allreduce\", \"dtype\": \"Float\", "
		  "\"In msg nelems\": 10, \"Out msg nelems\": 20, "
		  "\"In split size\": \"[]\", \"Out split size\": [1, 2], \"Group size\": 2, "
		  "\"Process Group Name\": \"0\", "
		  "\"Process Group Description\": \"default_pg\", "
		  "\"Process Group Ranks\": \"[0, 1]\", \"Rank\": 1, \"Src Rank\": 0, "
		  "\"Dst Rank\": 1, \"Seq\": 5, \"Comms Id\": 18446744073709551615, "
		  "\"Is asynchronized op\": \"True\""),
		"slice thread 1/1 \"record_param_comms\" 1000+1000 op cat=\"cpu_op\" "
		"collective=\"allreduce\" dtype=\"Float\" group=\"0\" "
		"group_description=\"default_pg\" ranks=\"[0, 1]\" in_split=\"[]\" "
		"out_split=\"[1, 2]\" comm_id=\"18446744073709551615\" in_elements=10 "
		"out_elements=20 group_size=2 rank=1 source=0 destination=1 sequence=5 "
		"is_async=1\n");
	assert_sound(
		X("kernel", "ncclDevKernel",
		  "\"Collective name\": \"allreduce\", \"stream\": 3, "
		  "\"Is asynchronized op\": false"),
		"slice stream 1/1 \"ncclDevKernel\" 1000+1000 kernel cat=\"kernel\" stream=3 "
		"collective=\"allreduce\" is_async=0\n");
}

static void the_range_of_a_backend_tells_what_its_inputs_are(void **state)
{
	(void)state;
	assert_sound(X("user_annotation", "gloo:all_reduce",
		       "\"Input Dims\": [[5, 2], [3]], \"Input type\": [\"float\", "
		       "\"float\"]"),
		     "slice thread 1/1 \"gloo:all_reduce\" 1000+1000 annotation "
		     "cat=\"user_annotation\" shapes=\"[[5, 2], [3]]\" "
		     "collective=\"all_reduce\" dtype=\"float\" in_elements=13\n");
	/* of several types, a list of tensors, no range, no type */
	assert_sound(X("cpu_op", "nccl:broadcast",
		       "\"Input Dims\": [[5], [3]], \"Input type\": [\"float\", "
		       "\"long int\"]"),
		     "slice thread 1/1 \"nccl:broadcast\" 1000+1000 op cat=\"cpu_op\" "
		     "shapes=\"[[5], [3]]\"\n");
	assert_sound(X("cpu_op", "nccl:gather",
		       "\"Input Dims\": [[[5]], []], \"Input type\": [\"TensorList\", "
		       "\"Int\"]"),
		     "slice thread 1/1 \"nccl:gather\" 1000+1000 op cat=\"cpu_op\" "
		     "shapes=\"[[], []]\"\n");
	assert_sound(X("cpu_op", "abcd:all_reduce",
		       "\"Input Dims\": [[5]], \"Input type\": [\"float\"]"),
		     "slice thread 1/1 \"abcd:all_reduce\" 1000+1000 op cat=\"cpu_op\" "
		     "shapes=\"[[5]]\"\n");
	assert_sound(X("cpu_op", "nccl:reduce",
		       "\"Input Dims\": [[5]], \"Input type\": [\"Double\"]"),
		     "slice thread 1/1 \"nccl:reduce\" 1000+1000 op cat=\"cpu_op\" "
		     "shapes=\"[[5]]\"\n");
}

static void keyword_inputs_of_an_operator_are_not_taken_for_ours(void **state)
{
	(void)state;
	assert_sound(
		X("cpu_op", "my::op",
		  "\"External id\": 1, \"stream\": 7, \"dtype\": \"Float\", \"Rank\": 3, "
		  "\"device\": 0, \"Bytes\": 12, \"grid\": [1, 2, 3]"),
		"slice thread 1/1 \"my::op\" 1000+1000 op cat=\"cpu_op\" external_id=1\n");
}

static void args_of_other_programs_have_no_meaning(void **state)
{
	(void)state;
	assert_sound(X("toplevel", "task",
		       "\"correlation\": 4, \"stream\": 7, \"finished\": false"),
		     "slice thread 1/1 \"task\" 1000+1000 cat=\"toplevel\"\n");
}

static void a_memory_record_is_an_instant_of_its_own_class(void **state)
{
	const char *expected =
		"slice thread 1/1 \"[memory]\" 1000+0 instant memory "
		"cat=\"cpu_instant_event\" bytes=-512 address=94 allocated=1024 "
		"reserved=0 device_type=0 device=-1\n";

	(void)state;
	assert_sound(
		INSTANT("cpu_instant_event", "[memory]",
			"\"Device Type\": 0, \"Device Id\": -1, \"Addr\": 94, \"Bytes\": -512, "
			"\"Total Allocated\": 1024, \"Total Reserved\": 0"),
		expected);
	/* torch's Python exporter gives it a dur up to the end, and calls it unfinished */
	assert_sound(
		X("cpu_instant_event", "[memory]",
		  "\"Device Type\": 0, \"Device Id\": -1, \"Addr\": 94, \"Bytes\": -512, "
		  "\"Total Allocated\": 1024, \"Total Reserved\": 0, \"finished\": false"),
		expected);
	/* before 1.11 it had no category */
	assert_sound(
		"[{\"ph\":\"i\",\"name\":\"[memory]\",\"ts\":1,\"args\":{\"Bytes\":8,"
		"\"Device Type\":1,\"Device Id\":0}}]",
		"slice thread 0/0 \"[memory]\" 1000+0 instant memory bytes=8 device_type=1 "
		"device=0\n");
	assert_sound(INSTANT("cpu_instant_event", "[OutOfMemory]", "\"Device Type\": 1"),
		     "slice thread 1/1 \"[OutOfMemory]\" 1000+0 instant memory "
		     "cat=\"cpu_instant_event\" device_type=1 out_of_memory\n");
}

static void a_memory_record_without_bytes_is_told(void **state)
{
	(void)state;
	assert_flawed(INSTANT("cpu_instant_event", "[memory]", "\"Device Type\": 1"),
		      "finding memory_fields @1\n"
		      "slice thread 1/1 \"[memory]\" 1000+0 instant memory "
		      "cat=\"cpu_instant_event\"\n",
		      1, "a memory event has no Bytes");
	assert_facts("[{\"ph\":\"i\",\"name\":\"[memory]\",\"ts\":1}]",
		     "finding memory_fields @1\n"
		     "slice thread 0/0 \"[memory]\" 1000+0 instant memory\n");
}

static void a_label_called_memory_stays_an_annotation(void **state)
{
	(void)state;
	assert_sound(
		X("user_annotation", "[memory]", "\"External id\": 3, \"Bytes\": 8"),
		"slice thread 1/1 \"[memory]\" 1000+1000 annotation cat=\"user_annotation\" "
		"external_id=3\n");
	assert_sound(INSTANT("cpu_instant_event", "something else", "\"Bytes\": 8"),
		     "slice thread 1/1 \"something else\" 1000+0 instant "
		     "cat=\"cpu_instant_event\"\n");
}

static void a_range_marked_so_is_unfinished(void **state)
{
	(void)state;
	assert_sound(
		X("cpu_op", "aten::mm", "\"finished\": false"),
		"slice thread 1/1 \"aten::mm\" 1000+1000 unfinished op cat=\"cpu_op\"\n");
	assert_sound(X("cpu_op", "aten::mm", "\"finished\": true"),
		     "slice thread 1/1 \"aten::mm\" 1000+1000 op cat=\"cpu_op\"\n");
}

static void of_an_arg_given_twice_the_last_one_counts(void **state)
{
	(void)state;
	assert_sound(X("kernel", "k", "\"stream\": 7, \"stream\": 8"),
		     "slice stream 1/1 \"k\" 1000+1000 kernel cat=\"kernel\" stream=8\n"
		     "finding duplicate_key @1 \"args\"\n");
}

static void numbers_without_a_reading_are_not_recorded(void **state)
{
	(void)state;
	assert_flawed(
		X("kernel", "k",
		  "\"stream\": null, \"correlation\": 99999999999999999999, "
		  "\"External id\": \"x\", \"grid\": \"no\", \"blocks per SM\": true, "
		  "\"device\": 1.5, \"context\": 2"),
		"slice stream 1/1 \"k\" 1000+1000 kernel cat=\"kernel\" context=2\n"
		"finding integer_range @1\n",
		1, "an integer lies beyond 64 bits");
}

static void equal_shapes_are_one_text_however_they_are_spelt(void **state)
{
	struct recording r;
	struct err err = ERR_INIT;

	(void)state;
	recording_init(&r);
	assert_int_equal(
		recording_read(
			&r,
			STR_LIT("[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"\",\"ts\":1,"
				"\"dur\":1,\"args\":{\"Input Dims\":[[8,3]]}},"
				"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"\",\"ts\":1,"
				"\"dur\":1,\"args\":{\"Input Dims\":[[8, 3]]}},"
				"{\"ph\":\"X\",\"cat\":\"Operator\",\"name\":\"\",\"ts\":1,"
				"\"dur\":1,\"args\":{\"Input dims\":[[8, 3]]}}]"),
			&(struct read_options){ .strict = true }, 0, &err),
		0);
	assert_int_equal(r.texts.n, 4); /* "", "cpu_op", "Operator" and the shape */
	recording_release(&r);
}

static void shapes_may_be_anything(void **state)
{
	(void)state;
	assert_sound(
		X("cpu_op", "aten::mm", "\"Input Dims\": \"[[2, 3\", \"Input type\": 7"),
		"slice thread 1/1 \"aten::mm\" 1000+1000 op cat=\"cpu_op\" shapes=\"[]\"\n");
	assert_sound(
		X("cpu_op", "aten::conv2d",
		  "\"Input Dims\": {\"a\": 1}, \"Concrete Inputs\": \"[1\\\"\""),
		"slice thread 1/1 \"aten::conv2d\" 1000+1000 op cat=\"cpu_op\" shapes=\"[]\"\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_category_has_its_class_and_track),
		cmocka_unit_test(a_thread_and_a_stream_of_the_same_numbers_are_two),
		cmocka_unit_test(threads_are_called_by_any_number_or_text),
		cmocka_unit_test(
			an_operator_carries_its_shapes_and_its_place_in_the_backward_pass),
		cmocka_unit_test(the_backward_pass_is_known_by_thread_and_name),
		cmocka_unit_test(a_kernel_carries_its_launch_and_its_shape),
		cmocka_unit_test(a_copy_carries_its_bytes),
		cmocka_unit_test(mtia_names_its_waits_and_copies),
		cmocka_unit_test(a_wait_carries_what_it_waits_for),
		cmocka_unit_test(a_collective_is_told_on_its_operator_and_on_its_kernel),
		cmocka_unit_test(the_range_of_a_backend_tells_what_its_inputs_are),
		cmocka_unit_test(keyword_inputs_of_an_operator_are_not_taken_for_ours),
		cmocka_unit_test(args_of_other_programs_have_no_meaning),
		cmocka_unit_test(a_memory_record_is_an_instant_of_its_own_class),
		cmocka_unit_test(a_memory_record_without_bytes_is_told),
		cmocka_unit_test(a_label_called_memory_stays_an_annotation),
		cmocka_unit_test(a_range_marked_so_is_unfinished),
		cmocka_unit_test(of_an_arg_given_twice_the_last_one_counts),
		cmocka_unit_test(numbers_without_a_reading_are_not_recorded),
		cmocka_unit_test(equal_shapes_are_one_text_however_they_are_spelt),
		cmocka_unit_test(shapes_may_be_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
