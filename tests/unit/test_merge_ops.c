/* Rows of op_stat over many profiles (store/merge_ops.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* After those four, which it wants before it. */
#include <cmocka.h>

#include "store/columns.h"
#include "store/merge_ops.h"

static void fill(struct bulk_cell *cells, int64_t profile, int64_t name)
{
	for (int i = 0; i < COL_OP_STAT_N; i++)
		cells[i] = bulk_int(1);
	cells[COL_OP_STAT_PROFILE_ID] = bulk_int(profile);
	cells[COL_OP_STAT_NAME_ID] = bulk_int(name);
	cells[COL_OP_STAT_STEP_ID] = bulk_null();
	cells[COL_OP_STAT_FLOPS] = bulk_null();
}

static void sums_and_the_first_call(void **state)
{
	struct merge_ops *m = merge_ops_new();
	struct bulk_cell a[COL_OP_STAT_N], b[COL_OP_STAT_N], sum[COL_OP_STAT_N];

	(void)state;
	fill(a, 1, 7);
	fill(b, 2, 7);
	a[COL_OP_STAT_FIRST_TS] = bulk_int(50);
	b[COL_OP_STAT_FIRST_TS] = bulk_int(40);
	b[COL_OP_STAT_IS_ASYNC] = bulk_int(0);
	b[COL_OP_STAT_FLOPS] = bulk_int(9);
	b[COL_OP_STAT_MAX_NS] = bulk_int(6);
	assert_true(merge_ops_add(m, a, false) && merge_ops_add(m, b, false));
	assert_int_equal(merge_ops_count(m), 1);
	merge_ops_row(m, 0, sum);
	assert_int_equal(sum[COL_OP_STAT_PROFILE_ID].number, 1);
	assert_int_equal(sum[COL_OP_STAT_FIRST_TS].number, 40);
	assert_int_equal(sum[COL_OP_STAT_IS_ASYNC].number, 0);
	assert_int_equal(sum[COL_OP_STAT_CALLS].number, 2);
	assert_int_equal(sum[COL_OP_STAT_FLOPS].number, 9);
	assert_int_equal(sum[COL_OP_STAT_MIN_NS].number, 1);
	assert_int_equal(sum[COL_OP_STAT_MAX_NS].number, 6);
	assert_int_equal(sum[COL_OP_STAT_STEP_ID].kind, BULK_NULL);
	merge_ops_free(m);
}

static void what_a_sum_cannot_hold_comes_after_what_was_written(void **state)
{
	struct merge_ops *m = merge_ops_new();
	struct bulk_cell row[COL_OP_STAT_N];

	(void)state;
	fill(row, 1, 7);
	row[COL_OP_STAT_SELF_NS] = bulk_int(INT64_MAX);
	assert_true(merge_ops_add(m, row, false));
	assert_false(merge_ops_add(m, row, false));
	merge_ops_forget(m);
	assert_int_equal(merge_ops_count(m), 0);
	assert_true(merge_ops_add(m, row, false));
	merge_ops_free(m);
}

static void steps_of_one_number_are_one(void **state)
{
	struct merge_ops *m = merge_ops_new();
	struct bulk_cell row[COL_OP_STAT_N];

	(void)state;
	merge_ops_add_step(m, 3, 100);
	merge_ops_add_step(m, 8, 100);
	merge_ops_add_step(m, 9, 101);
	for (int64_t step = 3; step < 10; step += step == 3 ? 5 : 1) {
		fill(row, step, 7);
		row[COL_OP_STAT_GRAIN] = bulk_int(2);
		row[COL_OP_STAT_STEP_ID] = bulk_int(step);
		assert_true(merge_ops_add(m, row, false));
	}
	assert_int_equal(merge_ops_count(m), 2);
	merge_ops_row(m, 0, row);
	assert_int_equal(row[COL_OP_STAT_STEP_ID].number, 3);
	assert_int_equal(row[COL_OP_STAT_CALLS].number, 2);
	merge_ops_free(m);
}

/* No inputs and no record of inputs are two things where inputs are shown. */
static void profiles_with_shapes_stay_apart(void **state)
{
	struct merge_ops *m = merge_ops_new();
	struct bulk_cell row[COL_OP_STAT_N];

	(void)state;
	for (int grain = 0; grain < 2; grain++)
		for (int has_shapes = 0; has_shapes < 2; has_shapes++) {
			fill(row, 1 + has_shapes, 7);
			row[COL_OP_STAT_GRAIN] = bulk_int(grain);
			assert_true(merge_ops_add(m, row, has_shapes));
		}
	assert_int_equal(merge_ops_count(m), 3);
	merge_ops_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_and_the_first_call),
		cmocka_unit_test(what_a_sum_cannot_hold_comes_after_what_was_written),
		cmocka_unit_test(steps_of_one_number_are_one),
		cmocka_unit_test(profiles_with_shapes_stay_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
