/* The remarks on a recording in which nothing is damaged (store/health.h). */
#include "modeling.h"
#include "store/flow.h"
#include "store/health.h"

static void judge(struct world *w)
{
	order_rows(&w->m);
	nest_rows(&w->m);
	link_rows(&w->m);
	flow_rows(&w->m);
	health_rows(&w->m);
}

/* A recording to which nothing is lacking that its flags tell. */
static void begin(struct world *w)
{
	world_init(w);
	w->m.profile.has_memory = true;
	w->m.profile.has_shapes = true;
	w->m.profile.has_stacks = true;
}

/* A record without a count when it was not. */
static const struct finding_rec *told(const struct world *w, enum finding finding)
{
	static const struct finding_rec not_told;

	for (size_t i = 0; i < w->m.nfindings; i++)
		if (w->m.findings[i].finding == finding)
			return &w->m.findings[i];
	return &not_told;
}

static void assert_told(const struct world *w, enum finding finding, int64_t count,
			uint32_t first_slice)
{
	const struct finding_rec *f = told(w, finding);

	assert_int_equal(count, f->count);
	assert_int_equal(first_slice, f->offset);
	assert_true(str_equal(intern_str(&w->texts, record_of(w, first_slice)->name),
			      f->excerpt));
}

static void assert_share(const struct world *w, enum finding finding, double share_pct)
{
	const struct finding_rec *f = told(w, finding);

	assert_int_equal((int64_t)(share_pct * 1000), (int64_t)(f->share_pct * 1000));
}

static uint32_t add_call(struct world *w, uint32_t track, const char *name, int64_t ts_ns,
			 int64_t dur_ns, int64_t correlation)
{
	uint32_t slice = add_launch(w, track, ts_ns, dur_ns, correlation, NUMBER_NONE);

	w->m.slices[slice].name = text_in(w, name);
	return slice;
}

/* A launch and its kernel, 10 us later. */
static void add_pair(struct world *w, int64_t ts_ns, int64_t correlation)
{
	add_launch(w, thread_in(w, 1), ts_ns, 5000, correlation, NUMBER_NONE);
	add_kernel(w, stream_in(w, 7), ts_ns + 10000, 2000, correlation, NUMBER_NONE);
}

static void a_sound_recording_gets_no_remark(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add_op(&w, thread_in(&w, 1), "aten::mm", 0, 100001, 1);
	for (int64_t i = 1; i < 9; i++)
		add_pair(&w, i * 10007, i);
	judge(&w);
	assert_int_equal(0, w.m.nfindings);
	world_release(&w);
}

static void launches_without_work_are_counted(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add_pair(&w, 1000, 1);
	uint32_t first = add_launch(&w, thread_in(&w, 1), 20000, 5000, 2, NUMBER_NONE);
	add_call(&w, thread_in(&w, 2), "hipExtModuleLaunchKernel", 30000, 5000, 3);
	add_call(&w, thread_in(&w, 1), "cudaGraphLaunch", 40000, 5000, 4);
	add_call(&w, thread_in(&w, 1), "cudaMemcpyAsync", 50000, 5000, 5);
	add_pair(&w, 60000, 6);
	judge(&w);
	assert_told(&w, FINDING_KERNELS_MISSING, 4, first);
	assert_share(&w, FINDING_KERNELS_MISSING, 100.0 * 4 / 6);
	assert_int_equal(0, told(&w, FINDING_FIRST_KERNELS_MISSING)->count);
	world_release(&w);
}

static void calls_that_launch_nothing_miss_nothing(void **state)
{
	static const char *const others[] = {
		"cudaStreamSynchronize", "cudaLaunchHostFunc",
		"cudaEventRecord",       "cudaMalloc",
		"cudaFuncGetAttributes", "hipMemcpyAsync"
	};
	struct world w;

	(void)state;
	begin(&w);
	add_pair(&w, 1000, 1);
	for (int i = 0; i < 6; i++)
		add_call(&w, thread_in(&w, 1), others[i], 20000 + i * 10000, 5000,
			 10 + i);
	/* a copy of no bytes, and a call whose correlation nobody knows */
	add_call(&w, thread_in(&w, 1), "cudaMemsetAsync", 90000, 300, 20);
	add_call(&w, thread_in(&w, 1), "cudaLaunchKernel", 95000, 300, NUMBER_NONE);
	judge(&w);
	assert_int_equal(0, told(&w, FINDING_KERNELS_MISSING)->count);
	assert_int_equal(0, told(&w, FINDING_FIRST_KERNELS_MISSING)->count);
	world_release(&w);
}

