/* Device work comes to its launch, its operator and its step. */
#include "modeling.h"

#include "store/ranges.h"
#include "store/steps.h"
#include "trace/step_name.h"

static void build(struct world *w)
{
	order_rows(&w->m);
	nest_rows(&w->m);
	link_rows(&w->m);
}

static uint32_t launch_of(const struct world *w, uint32_t slice)
{
	return slice_of(w, row_launch(&w->m, row_of(w, slice)));
}

static uint32_t op_of(const struct world *w, uint32_t slice)
{
	return slice_of(w, slice_device(&w->m, record_of(w, slice))->op);
}

/* The operator around a memory event. */
static uint32_t op_around(const struct world *w, uint32_t slice)
{
	struct allocation_walk walk;
	uint32_t op = ROW_NONE;

	allocation_walk_init(&walk, &w->m);
	for (int64_t i = 0; op == ROW_NONE && i < (int64_t)w->m.nmemory; i++)
		if (allocation_walk_to(&walk, i)->row == row_of(w, slice))
			op = ranges_innermost_op(&walk.open);
	allocation_walk_release(&walk);
	return slice_of(w, op);
}

static uint32_t step_at(const struct world *w, uint32_t slice)
{
	struct step_cursor steps = step_cursor(&w->m);

	return step_of_row(&steps, row_of(w, slice));
}

/* The number of the slice's step, -1 for none. */
static int64_t step_of(const struct world *w, uint32_t slice)
{
	uint32_t step = step_at(w, slice);

	return step == ROW_NONE ? -1 : w->m.steps[step].number;
}

static int64_t device_ns_of(const struct world *w, uint32_t slice)
{
	for (size_t i = 0; i < w->m.ncharges; i++)
		if (w->m.charges[i].row == row_of(w, slice))
			return w->m.charges[i].device_ns;
	return 0;
}

static void a_kernel_belongs_to_the_call_with_its_correlation(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1), stream = stream_in(&w, 7);

	uint32_t op = add_op(&w, thread, "aten::mm", 0, 100, 5);
	uint32_t launch = add_launch(&w, thread, 10, 20, 901, 5);
	uint32_t kernel = add_kernel(&w, stream, 40, 60, 901, 5);
	build(&w);

	assert_int_equal(launch, launch_of(&w, kernel));
	assert_int_equal(op, op_of(&w, kernel));
	assert_int_equal(60, device_ns_of(&w, op));
	assert_int_equal(0, w.m.nfindings);
	world_release(&w);
}

/* cudaGraphLaunch. */
static void one_call_may_launch_many_kernels(void **state)
{
	struct world w;
	uint32_t kernels[12];
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1), stream = stream_in(&w, 7);

	uint32_t op = add_op(&w, thread, "graph", 0, 100, 5);
	uint32_t launch = add_launch(&w, thread, 10, 20, 901, 5);
	for (int i = 0; i < 12; i++)
		kernels[i] = add_kernel(&w, stream, 40 + 10 * i, 10, 901, 5);
	build(&w);

	for (int i = 0; i < 12; i++) {
		assert_int_equal(launch, launch_of(&w, kernels[i]));
		assert_int_equal(op, op_of(&w, kernels[i]));
	}
	assert_int_equal(120, device_ns_of(&w, op));
	assert_int_equal(12, w.m.nworks);
	world_release(&w);
}

static void link_with_arrow(struct world *w, uint32_t out, uint32_t in)
{
	struct arrow_rec arrow;

	order_rows(&w->m);
	nest_rows(&w->m);
	arrow = (struct arrow_rec){ row_of(w, out), row_of(w, in), TEXT_NONE, WIDE_NONE };
	w->m.arrows = &arrow;
	w->m.narrows = 1;
	link_rows(&w->m);
	w->m.arrows = NULL;
	w->m.narrows = 0;
}

/* A list of torch without Kineto has no calls. */
static void a_kernel_without_correlation_belongs_where_its_arrow_begins(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1), stream = stream_in(&w, 0);

	add_op(&w, thread, "ProfilerStep#4", 0, 1000, NUMBER_NONE);
	uint32_t op = add_op(&w, thread, "aten::mm", 0, 100, NUMBER_NONE);
	uint32_t kernel = add_kernel(&w, stream, 2000, 60, NUMBER_NONE, NUMBER_NONE);
	link_with_arrow(&w, op, kernel);

	assert_int_equal(ROW_NONE, row_launch(&w.m, row_of(&w, kernel)));
	assert_int_equal(op, op_of(&w, kernel));
	assert_int_equal(60, device_ns_of(&w, op));
	assert_int_equal(4, step_of(&w, kernel));
	assert_int_equal(0, w.m.nfindings);
	world_release(&w);
}

