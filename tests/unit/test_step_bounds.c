/* Bounds of steps, as the TensorBoard plugin moves them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "query/steps/step_bounds.h"

#define NMOST   8
#define NROUNDS 20000

struct recording {
	struct step_bound steps[NMOST];
	struct work_item items[NMOST];
	struct step_bounds bounds;
	struct device_work work;
};

static void add_step(struct recording *r, int64_t start_ns, int64_t end_ns)
{
	r->bounds.items = r->steps;
	r->steps[r->bounds.n] = (struct step_bound){ .number = (int64_t)r->bounds.n,
						     .host_start_ns = start_ns,
						     .host_end_ns = end_ns };
	r->bounds.n++;
}

static void add_work(struct recording *r, struct interval call, int64_t start_ns,
		     int64_t end_ns)
{
	r->work.items = r->items;
	r->items[r->work.n++] = (struct work_item){ .start_ns = start_ns,
						    .end_ns = end_ns,
						    .launch_id = 1,
						    .launch_start_ns = call.start_ns,
						    .launch_end_ns = call.end_ns };
}

static void add_unlaunched(struct recording *r, int64_t start_ns, int64_t end_ns)
{
	add_work(r, (struct interval){ 0, 0 }, start_ns, end_ns);
	r->items[r->work.n - 1].launch_id = 0;
}

static void is_from_to(const struct recording *r, size_t step, int64_t start_ns,
		       int64_t end_ns)
{
	assert_int_equal(start_ns, r->steps[step].start_ns);
	assert_int_equal(end_ns, r->steps[step].end_ns);
}

static void without_device_work_the_bounds_are_the_hosts(void **state)
{
	struct recording r = { .bounds.n = 0 };

	(void)state;
	add_step(&r, 10, 50);
	add_step(&r, 40, 90);
	step_bounds_move(&r.bounds, &r.work);
	assert_false(r.bounds.is_moved);
	is_from_to(&r, 0, 10, 50);
	is_from_to(&r, 1, 40, 90);
	assert_false(r.steps[1].is_dropped);
}

static void a_step_ends_with_its_last_work_and_pushes_the_next(void **state)
{
	struct recording r = { .bounds.n = 0 };

	(void)state;
	add_step(&r, 0, 100);
	add_step(&r, 100, 200);
	add_work(&r, (struct interval){ 20, 25 }, 60, 140);
	add_work(&r, (struct interval){ 120, 125 }, 140, 150);
	step_bounds_move(&r.bounds, &r.work);
	is_from_to(&r, 0, 0, 140);
	is_from_to(&r, 1, 140, 200);
}

static void a_step_inside_the_work_of_the_one_before_is_empty(void **state)
{
	struct recording r = { .bounds.n = 0 };

	(void)state;
	add_step(&r, 0, 100);
	add_step(&r, 100, 200);
	add_step(&r, 200, 300);
	add_work(&r, (struct interval){ 20, 25 }, 60, 250);
	add_work(&r, (struct interval){ 220, 225 }, 260, 280);
	step_bounds_move(&r.bounds, &r.work);
	is_from_to(&r, 1, 250, 250);
	is_from_to(&r, 2, 250, 300);
	assert_false(r.steps[1].is_dropped);
}

static void a_call_across_the_end_of_a_step_counts_for_none(void **state)
{
	struct recording r = { .bounds.n = 0 };

	(void)state;
	add_step(&r, 0, 100);
	add_step(&r, 100, 200);
	add_work(&r, (struct interval){ 10, 100 }, 50, 60);
	add_work(&r, (struct interval){ 99, 101 }, 120, 500);
	add_work(&r, (struct interval){ 100, 110 }, 130, 140);
	step_bounds_move(&r.bounds, &r.work);
	assert_int_equal(1, r.steps[0].nwork);
	assert_int_equal(1, r.steps[1].nwork);
	is_from_to(&r, 1, 100, 200);
}

static void the_first_step_begins_behind_work_of_no_step(void **state)
{
	struct recording r = { .bounds.n = 0 };

	(void)state;
	add_step(&r, 100, 200);
	add_unlaunched(&r, 90, 120);
	add_work(&r, (struct interval){ 50, 60 }, 100, 130);
	add_work(&r, (struct interval){ 110, 115 }, 150, 160);
	add_unlaunched(&r, 140, 150); /* ends with the first work: not before it */
	step_bounds_move(&r.bounds, &r.work);
	is_from_to(&r, 0, 130, 200);
	assert_int_equal(1, r.steps[0].nwork);
}