static void what_a_graph_captures_is_not_missing(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add_pair(&w, 1000, 1);
	add_call(&w, thread_in(&w, 1), "cudaStreamBeginCapture", 20000, 1000, 2);
	add_launch(&w, thread_in(&w, 1), 30000, 5000, 3, NUMBER_NONE);
	add_launch(&w, thread_in(&w, 2), 31000, 5000, 4, NUMBER_NONE);
	add_call(&w, thread_in(&w, 1), "cudaStreamEndCapture_v2", 40000, 1000, 5);
	uint32_t behind = add_launch(&w, thread_in(&w, 1), 50000, 5000, 6, NUMBER_NONE);
	judge(&w);
	assert_told(&w, FINDING_KERNELS_MISSING, 1, behind);
	assert_share(&w, FINDING_KERNELS_MISSING, 50);
	world_release(&w);
}

static void of_two_calls_within_each_other_one_has_the_work(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add_call(&w, thread_in(&w, 1), "cudaLaunchKernelExC", 1000, 5000, 1);
	add_call(&w, thread_in(&w, 1), "cuLaunchKernelEx", 2000, 2000, 2);
	add_kernel(&w, stream_in(&w, 7), 9000, 2000, 2, NUMBER_NONE);
	add_call(&w, thread_in(&w, 1), "cudaLaunchKernelExC", 11000, 5000, 3);
	add_call(&w, thread_in(&w, 1), "cuLaunchKernelEx", 12000, 2000, 4);
	add_kernel(&w, stream_in(&w, 7), 19000, 2000, 3, NUMBER_NONE);
	judge(&w);
	assert_int_equal(0, told(&w, FINDING_KERNELS_MISSING)->count);
	assert_int_equal(0, told(&w, FINDING_FIRST_KERNELS_MISSING)->count);
	world_release(&w);
}

static void the_first_launches_have_a_remark_of_their_own(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	/* on the other thread, and later in the file than what follows in time */
	add_pair(&w, 60000, 6);
	uint32_t second = add_launch(&w, thread_in(&w, 1), 20000, 5000, 2, NUMBER_NONE);
	add_launch(&w, thread_in(&w, 9), 1000, 5000, 1, NUMBER_NONE);
	uint32_t late = add_launch(&w, thread_in(&w, 1), 90000, 5000, 9, NUMBER_NONE);
	judge(&w);
	assert_told(&w, FINDING_FIRST_KERNELS_MISSING, 2, second);
	assert_share(&w, FINDING_FIRST_KERNELS_MISSING, 50);
	assert_told(&w, FINDING_KERNELS_MISSING, 1, late);
	world_release(&w);
}

static void no_device_work_is_told_where_a_device_was(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add_op(&w, thread_in(&w, 1), "aten::mm", 0, 100000, 1);
	judge(&w);
	assert_int_equal(0, told(&w, FINDING_NO_DEVICE_WORK)->count);
	world_release(&w);

	begin(&w);
	add_op(&w, thread_in(&w, 1), "aten::mm", 0, 100000, 1);
	add_call(&w, thread_in(&w, 1), "cudaStreamSynchronize", 500, 10, 1);
	uint32_t launch = add_launch(&w, thread_in(&w, 1), 1000, 5000, 2, NUMBER_NONE);
	judge(&w);
	assert_told(&w, FINDING_NO_DEVICE_WORK, 1, launch);
	assert_int_equal(0, told(&w, FINDING_KERNELS_MISSING)->count);
	world_release(&w);
}