/* Arrows of Kineto's lead from calls, and correlations are surer. */
static void an_arrow_says_nothing_where_there_is_a_correlation(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1), stream = stream_in(&w, 0);

	uint32_t other = add_op(&w, thread, "aten::add", 0, 100, NUMBER_NONE);
	uint32_t op = add_op(&w, thread, "aten::mm", 200, 100, NUMBER_NONE);
	add_launch(&w, thread, 210, 20, 901, NUMBER_NONE);
	uint32_t kernel = add_kernel(&w, stream, 300, 60, 901, NUMBER_NONE);
	link_with_arrow(&w, other, kernel);

	assert_int_equal(op, op_of(&w, kernel));
	assert_int_equal(0, device_ns_of(&w, other));
	world_release(&w);
}

static void a_kernel_without_its_launch_keeps_its_operator_and_is_counted(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1), stream = stream_in(&w, 7);

	add(&w, thread, "ProfilerStep#3", 0, 200, CLASS_ANNOTATION);
	uint32_t op = add_op(&w, thread, "aten::mm", 10, 100, 5);
	uint32_t lost = add_kernel(&w, stream, 40, 60, 901, 5);
	uint32_t alien = add_kernel(&w, stream, 140, 60, 902, NUMBER_NONE);
	build(&w);

	assert_int_equal(ROW_NONE, launch_of(&w, lost));
	assert_int_equal(op, op_of(&w, lost));
	assert_int_equal(3, step_of(&w, lost));
	assert_int_equal(-1, step_of(&w, alien));
	assert_int_equal(ROW_NONE, op_of(&w, alien));
	assert_int_equal(2, count_findings(&w, FINDING_LAUNCH_UNKNOWN));
	world_release(&w);
}

/* Until October 2024 a kernel without an operator named itself. */
static void an_external_id_that_is_the_correlation_names_no_operator(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1), stream = stream_in(&w, 7);

	add_op(&w, thread, "by coincidence", 0, 10, 901);
	add_op(&w, thread, "aten::mm", 20, 100, 5);
	add_launch(&w, thread, 30, 20, 900, 5);
	add_kernel(&w, stream, 60, 10, 900, 5);
	uint32_t lost = add_kernel(&w, stream, 80, 60, 901, 901);
	build(&w);

	assert_int_equal(ROW_NONE, op_of(&w, lost));
	assert_int_equal(0, count_findings(&w, FINDING_EXTERNAL_ID_UNUSABLE));
	world_release(&w);
}

static void when_all_external_ids_are_correlations_the_time_of_the_launch_tells(
	void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1), stream = stream_in(&w, 7);

	uint32_t outer = add_op(&w, thread, "aten::linear", 0, 100, 901);
	uint32_t inner = add_op(&w, thread, "aten::addmm", 10, 80, 7);
	uint32_t launch = add_launch(&w, thread, 20, 20, 901, 901);
	uint32_t kernel = add_kernel(&w, stream, 50, 10, 901, 901);
	build(&w);

	assert_int_equal(launch, launch_of(&w, kernel));
	assert_int_equal(inner, op_of(&w, kernel));
	assert_int_equal(0, device_ns_of(&w, outer));
	assert_int_equal(1, count_findings(&w, FINDING_EXTERNAL_ID_UNUSABLE));
	world_release(&w);
}

static void an_external_id_that_names_an_operator_of_another_thread_is_not_believed(
	void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1), other = thread_in(&w, 2),
		 stream = stream_in(&w, 7);

	add_op(&w, other, "elsewhere", 0, 100, 5);
	uint32_t here = add_op(&w, thread, "here", 0, 50, 6);
	uint32_t launch = add_launch(&w, thread, 10, 20, 901, 5);
	uint32_t kernel = add_kernel(&w, stream, 40, 10, 901, 5);
	add_launch(&w, thread, 60, 20, 902, 5);
	uint32_t outside = add_kernel(&w, stream, 90, 10, 902, 5);
	build(&w);

	assert_int_equal(launch, launch_of(&w, kernel));
	assert_int_equal(here, op_of(&w, kernel));
	assert_int_equal(ROW_NONE, op_around(&w, outside));
	world_release(&w);
}

