/* How well a device was used, in a window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "query/devices/device_figures.h"

#define NMOST 2000
#define NEAR  1e-9

struct recording {
	struct work_item items[NMOST];
	struct kernel_load loads[NMOST];
	struct work_device device;
	struct device_work work;
};

static void add(struct recording *r, struct interval at, double blocks, double occupancy)
{
	r->work.items = r->items;
	r->loads[r->work.n] = (struct kernel_load){ blocks, occupancy };
	r->items[r->work.n++] = (struct work_item){ .start_ns = at.start_ns,
						    .end_ns = at.end_ns,
						    .name = TEXT_NONE,
						    .class = CLASS_KERNEL };
	r->device.n = r->work.n;
}

static struct device_figures figures_in(const struct recording *r, int64_t from_ns,
					int64_t to_ns)
{
	const struct figures_window window = { from_ns, to_ns, true };
	const struct text_pool texts = { .stmt = NULL };

	return device_figures(&r->work, &r->device, r->loads, &texts, window, 0);
}

static void is_near(double expected, double value)
{
	assert_true(value > expected - NEAR && value < expected + NEAR);
}

/* The case of the plugin's own test. */
static void blocks_add_up_to_one_at_most(void **state)
{
	static struct recording r;

	(void)state;
	add(&r, (struct interval){ 130, 140 }, 0.5, 0.6);
	add(&r, (struct interval){ 135, 150 }, 0.6, 0.1);
	add(&r, (struct interval){ 145, 170 }, 0.3, 1.0);
	add(&r, (struct interval){ 150, 150 }, 0.3, 0.2);
	add(&r, (struct interval){ 200, 220 }, 10.5, 0.3);
	const struct device_figures f = figures_in(&r, 100, 220);
	is_near(50.0, f.utilization_pct);
	is_near(41.0 / 1.2, f.sm_efficiency_pct);
	is_near(38.5 / 70.0, f.occupancy_pct);
}

static void what_lies_outside_the_window_does_not_count(void **state)
{
	static struct recording r;

	(void)state;
	add(&r, (struct interval){ 0, 50 }, 1, 10);
	add(&r, (struct interval){ 90, 200 }, 1, 30);
	struct device_figures f = figures_in(&r, 40, 100);
	is_near(100 * 20 / 60.0, f.utilization_pct);
	is_near(20.0, f.occupancy_pct);
	f = figures_in(&r, 60, 80);
	is_near(0, f.utilization_pct);
	assert_true(f.sm_efficiency_pct < 0);
	assert_true(f.occupancy_pct < 0);
}

static void nothing_is_left_over_when_blocks_are_taken_away(void **state)
{
	static struct recording r;

	(void)state;
	for (int64_t i = 0; i < NMOST; i += 2) {
		add(&r, (struct interval){ i * 10, i * 10 + 3 }, 0.1, -1);
		add(&r, (struct interval){ i * 10 + 1, i * 10 + 3 }, 0.7, -1);
	}
	/* 0.1 for 1 ns and 0.8 for 2 ns of each 20 ns */
	is_near(100 * 1.7 / 20, figures_in(&r, 0, (int64_t)NMOST * 10).sm_efficiency_pct);
}

static void copies_are_no_use_of_a_device(void **state)
{
	static struct recording r;

	(void)state;
	add(&r, (struct interval){ 0, 10 }, -1, -1);
	r.items[0].class = CLASS_MEMCPY;
	const struct device_figures f = figures_in(&r, 0, 10);
	is_near(0, f.utilization_pct);
	assert_int_equal(0, f.kernel_ns);
}

static void the_window_is_that_of_the_steps_that_are_shown(void **state)
{
	struct step_bound steps[] = {
		{ .step_id = 1, .number = 3, .start_ns = 10, .end_ns = 40 },
		{ .step_id = 2, .number = 4, .start_ns = 40, .end_ns = 90 },
		{ .step_id = 3,
		  .number = 5,
		  .start_ns = 90,
		  .end_ns = 95,
		  .is_dropped = true },
	};
	const struct step_bounds bounds = { .items = steps, .n = 3 };
	const struct filter none = { .focus = NULL };
	const struct filter last = { .has_steps = true, .first_step = 5, .last_step = 5 };
	const struct filter cut = { .has_times = true, .from_ns = 20, .to_ns = 50 };

	(void)state;
	struct figures_window w = figures_window(&bounds, 1, &none);
	assert_true(w.is_known);
	assert_int_equal(10, w.from_ns);
	assert_int_equal(90, w.to_ns);
	assert_false(figures_window(&bounds, 1, &last).is_known);
	w = figures_window(&bounds, 1, &cut);
	assert_int_equal(20, w.from_ns);
	assert_int_equal(50, w.to_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_add_up_to_one_at_most),
		cmocka_unit_test(what_lies_outside_the_window_does_not_count),
		cmocka_unit_test(nothing_is_left_over_when_blocks_are_taken_away),
		cmocka_unit_test(copies_are_no_use_of_a_device),
		cmocka_unit_test(the_window_is_that_of_the_steps_that_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
