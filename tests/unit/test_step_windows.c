/* The windows of steps, and the one that is all of a recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/steps/step_windows.h"

static void is_one_window(struct step_windows *w, int64_t start_ns, int64_t end_ns)
{
	assert_int_equal(1, w->n);
	assert_true(w->is_single);
	assert_int_equal(start_ns, w->items[0].start_ns);
	assert_int_equal(end_ns, w->items[0].end_ns);
	assert_int_equal(0, w->items[0].step_id);
	assert_int_equal(0, w->items[0].number);
	step_windows_release(w);
}

static void a_recording_lasts_from_its_first_operator_or_work_to_its_last(void **state)
{
	struct work_item items[] = { { .start_ns = 90, .end_ns = 95 },
				     { .start_ns = 10, .end_ns = 200 },
				     { .start_ns = 150, .end_ns = 160 } };
	const struct device_work work = { .items = items, .n = 3 };
	struct step_windows w = { .has_operators = true, .operators = { 40, 70 } };

	(void)state;
	step_windows_whole(&w, &work);
	is_one_window(&w, 10, 200);
	w = (struct step_windows){ .has_operators = true, .operators = { 5, 300 } };
	step_windows_whole(&w, &work);
	is_one_window(&w, 5, 300);
}

static void without_operators_it_is_all_of_the_device_work(void **state)
{
	struct work_item items[] = { { .start_ns = -7, .end_ns = 20 },
				     { .start_ns = 2, .end_ns = 3 } };
	const struct device_work work = { .items = items, .n = 2 };
	struct step_windows w = { .n = 0 };

	(void)state;
	step_windows_whole(&w, &work);
	is_one_window(&w, -7, 20);
}

static void without_device_work_it_is_all_of_the_operators(void **state)
{
	const struct device_work none = { .n = 0 };
	struct step_windows w = { .has_operators = true, .operators = { 3, 3 } };

	(void)state;
	step_windows_whole(&w, &none);
	is_one_window(&w, 3, 3);
	step_windows_whole(&w, &none);
	assert_int_equal(0, w.n);
}

static void time_of_steps_that_overlap_counts_once(void **state)
{
	struct step_window items[] = { { .step_id = 1, .start_ns = 0, .end_ns = 10 },
				       { .step_id = 2, .start_ns = 5, .end_ns = 20 },
				       { .step_id = 3, .start_ns = 20, .end_ns = 30 },
				       { .step_id = 4, .start_ns = 40, .end_ns = 40 },
				       { .step_id = 5, .start_ns = 50, .end_ns = 60 } };
	const struct step_windows w = { .items = items, .n = 5 };
	struct intervals set;

	(void)state;
	step_windows_union(&w, &set);
	assert_int_equal(2, set.n);
	assert_int_equal(0, set.items[0].start_ns);
	assert_int_equal(30, set.items[0].end_ns);
	assert_int_equal(50, set.items[1].start_ns);
	assert_int_equal(40, intervals_length(&set));
	intervals_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_recording_lasts_from_its_first_operator_or_work_to_its_last),
		cmocka_unit_test(without_operators_it_is_all_of_the_device_work),
		cmocka_unit_test(without_device_work_it_is_all_of_the_operators),
		cmocka_unit_test(time_of_steps_that_overlap_counts_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
