/* The operator tree by torch's rules: torch/autograd/profiler_util.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/optree.h"

enum name { A, B, C, D };

static struct op_node node(enum name name, int64_t start_ns, int64_t end_ns)
{
	return (struct op_node){ .start_ns = start_ns, .end_ns = end_ns, .name = name };
}

static void build(struct op_node *nodes, size_t n)
{
	struct sparse of_name = { .npages = 0 };

	optree_build(nodes, n, &of_name, NULL);
	for (enum name name = A; name <= D; name++)
		assert_int_equal(0, *SPARSE_AT(&of_name, uint32_t, name));
	sparse_release(&of_name);
}

static void a_child_lies_within_its_parent_and_takes_its_self_time(void **state)
{
	struct op_node n[] = { node(A, 0, 100), node(B, 10, 40), node(C, 20, 30),
			       node(D, 40, 100) };
	(void)state;
	build(n, 4);

	assert_int_equal(NODE_NONE, n[0].parent);
	assert_int_equal(0, n[1].parent);
	assert_int_equal(1, n[2].parent);
	assert_int_equal(0, n[3].parent);
	assert_int_equal(10, n[0].self_ns);
	assert_int_equal(20, n[1].self_ns);
	assert_int_equal(60, n[3].self_ns);
}

/* B sticks out of A, and so A is done with: what fits both is B's. */
static void a_partial_overlap_pops_the_earlier_one_for_good(void **state)
{
	struct op_node n[] = { node(A, 0, 100), node(B, 50, 120), node(C, 60, 90) };
	(void)state;
	build(n, 3);

	assert_int_equal(NODE_NONE, n[1].parent);
	assert_int_equal(1, n[2].parent);
	assert_int_equal(100, n[0].self_ns);
}

static void siblings_that_overlap_are_both_children_of_what_holds_them(void **state)
{
	struct op_node n[] = { node(A, 0, 100), node(B, 50, 70), node(C, 60, 80),
			       node(D, 65, 69) };
	(void)state;
	build(n, 4);

	assert_int_equal(0, n[1].parent);
	assert_int_equal(0, n[2].parent);
	assert_int_equal(2, n[3].parent);
	assert_int_equal(60, n[0].self_ns);
}

static void self_time_may_be_negative(void **state)
{
	struct op_node n[] = { node(A, 0, 30), node(B, 0, 20), node(C, 10, 30) };
	(void)state;
	build(n, 3);

	assert_int_equal(-10, n[0].self_ns);
}

static void a_range_of_no_length_is_nobodys_parent(void **state)
{
	struct op_node n[] = { node(A, 10, 10), node(B, 10, 10) };
	struct op_node at_end[] = { node(A, 0, 10), node(B, 10, 10) };
	(void)state;
	build(n, 2);
	build(at_end, 2);

	assert_int_equal(NODE_NONE, n[1].parent);
	assert_int_equal(NODE_NONE, at_end[1].parent);
}

static void of_identical_intervals_the_first_is_the_parent(void **state)
{
	struct op_node n[] = { node(A, 0, 10), node(B, 0, 10) };
	(void)state;
	build(n, 2);

	assert_int_equal(0, n[1].parent);
	assert_int_equal(0, n[0].self_ns);
}

static void an_asynchronous_range_has_no_parent_no_children_and_no_self_time(void **state)
{
	struct op_node n[] = { node(A, 0, 100), node(B, 10, 60), node(C, 20, 30) };
	(void)state;
	n[1].is_async = true;
	n[1].device_ns = 7;
	n[1].cpu_bytes = 64;
	build(n, 3);

	assert_int_equal(NODE_NONE, n[1].parent);
	assert_int_equal(0, n[2].parent);
	assert_int_equal(90, n[0].self_ns);
	assert_int_equal(0, n[1].self_ns);
	assert_int_equal(0, n[1].self_device_ns);
	assert_int_equal(0, n[1].self_cpu_bytes);
}

/* aten::sum calls aten::sum.dim_IntList: torch counts them once. */
static void an_only_child_of_its_parents_name_is_folded(void **state)
{
	struct op_node n[] = { node(A, 0, 100), node(A, 10, 90), node(B, 20, 50) };
	(void)state;
	build(n, 3);

	assert_false(n[0].folded);
	assert_true(n[1].folded);
	assert_int_equal(0, n[2].parent);
	assert_int_equal(70, n[0].self_ns);
}

static void a_chain_of_one_name_folds_into_its_first(void **state)
{
	struct op_node n[] = { node(A, 0, 100), node(A, 10, 90), node(A, 20, 80),
			       node(B, 30, 40) };
	(void)state;
	build(n, 4);

	assert_true(n[1].folded);
	assert_true(n[2].folded);
	assert_int_equal(0, n[3].parent);
	assert_int_equal(90, n[0].self_ns);
}