/* The call that the kernel's External id names, behind so many others of its correlation. */
static bool finds_call_behind(int64_t nothers)
{
	struct world w;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1), stream = stream_in(&w, 7);

	for (int64_t i = 0; i < nothers; i++)
		add_launch(&w, thread, 20 * i, 10, 901, 5);
	uint32_t launch = add_launch(&w, thread, 20 * nothers, 10, 901, 6);
	uint32_t kernel = add_kernel(&w, stream, 20 * nothers + 40, 10, 901, 6);
	build(&w);
	bool is_found = launch_of(&w, kernel) == launch;
	world_release(&w);
	return is_found;
}

static void of_the_calls_with_one_correlation_the_first_1024_are_looked_at(void **state)
{
	(void)state;
	assert_true(finds_call_behind(1023));
	assert_false(finds_call_behind(1024));
}

/* Two ranks in one file repeat each other's ids. */
static void of_two_calls_with_one_correlation_the_same_external_id_decides(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t one = track_in(&w, TRACK_THREAD, 1, 1),
		 two = track_in(&w, TRACK_THREAD, 2, 2);

	uint32_t op_one = add_op(&w, one, "one", 0, 50, 5);
	uint32_t launch_one = add_launch(&w, one, 10, 10, 901, 5);
	uint32_t op_two = add_op(&w, two, "two", 5, 50, 6);
	uint32_t launch_two = add_launch(&w, two, 15, 10, 901, 6);
	uint32_t kernel_one = add_kernel(&w, stream_in(&w, 7), 40, 10, 901, 5);
	uint32_t kernel_two = add_kernel(&w, stream_in(&w, 8), 40, 10, 901, 6);
	build(&w);

	assert_int_equal(launch_one, launch_of(&w, kernel_one));
	assert_int_equal(launch_two, launch_of(&w, kernel_two));
	assert_int_equal(op_one, op_of(&w, kernel_one));
	assert_int_equal(op_two, op_of(&w, kernel_two));
	assert_int_equal(0, count_findings(&w, FINDING_LAUNCH_GUESSED));
	world_release(&w);
}

static void else_the_last_call_before_the_work_does(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1), stream = stream_in(&w, 7);

	add_launch(&w, thread, 10, 5, 901, NUMBER_NONE);
	uint32_t near = add_launch(&w, thread, 100, 5, 901, NUMBER_NONE);
	add_launch(&w, thread, 200, 5, 901, NUMBER_NONE);
	uint32_t kernel = add_kernel(&w, stream, 150, 10, 901, NUMBER_NONE);
	build(&w);

	assert_int_equal(near, launch_of(&w, kernel));
	assert_int_equal(1, count_findings(&w, FINDING_LAUNCH_GUESSED));
	world_release(&w);
}

/* Clocks of host and device drift. */
static void work_that_seems_to_begin_before_its_launch_is_linked(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);

	uint32_t launch = add_launch(&w, thread_in(&w, 1), 100, 5, 901, NUMBER_NONE);
	uint32_t kernel = add_kernel(&w, stream_in(&w, 7), 90, 10, 901, NUMBER_NONE);
	build(&w);

	assert_int_equal(launch, launch_of(&w, kernel));
	world_release(&w);
}

static void work_outside_every_operator_is_charged_to_the_innermost_label(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t outer = add(&w, thread, "outer", 0, 100, CLASS_ANNOTATION);
	uint32_t inner = add(&w, thread, "inner", 10, 50, CLASS_ANNOTATION);
	add_launch(&w, thread, 20, 5, 901, NUMBER_NONE);
	uint32_t kernel = add_kernel(&w, stream_in(&w, 7), 30, 40, 901, NUMBER_NONE);
	build(&w);

	assert_int_equal(ROW_NONE, op_of(&w, kernel));
	assert_int_equal(40, device_ns_of(&w, inner));
	assert_int_equal(0, device_ns_of(&w, outer));
	world_release(&w);
}

