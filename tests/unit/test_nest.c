/* The tree of slices: every slice of a track has its place, and self times add up. */
#include "modeling.h"

static void build(struct world *w)
{
	order_rows(&w->m);
	nest_rows(&w->m);
}

static uint32_t parent_of(const struct world *w, uint32_t slice)
{
	return slice_of(w, w->m.parent[row_of(w, slice)]);
}

static int64_t self_of(const struct world *w, uint32_t slice)
{
	return row_self_ns(&w->m, row_of(w, slice));
}

static unsigned depth_of(const struct world *w, uint32_t slice)
{
	unsigned depth = 0;

	for (uint32_t row = row_of(w, slice); w->m.parent[row] != ROW_NONE; depth++)
		row = w->m.parent[row];
	return depth;
}

static void self_time_is_the_duration_less_direct_children(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t root = add(&w, thread, "root", 0, 100, CLASS_OP);
	uint32_t child = add(&w, thread, "child", 10, 50, CLASS_OP);
	uint32_t grandchild = add(&w, thread, "grandchild", 20, 30, CLASS_OP);
	uint32_t second = add(&w, thread, "second", 70, 10, CLASS_OP);
	build(&w);

	assert_int_equal(ROW_NONE, parent_of(&w, root));
	assert_int_equal(root, parent_of(&w, child));
	assert_int_equal(child, parent_of(&w, grandchild));
	assert_int_equal(root, parent_of(&w, second));
	assert_int_equal(0, depth_of(&w, root));
	assert_int_equal(2, depth_of(&w, grandchild));
	assert_int_equal(40, self_of(&w, root));
	assert_int_equal(20, self_of(&w, child));
	assert_int_equal(30, self_of(&w, grandchild));
	world_release(&w);
}

static void a_child_that_overruns_is_clipped_and_counted(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t parent = add(&w, thread, "parent", 0, 100, CLASS_OP);
	uint32_t over = add(&w, thread, "over", 60, 90, CLASS_OP);
	uint32_t next = add(&w, thread, "next", 120, 10, CLASS_OP);
	build(&w);

	assert_int_equal(parent, parent_of(&w, over));
	assert_int_equal(60, self_of(&w, parent));
	assert_int_equal(40, self_of(&w, over));
	assert_lasts(&w, over, 60, 90);
	assert_int_equal(ROW_NONE, parent_of(&w, next));
	assert_int_equal(1, count_findings(&w, FINDING_CHILD_OVERRUNS));
	world_release(&w);
}

static void what_fits_into_an_overrunning_slice_is_no_second_finding(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	add(&w, thread, "parent", 0, 100, CLASS_OP);
	uint32_t over = add(&w, thread, "over", 60, 90, CLASS_OP);
	uint32_t within = add(&w, thread, "within", 90, 20, CLASS_OP);
	build(&w);

	assert_int_equal(over, parent_of(&w, within));
	assert_int_equal(10, self_of(&w, within));
	assert_int_equal(1, count_findings(&w, FINDING_CHILD_OVERRUNS));
	world_release(&w);
}

static void of_identical_intervals_the_first_is_the_parent(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t first = add(&w, thread, "a", 0, 100, CLASS_OP);
	uint32_t second = add(&w, thread, "b", 0, 100, CLASS_OP);
	build(&w);

	assert_int_equal(first, parent_of(&w, second));
	assert_int_equal(0, self_of(&w, first));
	assert_int_equal(100, self_of(&w, second));
	world_release(&w);
}

static void a_slice_of_no_length_has_no_children(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t root = add(&w, thread, "root", 0, 100, CLASS_OP);
	uint32_t point = add(&w, thread, "point", 50, 0, CLASS_OP);
	uint32_t other = add(&w, thread, "other", 50, 0, CLASS_OP);
	uint32_t at_end = add(&w, thread, "at its end", 100, 0, CLASS_OP);
	build(&w);

	assert_int_equal(root, parent_of(&w, point));
	assert_int_equal(root, parent_of(&w, other));
	assert_int_equal(ROW_NONE, parent_of(&w, at_end));
	assert_int_equal(0, self_of(&w, point));
	assert_int_equal(100, self_of(&w, root));
	world_release(&w);
}