static void a_child_with_a_sibling_is_not_folded(void **state)
{
	struct op_node n[] = { node(A, 0, 100), node(A, 10, 40), node(B, 50, 60) };
	(void)state;
	build(n, 3);

	assert_false(n[1].folded);
	assert_true(n[1].recursive);
	assert_int_equal(60, n[0].self_ns);
}

static void the_folded_ones_children_do_not_fold_when_they_are_two(void **state)
{
	struct op_node n[] = { node(A, 0, 100), node(A, 10, 90), node(A, 20, 40),
			       node(B, 50, 60) };
	(void)state;
	build(n, 4);

	assert_true(n[1].folded);
	assert_false(n[2].folded);
	assert_int_equal(0, n[2].parent);
	assert_true(n[2].recursive);
}

/* torch loses the parent's own kernels when it takes the child's; we do not. */
static void folding_keeps_the_parents_own_device_work(void **state)
{
	struct op_node n[] = { node(A, 0, 100), node(A, 10, 90), node(B, 20, 50) };
	(void)state;
	n[0].device_ns = 5;
	n[1].device_ns = 7;
	n[2].device_ns = 11;
	build(n, 3);

	assert_int_equal(12, n[0].self_device_ns);
	assert_int_equal(23, n[0].total_device_ns);
	assert_int_equal(11, n[2].total_device_ns);
}

static void self_memory_is_what_children_did_not_allocate(void **state)
{
	struct op_node n[] = { node(A, 0, 100), node(A, 10, 90), node(B, 20, 50) };
	(void)state;
	n[0].cpu_bytes = 100;
	n[1].cpu_bytes = 100;
	n[2].cpu_bytes = 160;
	n[2].device_bytes = -8;
	build(n, 3);

	assert_int_equal(-60, n[0].self_cpu_bytes);
	assert_int_equal(160, n[2].self_cpu_bytes);
	assert_int_equal(8, n[0].self_device_bytes);
}

static void recursion_is_seen_through_other_names(void **state)
{
	struct op_node n[] = { node(A, 0, 100), node(B, 10, 90), node(A, 20, 80),
			       node(C, 85, 86) };
	(void)state;
	build(n, 4);

	assert_false(n[0].recursive);
	assert_false(n[1].recursive);
	assert_true(n[2].recursive);
}

static void recursion_is_seen_however_deep(void **state)
{
	static struct op_node n[10000];
	size_t last = sizeof(n) / sizeof(*n) - 1;
	(void)state;
	for (size_t i = 0; i < last; i++)
		n[i] = node(i == 0 ? A : i % 2 ? B : C, (int64_t)i, 50000 - (int64_t)i);
	n[last] = node(A, 20000, 20001);
	build(n, last + 1);

	assert_false(n[2].recursive);
	assert_true(n[last].recursive);
}

static void python_frames_and_other_slices_count_by_the_rules(void **state)
{
	const struct op_rules old = { 0 }, with_frames = { .python_in_tree = true };
	const struct op_rules all = { .all_slices = true };
	(void)state;

	assert_true(op_class_counts(CLASS_RUNTIME, &old));
	assert_false(op_class_counts(CLASS_PYTHON, &old));
	assert_true(op_class_counts(CLASS_PYTHON, &with_frames));
	assert_false(op_class_counts(CLASS_OTHER, &with_frames));
	assert_true(op_class_counts(CLASS_OTHER, &all));
	assert_false(op_class_counts(CLASS_KERNEL, &all));
	assert_false(op_class_counts(CLASS_SPAN, &all));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_lies_within_its_parent_and_takes_its_self_time),
		cmocka_unit_test(a_partial_overlap_pops_the_earlier_one_for_good),
		cmocka_unit_test(
			siblings_that_overlap_are_both_children_of_what_holds_them),
		cmocka_unit_test(self_time_may_be_negative),
		cmocka_unit_test(a_range_of_no_length_is_nobodys_parent),
		cmocka_unit_test(of_identical_intervals_the_first_is_the_parent),
		cmocka_unit_test(
			an_asynchronous_range_has_no_parent_no_children_and_no_self_time),
		cmocka_unit_test(an_only_child_of_its_parents_name_is_folded),
		cmocka_unit_test(a_chain_of_one_name_folds_into_its_first),
		cmocka_unit_test(a_child_with_a_sibling_is_not_folded),
		cmocka_unit_test(the_folded_ones_children_do_not_fold_when_they_are_two),
		cmocka_unit_test(folding_keeps_the_parents_own_device_work),
		cmocka_unit_test(self_memory_is_what_children_did_not_allocate),
		cmocka_unit_test(recursion_is_seen_through_other_names),
		cmocka_unit_test(recursion_is_seen_however_deep),
		cmocka_unit_test(python_frames_and_other_slices_count_by_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