/* with_stack: record_function begins inside __enter__ and ends inside __exit__. */
static void a_label_that_overlaps_python_frames_still_holds_its_launches(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	add(&w, thread, "__enter__", 0, 20, CLASS_PYTHON);
	uint32_t label = add(&w, thread, "forward", 10, 100, CLASS_ANNOTATION);
	add_launch(&w, thread, 50, 5, 901, NUMBER_NONE);
	add(&w, thread, "__exit__", 90, 40, CLASS_PYTHON);
	add_kernel(&w, stream_in(&w, 7), 60, 40, 901, NUMBER_NONE);
	build(&w);

	assert_int_equal(40, device_ns_of(&w, label));
	world_release(&w);
}

static void a_memory_event_belongs_to_the_innermost_operator_on_its_thread(void **state)
{
	const struct memory_fact allocation = { .bytes = 512 };
	int64_t kind;
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	add_op(&w, thread, "aten::add", 0, 100, 5);
	uint32_t empty = add_op(&w, thread, "aten::empty", 10, 50, 6);
	struct slice_rec s = record(&w, thread, "[memory]", 20, 0);
	s.class = CLASS_MEMORY;
	s.phase = PHASE_INSTANT;
	s.detail = model_memory(&w.m, &allocation, &kind);
	s.key = wide_add(&w.m.numbers, kind);
	uint32_t inside = add_record(&w, s);
	s.ts_ns = 200;
	s.detail = model_memory(&w.m, &allocation, &kind);
	s.key = wide_add(&w.m.numbers, kind);
	uint32_t outside = add_record(&w, s);
	build(&w);

	assert_int_equal(empty, op_around(&w, inside));
	assert_int_equal(ROW_NONE, op_around(&w, outside));
	world_release(&w);
}

static void a_host_slice_belongs_to_the_step_that_holds_its_start(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t main_thread = thread_in(&w, 1), autograd = thread_in(&w, 2);

	uint32_t before = add(&w, main_thread, "before", 5, 20, CLASS_OP);
	uint32_t step = add(&w, main_thread, "ProfilerStep#7", 10, 90, CLASS_ANNOTATION);
	add(&w, main_thread, "ProfilerStep#8", 100, 50, CLASS_ANNOTATION);
	uint32_t other_thread = add(&w, autograd, "backward", 99, 80, CLASS_OP);
	uint32_t at_end = add(&w, autograd, "next", 100, 5, CLASS_OP);
	uint32_t between = add(&w, autograd, "behind", 150, 5, CLASS_OP);
	build(&w);

	assert_int_equal(-1, step_of(&w, before));
	assert_int_equal(7, step_of(&w, step));
	assert_int_equal(7, step_of(&w, other_thread));
	assert_int_equal(8, step_of(&w, at_end));
	assert_int_equal(-1, step_of(&w, between));
	world_release(&w);
}

static void device_work_belongs_to_the_step_of_its_launch(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	add(&w, thread, "ProfilerStep#7", 10, 90, CLASS_ANNOTATION);
	add(&w, thread, "ProfilerStep#8", 100, 90, CLASS_ANNOTATION);
	add_launch(&w, thread, 95, 5, 901, NUMBER_NONE);
	uint32_t kernel = add_kernel(&w, stream_in(&w, 7), 120, 10, 901, NUMBER_NONE);
	build(&w);

	assert_int_equal(7, step_of(&w, kernel));
	world_release(&w);
}

static void in_a_merged_file_a_rank_has_its_own_steps(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t one = track_in(&w, TRACK_THREAD, 1, 1),
		 two = track_in(&w, TRACK_THREAD, 2, 2);
	uint32_t loader = track_in(&w, TRACK_THREAD, 3, 3);

	uint32_t step_one = add(&w, one, "ProfilerStep#1", 0, 100, CLASS_ANNOTATION);
	uint32_t step_two = add(&w, two, "ProfilerStep#1", 20, 100, CLASS_ANNOTATION);
	uint32_t in_one = add(&w, one, "a", 50, 10, CLASS_OP);
	uint32_t in_two = add(&w, two, "b", 50, 10, CLASS_OP);
	uint32_t elsewhere = add(&w, loader, "c", 10, 10, CLASS_OP);
	build(&w);

	assert_int_equal(row_of(&w, step_one), w.m.steps[step_at(&w, in_one)].row);
	assert_int_equal(row_of(&w, step_two), w.m.steps[step_at(&w, in_two)].row);
	assert_int_equal(1, step_of(&w, elsewhere));
	world_release(&w);
}

