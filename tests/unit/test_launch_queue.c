/* Queues of streams: work that was launched and has not begun. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "query/devices/launch_queue.h"

#define NMOST 40

/* One stream. */
struct recording {
	struct work_item items[NMOST];
	struct work_stream stream;
	struct device_work work;
	struct launch_queue *queues;
	struct queue_walk walk;
};

static void add(struct recording *r, int64_t launch_ns, int64_t start_ns)
{
	r->items[r->work.n++] = (struct work_item){ .start_ns = start_ns,
						    .end_ns = start_ns,
						    .launch_id = launch_ns < 0 ? 0 : 1,
						    .launch_start_ns = launch_ns };
	r->stream.nitems++;
}

static void open_queue(struct recording *r)
{
	r->work.items = r->items;
	r->work.streams = &r->stream;
	r->work.nstreams = 1;
	r->queues = launch_queues(&r->work);
	r->walk = (struct queue_walk){ .queue = &r->queues[0] };
}

static void part_is(struct recording *r, int64_t from_ns, int64_t to_ns,
		    int64_t waiting_ns, int64_t max)
{
	struct queue_part part = queue_walk_to(&r->walk, from_ns, to_ns);

	assert_int_equal(waiting_ns, part.waiting_ns);
	assert_int_equal(max, part.max);
}

static void work_waits_from_its_launch_to_its_start(void **state)
{
	struct recording r = { .work.n = 0 };

	(void)state;
	add(&r, 10, 30);
	add(&r, 20, 40);
	open_queue(&r);
	assert_int_equal(2, r.queues[0].launched);
	assert_int_equal(10, r.queues[0].from_ns);
	assert_int_equal(40, r.queues[0].to_ns);
	part_is(&r, 0, 10, 0, 0);
	part_is(&r, 10, 25, 20, 2);
	part_is(&r, 25, 30, 10, 2);
	part_is(&r, 30, 100, 10, 1);
	launch_queues_free(r.queues, 1);
}

static void what_leaves_as_another_comes_is_not_there_with_it(void **state)
{
	struct recording r = { .work.n = 0 };

	(void)state;
	add(&r, 0, 10);
	add(&r, 10, 20);
	open_queue(&r);
	part_is(&r, 0, 20, 20, 1);
	launch_queues_free(r.queues, 1);
}

static void a_graph_puts_in_all_its_kernels_at_once(void **state)
{
	struct recording r = { .work.n = 0 };

	(void)state;
	for (int64_t i = 0; i < NMOST; i++)
		add(&r, 100, 110 + i);
	open_queue(&r);
	part_is(&r, 0, 110, INT64_C(10) * NMOST, NMOST);
	part_is(&r, 110, 111, NMOST - 1, NMOST - 1);
	launch_queues_free(r.queues, 1);
}

static void work_before_its_launch_or_without_one_never_waits(void **state)
{
	struct recording r = { .work.n = 0 };

	(void)state;
	add(&r, 50, 40);
	add(&r, 60, 60);
	add(&r, -1, 70);
	open_queue(&r);
	assert_int_equal(2, r.queues[0].launched);
	part_is(&r, 0, 100, 0, 0);
	launch_queues_free(r.queues, 1);
}

static void a_walk_may_leave_out_times_and_begin_late(void **state)
{
	struct recording r = { .work.n = 0 };

	(void)state;
	add(&r, 0, 100);
	add(&r, 5, 50);
	open_queue(&r);
	part_is(&r, 10, 20, 20, 2);
	part_is(&r, 60, 70, 10, 1);
	part_is(&r, 70, 70, 0, 0);
	launch_queues_free(r.queues, 1);
}

static void times_at_the_ends_of_the_range_do_not_overflow(void **state)
{
	struct recording r = { .work.n = 0 };

	(void)state;
	add(&r, 0, INT64_MAX);
	add(&r, 0, INT64_MAX);
	open_queue(&r);
	part_is(&r, 0, INT64_MAX, INT64_MAX, 2);
	launch_queues_free(r.queues, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_waits_from_its_launch_to_its_start),
		cmocka_unit_test(what_leaves_as_another_comes_is_not_there_with_it),
		cmocka_unit_test(a_graph_puts_in_all_its_kernels_at_once),
		cmocka_unit_test(work_before_its_launch_or_without_one_never_waits),
		cmocka_unit_test(a_walk_may_leave_out_times_and_begin_late),
		cmocka_unit_test(times_at_the_ends_of_the_range_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