/* Traces in whole microseconds: what ran for none may stand before what it ran in. */
static void a_parent_may_stand_behind_its_children_of_no_length(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t first = add(&w, thread, "child", 1000, 0, CLASS_OP);
	uint32_t second = add(&w, thread, "child", 1000, 0, CLASS_OP);
	uint32_t inner = add(&w, thread, "inner", 1000, 1000, CLASS_OP);
	uint32_t outer = add(&w, thread, "outer", 1000, 3000, CLASS_OP);
	uint32_t twin = add(&w, thread, "outer", 1000, 3000, CLASS_OP);
	build(&w);

	assert_int_equal(ROW_NONE, parent_of(&w, outer));
	assert_int_equal(outer, parent_of(&w, twin));
	assert_int_equal(twin, parent_of(&w, inner));
	assert_int_equal(inner, parent_of(&w, first));
	assert_int_equal(inner, parent_of(&w, second));
	assert_int_equal(0, self_of(&w, outer));
	assert_int_equal(2000, self_of(&w, twin));
	world_release(&w);
}

static void a_slice_that_begins_where_another_ends_is_its_sibling(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	add(&w, thread, "a", 0, 50, CLASS_OP);
	uint32_t b = add(&w, thread, "b", 50, 50, CLASS_OP);
	build(&w);

	assert_int_equal(ROW_NONE, parent_of(&w, b));
	world_release(&w);
}

static void work_of_a_stream_does_not_nest(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t stream = stream_in(&w, 7);

	add_kernel(&w, stream, 0, 100, 1, NUMBER_NONE);
	uint32_t inside = add_kernel(&w, stream, 10, 20, 2, NUMBER_NONE);
	build(&w);

	assert_int_equal(ROW_NONE, parent_of(&w, inside));
	assert_int_equal(20, self_of(&w, inside));
	assert_int_equal(0, count_findings(&w, FINDING_CHILD_OVERRUNS));
	world_release(&w);
}

static void threads_of_one_number_in_two_processes_are_two(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);

	add(&w, track_in(&w, TRACK_THREAD, 1, 9), "a", 0, 100, CLASS_OP);
	uint32_t b = add(&w, track_in(&w, TRACK_THREAD, 2, 9), "b", 10, 20, CLASS_OP);
	build(&w);

	assert_int_equal(2, w.m.ntracks);
	assert_int_equal(ROW_NONE, parent_of(&w, b));
	world_release(&w);
}

/* Every way two slices can lie to each other, in every order of the file. */
static void self_times_add_up_to_the_roots_whatever_overlaps(void **state)
{
	unsigned random = 1;
	(void)state;

	for (int round = 0; round < 200; round++) {
		struct world w;
		int64_t roots_ns = 0, selves_ns = 0;
		world_init(&w);
		uint32_t thread = thread_in(&w, 1);
		for (int i = 0; i < 30; i++) {
			random = random * 1103515245u + 12345u;
			add(&w, thread, "x", random >> 16 & 63, random >> 22 & 31,
			    CLASS_OP);
		}
		build(&w);
		for (uint32_t row = 0; row < w.m.nrows; row++) {
			assert_true(row_self_ns(&w.m, row) >= 0);
			selves_ns += row_self_ns(&w.m, row);
			if (w.m.parent[row] == ROW_NONE)
				roots_ns += model_slice(&w.m, row)->dur_ns;
		}
		assert_int_equal(roots_ns, selves_ns);
		world_release(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(self_time_is_the_duration_less_direct_children),
		cmocka_unit_test(a_child_that_overruns_is_clipped_and_counted),
		cmocka_unit_test(
			what_fits_into_an_overrunning_slice_is_no_second_finding),
		cmocka_unit_test(of_identical_intervals_the_first_is_the_parent),
		cmocka_unit_test(a_slice_of_no_length_has_no_children),
		cmocka_unit_test(a_parent_may_stand_behind_its_children_of_no_length),
		cmocka_unit_test(a_slice_that_begins_where_another_ends_is_its_sibling),
		cmocka_unit_test(work_of_a_stream_does_not_nest),
		cmocka_unit_test(threads_of_one_number_in_two_processes_are_two),
		cmocka_unit_test(self_times_add_up_to_the_roots_whatever_overlaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