static void steps_in_a_step_leave_it_what_begins_after_them(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	add(&w, thread, "ProfilerStep#99", 0, 1000, CLASS_ANNOTATION);
	for (int i = 0; i < 20; i++)
		add(&w, thread, "ProfilerStep#1", 10 + 10 * i, 5, CLASS_ANNOTATION);
	uint32_t between = add_op(&w, thread, "aten::mm", 206, 1, 5);
	uint32_t late = add_op(&w, thread, "aten::mm", 500, 100, 6);
	uint32_t last = add_op(&w, thread, "aten::mm", 1000, 100, 7);
	build(&w);

	assert_int_equal(99, step_of(&w, between));
	assert_int_equal(99, step_of(&w, late));
	assert_int_equal(-1, step_of(&w, last));
	world_release(&w);
}

static void an_engines_step_after_an_idle_one_begins_with_the_host(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1), stream = stream_in(&w, 7);

	add(&w, thread, "step[IDLE bs=0]", 0, 100, CLASS_ANNOTATION);
	add(&w, thread, "step[DECODE bs=2]", 100, 100, CLASS_ANNOTATION);
	add_launch(&w, thread, 110, 5, 901, NUMBER_NONE);
	add_kernel(&w, stream, 150, 150, 901, NUMBER_NONE);
	/* an operator's, whose call is not recorded: it moves no window */
	add_op(&w, thread, "aten::mm", 110, 20, 5);
	add_kernel(&w, stream, 400, 10, 902, 5);
	build(&w);

	assert_int_equal(2, w.m.nsteps);
	assert_int_equal(0, w.m.steps[0].from_ns);
	assert_int_equal(100, w.m.steps[1].from_ns);
	assert_int_equal(300, w.m.steps[1].to_ns);
	world_release(&w);
}

static void a_step_is_profilerstep_with_a_number(void **state)
{
	int64_t number;
	(void)state;

	assert_true(step_name_number(STR_LIT("ProfilerStep#12"), &number));
	assert_int_equal(12, number);
	assert_false(step_name_number(STR_LIT("ProfilerStep#"), &number));
	assert_false(step_name_number(STR_LIT("ProfilerStep*"), &number));
	assert_false(step_name_number(STR_LIT("ProfilerStep#x"), &number));
	assert_false(step_name_number(STR_LIT("ProfilerStep#1111111111111111111111111"),
				      &number));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_belongs_to_the_call_with_its_correlation),
		cmocka_unit_test(one_call_may_launch_many_kernels),
		cmocka_unit_test(
			a_kernel_without_correlation_belongs_where_its_arrow_begins),
		cmocka_unit_test(an_arrow_says_nothing_where_there_is_a_correlation),
		cmocka_unit_test(
			a_kernel_without_its_launch_keeps_its_operator_and_is_counted),
		cmocka_unit_test(
			an_external_id_that_is_the_correlation_names_no_operator),
		cmocka_unit_test(
			when_all_external_ids_are_correlations_the_time_of_the_launch_tells),
		cmocka_unit_test(
			an_external_id_that_names_an_operator_of_another_thread_is_not_believed),
		cmocka_unit_test(
			of_the_calls_with_one_correlation_the_first_1024_are_looked_at),
		cmocka_unit_test(
			of_two_calls_with_one_correlation_the_same_external_id_decides),
		cmocka_unit_test(else_the_last_call_before_the_work_does),
		cmocka_unit_test(work_that_seems_to_begin_before_its_launch_is_linked),
		cmocka_unit_test(
			work_outside_every_operator_is_charged_to_the_innermost_label),
		cmocka_unit_test(
			a_label_that_overlaps_python_frames_still_holds_its_launches),
		cmocka_unit_test(
			a_memory_event_belongs_to_the_innermost_operator_on_its_thread),
		cmocka_unit_test(a_host_slice_belongs_to_the_step_that_holds_its_start),
		cmocka_unit_test(device_work_belongs_to_the_step_of_its_launch),
		cmocka_unit_test(in_a_merged_file_a_rank_has_its_own_steps),
		cmocka_unit_test(steps_in_a_step_leave_it_what_begins_after_them),
		cmocka_unit_test(an_engines_step_after_an_idle_one_begins_with_the_host),
		cmocka_unit_test(a_step_is_profilerstep_with_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