static void last_steps_without_work_are_dropped(void **state)
{
	struct recording r = { .bounds.n = 0 };

	(void)state;
	add_step(&r, 0, 100);
	add_step(&r, 100, 200);
	add_step(&r, 200, 300);
	add_work(&r, (struct interval){ 10, 20 }, 30, 40);
	step_bounds_move(&r.bounds, &r.work);
	assert_false(r.steps[0].is_dropped);
	assert_true(r.steps[1].is_dropped && r.steps[2].is_dropped);
	is_from_to(&r, 2, 200, 300); /* it is still told */
}

static void a_last_step_with_less_than_four_fifths_of_the_work_is_dropped(void **state)
{
	(void)state;
	for (int last = 3; last <= 5; last++) {
		struct work_item items[10];
		struct recording r = { .bounds.n = 0 };
		add_step(&r, 0, 100);
		add_step(&r, 100, 200);
		for (int i = 0; i < 5 + last; i++)
			items[i] = (struct work_item){
				.start_ns = 10,
				.end_ns = 20,
				.launch_id = 1,
				.launch_start_ns = i < 5 ? 5 : 105,
				.launch_end_ns = i < 5 ? 6 : 106,
			};
		r.work.items = items;
		r.work.n = 5 + (size_t)last;
		step_bounds_move(&r.bounds, &r.work);
		assert_int_equal(last < 4, r.steps[1].is_dropped);
		assert_false(r.steps[0].is_dropped);
	}
}

/* The step that a call counts for by the definition, for steps that do not overlap. */
static size_t step_of(const struct recording *r, const struct work_item *item)
{
	size_t i = 0;

	while (i < r->bounds.n &&
	       (!item->launch_id || item->launch_start_ns < r->steps[i].host_start_ns ||
		item->launch_end_ns > r->steps[i].host_end_ns))
		i++;
	return i;
}

static void at_random_each_step_holds_what_it_launched_and_none_overlap(void **state)
{
	(void)state;
	srand(7);
	for (int round = 0; round < NROUNDS; round++) {
		struct recording r = { .bounds.n = 0 };
		size_t counts[NMOST + 1] = { 0 };
		int64_t at = 10 + rand() % 5;
		for (int n = 1 + rand() % 4; n > 0; n--) {
			int64_t end = at + 1 + rand() % 20;
			add_step(&r, at, end);
			at = end + rand() % 3;
		}
		for (int n = rand() % NMOST; n > 0; n--) {
			int64_t call = rand() % 90, start = rand() % 120;
			add_work(&r, (struct interval){ call, call + 1 + rand() % 9 },
				 start, start + rand() % 30);
		}
		step_bounds_move(&r.bounds, &r.work);
		for (size_t i = 0; i < r.work.n; i++) {
			size_t in = step_of(&r, &r.items[i]);
			counts[in]++;
			if (in < r.bounds.n)
				assert_true(r.items[i].end_ns <= r.steps[in].end_ns);
		}
		for (size_t i = 0; i < r.bounds.n; i++) {
			assert_int_equal(counts[i], r.steps[i].nwork);
			assert_true(r.steps[i].start_ns <= r.steps[i].end_ns);
			assert_true(r.steps[i].start_ns >= r.steps[i].host_start_ns);
			if (i)
				assert_true(r.steps[i - 1].end_ns <= r.steps[i].start_ns);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_device_work_the_bounds_are_the_hosts),
		cmocka_unit_test(a_step_ends_with_its_last_work_and_pushes_the_next),
		cmocka_unit_test(a_step_inside_the_work_of_the_one_before_is_empty),
		cmocka_unit_test(a_call_across_the_end_of_a_step_counts_for_none),
		cmocka_unit_test(the_first_step_begins_behind_work_of_no_step),
		cmocka_unit_test(last_steps_without_work_are_dropped),
		cmocka_unit_test(
			a_last_step_with_less_than_four_fifths_of_the_work_is_dropped),
		cmocka_unit_test(
			at_random_each_step_holds_what_it_launched_and_none_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