static void work_before_its_launch_tells_the_largest_lead(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add_pair(&w, 1000, 1);
	add_launch(&w, thread_in(&w, 1), 20000, 5000, 2, NUMBER_NONE);
	uint32_t early = add_kernel(&w, stream_in(&w, 7), 19990, 10, 2, NUMBER_NONE);
	add_launch(&w, thread_in(&w, 1), 30000, 5000, 3, NUMBER_NONE);
	add_kernel(&w, stream_in(&w, 7), 29300, 10, 3, NUMBER_NONE);
	add_launch(&w, thread_in(&w, 1), 40000, 5000, 4, NUMBER_NONE);
	add_kernel(&w, stream_in(&w, 7), 40000, 10, 4, NUMBER_NONE);
	judge(&w);
	assert_told(&w, FINDING_KERNEL_BEFORE_LAUNCH, 2, early);
	assert_int_equal(700, told(&w, FINDING_KERNEL_BEFORE_LAUNCH)->time_ns);
	assert_share(&w, FINDING_KERNEL_BEFORE_LAUNCH, 50);
	world_release(&w);
}

static void graphs_and_unknown_launches_tell_their_share_of_device_time(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add_call(&w, thread_in(&w, 1), "hipGraphLaunch", 1000, 5000, 1);
	uint32_t graph = add_kernel(&w, stream_in(&w, 7), 7000, 300, 1, NUMBER_NONE);
	uint32_t lost = add_kernel(&w, stream_in(&w, 7), 8000, 100, 77, NUMBER_NONE);
	add_pair(&w, 10000, 2);
	struct slice_rec by_id = record(&w, stream_in(&w, 7), "kernel", 30000, 600);
	by_id.key = wide_add(&w.m.numbers, 78);
	add_work(&w, by_id, NUMBER_NONE, 4);
	judge(&w);
	assert_told(&w, FINDING_GRAPH_KERNELS, 2, graph);
	assert_int_equal(900, told(&w, FINDING_GRAPH_KERNELS)->time_ns);
	assert_share(&w, FINDING_GRAPH_KERNELS, 30);
	assert_told(&w, FINDING_LAUNCH_UNKNOWN, 2, lost);
	assert_int_equal(700, told(&w, FINDING_LAUNCH_UNKNOWN)->time_ns);
	assert_share(&w, FINDING_LAUNCH_UNKNOWN, 100.0 * 700 / 3000);
	world_release(&w);
}

static void waits_and_annotations_on_streams_are_told_apart(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add_pair(&w, 1000, 1);
	uint32_t notes = track_in(&w, TRACK_STREAM_NOTES, 0, 7);
	uint32_t wait = add(&w, notes, "Stream Sync", 100, 50, CLASS_SYNC);
	uint32_t label = add(&w, notes, "forward", 1000, 500, CLASS_DEVICE_ANNOTATION);
	add(&w, notes, "inner", 1100, 500, CLASS_DEVICE_ANNOTATION);
	/* the row of waits that newer exporters write */
	uint32_t row = track_in(&w, TRACK_THREAD, 0, 1007);
	w.m.places[w.m.tracks[row].place].name = text_in(&w, "stream 7 (sync)");
	add(&w, row, "Event Sync", 3000, 30, CLASS_OTHER);
	judge(&w);
	assert_told(&w, FINDING_SYNC_ROWS, 2, wait);
	assert_int_equal(80, told(&w, FINDING_SYNC_ROWS)->time_ns);
	assert_told(&w, FINDING_DEVICE_ANNOTATIONS, 2, label);
	assert_int_equal(600, told(&w, FINDING_DEVICE_ANNOTATIONS)->time_ns);
	world_release(&w);
}

static void what_is_there_twice_is_told_from_coincidence(void **state)
{
	struct world w;
	uint32_t t;

	(void)state;
	begin(&w);
	t = thread_in(&w, 1);
	add_op(&w, t, "all", 0, 100001, 50);
	add_op(&w, t, "a", 1000, 500, 1);
	add_op(&w, t, "b", 1000, 500, 2);
	uint32_t again = add_op(&w, t, "a", 1000, 500, 1);
	add_op(&w, t, "a", 2000, 500, 3);
	uint32_t other = add_op(&w, t, "a", 2000, 500, 4); /* another id */
	add_call(&w, t, "cudaEventQuery", 3000, 0, 8);
	add_call(&w, t, "cudaEventQuery", 3000, 0, 8); /* no length */
	add_op(&w, t, "a", 4000, 500, 5);
	add_op(&w, t, "a", 4000, 501, 5);                /* another duration */
	add_op(&w, thread_in(&w, 2), "a", 1000, 500, 1); /* another thread */
	judge(&w);
	assert_told(&w, FINDING_DUPLICATE_SLICES, 1, again);
	assert_share(&w, FINDING_DUPLICATE_SLICES, 100.0 / 11);
	assert_int_equal(3, count_findings(&w, FINDING_DUPLICATE_SLICES));
	const struct finding_rec *chance = told(&w, FINDING_DUPLICATE_SLICES) + 1;
	assert_string_equal("coincidence?", intern_str(&w.texts, chance->detail).p);
	assert_int_equal(2, chance->count);
	assert_int_equal(other, chance->offset);
	world_release(&w);
}

/* Other tools' slices have no ids, and short ones are often written as 0. */
static void other_traces_tell_only_what_lasts(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.m.profile.format = "chrome";
	for (int i = 0; i < 2; i++) {
		add(&w, thread_in(&w, 1), "a", 1000, 0, CLASS_OTHER);
		add(&w, thread_in(&w, 1), "b", 2000, 7, CLASS_OTHER);
	}
	judge(&w);
	assert_int_equal(1, w.m.nfindings);
	assert_told(&w, FINDING_DUPLICATE_SLICES, 1, 3);
	world_release(&w);
}

static void flags_that_were_off_are_told_of_operators_alone(void **state)
{
	static const enum finding flags[] = { FINDING_NO_STACKS, FINDING_NO_SHAPES,
					      FINDING_NO_MEMORY };
	struct world w;

	(void)state;
	world_init(&w);
	add_pair(&w, 1000, 1);
	judge(&w);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(0, told(&w, flags[i])->count);
	world_release(&w);

	world_init(&w);
	uint32_t op = add_op(&w, thread_in(&w, 1), "aten::mm", 0, 100, 1);
	add_op(&w, thread_in(&w, 1), "aten::mm", 100, 100, 2);
	judge(&w);
	for (size_t i = 0; i < 3; i++)
		assert_told(&w, flags[i], 2, op);
	world_release(&w);
}

static void a_rank_is_missed_by_one_process_of_several(void **state)
{
	struct world w;

	(void)state;
	for (int rank = 0; rank < 2; rank++) {
		begin(&w);
		add_op(&w, thread_in(&w, 1), "aten::mm", 0, 100, 1);
		uint32_t reduce = add(&w, thread_in(&w, 1), "gloo:all_reduce", 100, 100,
				      CLASS_ANNOTATION);
		w.m.profile.rank = rank ? 0 : NUMBER_NONE;
		judge(&w);
		if (rank)
			assert_int_equal(0, told(&w, FINDING_RANK_UNKNOWN)->count);
		else
			assert_told(&w, FINDING_RANK_UNKNOWN, 1, reduce);
		world_release(&w);
	}
	/* DataParallel: one process, and its kernels are NCCL's */
	begin(&w);
	add_op(&w, thread_in(&w, 1), "Broadcast", 0, 20000, 1);
	add_pair(&w, 1000, 1);
	w.m.slices[2].name = text_in(&w, "ncclKernel_Broadcast_RING_LL_Sum_int8_t");
	judge(&w);
	assert_int_equal(0, told(&w, FINDING_RANK_UNKNOWN)->count);
	world_release(&w);
}

static void a_group_of_one_is_not_several(void **state)
{
	struct world w;

	(void)state;
	for (int64_t size = 1; size < 3; size++) {
		begin(&w);
		uint32_t op =
			add_op(&w, thread_in(&w, 1), "record_param_comms", 0, 100, 1);
		w.m.collectives = xcalloc(1, sizeof(*w.m.collectives));
		w.m.ncollectives = w.m.collectives_cap = 1;
		w.m.collectives[0] =
			(struct collective_rec){ .fact.group_size = size, .slice = op };
		judge(&w);
		assert_int_equal(size == 1, told(&w, FINDING_RANK_UNKNOWN)->count == 0);
		world_release(&w);
	}
}

static void overhead_is_told_from_a_share_on(void **state)
{
	struct world w;

	(void)state;
	for (int64_t dur_ns = 99; dur_ns <= 100; dur_ns++) {
		begin(&w);
		add_op(&w, thread_in(&w, 1), "aten::mm", 0, 10000, 1);
		uint32_t slice = add(&w, thread_in(&w, -1), "Activity Buffer Request", 50,
				     dur_ns, CLASS_OVERHEAD);
		judge(&w);
		if (dur_ns < 100) {
			assert_int_equal(0, told(&w, FINDING_PROFILER_OVERHEAD)->count);
		} else {
			assert_told(&w, FINDING_PROFILER_OVERHEAD, 1, slice);
			assert_int_equal(100,
					 told(&w, FINDING_PROFILER_OVERHEAD)->time_ns);
			assert_share(&w, FINDING_PROFILER_OVERHEAD, 1);
		}
		world_release(&w);
	}
}

static void a_step_alone_covers_nothing(void **state)
{
	struct world w;
	uint32_t t;

	(void)state;
	begin(&w);
	t = thread_in(&w, 1);
	uint32_t first = add_op(&w, t, "aten::mm", 0, 5000, 1);
	add(&w, t, "ProfilerStep#1", 0, 10000, CLASS_ANNOTATION);
	add_op(&w, t, "aten::add", 4000, 2000, 2);
	add_op(&w, t, "aten::sub", 9000, 1000, 3);
	/* busy, but with nothing that the program did: waits of a helper's */
	add(&w, thread_in(&w, 2), "gloo:wait", 0, 9500, CLASS_ANNOTATION);
	judge(&w);
	assert_told(&w, FINDING_UNCOVERED_TIME, 1, first);
	assert_int_equal(3000, told(&w, FINDING_UNCOVERED_TIME)->time_ns);
	assert_share(&w, FINDING_UNCOVERED_TIME, 30);
	world_release(&w);
}

static void a_thread_that_was_hardly_there_says_nothing(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add_op(&w, thread_in(&w, 1), "aten::mm", 0, 10, 1);
	add_op(&w, thread_in(&w, 1), "aten::mm", 4000, 10, 2);
	add(&w, thread_in(&w, 2), "recording", 0, 10000, CLASS_ANNOTATION);
	judge(&w);
	assert_int_equal(0, told(&w, FINDING_UNCOVERED_TIME)->count);
	world_release(&w);
}

static void remarks_are_no_warnings(void **state)
{
	(void)state;
	for (size_t i = 0; i < NFINDINGS; i++) {
		const struct finding_kind *kind = &finding_kinds[i];
		if (!finding_is_health((enum finding)i))
			continue;
		assert_int_equal(SEVERITY_INFO, kind->severity);
		assert_non_null(kind->disables);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_recording_gets_no_remark),
		cmocka_unit_test(launches_without_work_are_counted),
		cmocka_unit_test(calls_that_launch_nothing_miss_nothing),
		cmocka_unit_test(what_a_graph_captures_is_not_missing),
		cmocka_unit_test(of_two_calls_within_each_other_one_has_the_work),
		cmocka_unit_test(the_first_launches_have_a_remark_of_their_own),
		cmocka_unit_test(no_device_work_is_told_where_a_device_was),
		cmocka_unit_test(work_before_its_launch_tells_the_largest_lead),
		cmocka_unit_test(
			graphs_and_unknown_launches_tell_their_share_of_device_time),
		cmocka_unit_test(waits_and_annotations_on_streams_are_told_apart),
		cmocka_unit_test(what_is_there_twice_is_told_from_coincidence),
		cmocka_unit_test(other_traces_tell_only_what_lasts),
		cmocka_unit_test(flags_that_were_off_are_told_of_operators_alone),
		cmocka_unit_test(a_rank_is_missed_by_one_process_of_several),
		cmocka_unit_test(a_group_of_one_is_not_several),
		cmocka_unit_test(overhead_is_told_from_a_share_on),
		cmocka_unit_test(a_step_alone_covers_nothing),
		cmocka_unit_test(a_thread_that_was_hardly_there_says_nothing),
		cmocka_unit_test(remarks_are_no_warnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
