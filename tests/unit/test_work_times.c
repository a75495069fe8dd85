/* What device work took together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "query/devices/work_times.h"

#define NMOST 8

/* One device with two streams. */
struct recording {
	struct work_item items[NMOST];
	struct work_stream streams[2];
	struct work_device device;
	struct device_work work;
};

static void add(struct recording *r, uint32_t stream, enum work_kind kind,
		struct interval at)
{
	r->work.streams = r->streams;
	r->work.nstreams = 2;
	r->work.devices = &r->device;
	r->work.ndevices = 1;
	r->work.items = r->items;
	r->items[r->work.n++] = (struct work_item){ .start_ns = at.start_ns,
						    .end_ns = at.end_ns,
						    .stream = stream,
						    .kind = (uint8_t)kind };
	r->device.n = r->work.n;
	r->streams[stream].nitems++;
}

static struct work_times of_device(const struct recording *r)
{
	struct err err = ERR_INIT;
	struct work_times *all = work_times_of_devices(&r->work, &err);

	assert_non_null(all);
	const struct work_times times = all[0];
	free(all);
	assert_int_equal(times.span_ns, times.busy_ns + times.idle_ns);
	assert_int_equal(times.busy_ns, times.compute_ns + times.exposed_comm_ns +
						times.exposed_copy_ns);
	assert_int_equal(times.communication_ns,
			 times.exposed_comm_ns + times.overlap_ns);
	return times;
}

static void work_side_by_side_counts_once(void **state)
{
	struct recording r = { .work.n = 0 };

	(void)state;
	add(&r, 0, WORK_COMPUTE, (struct interval){ 10, 20 });
	add(&r, 1, WORK_COMPUTE, (struct interval){ 15, 30 });
	add(&r, 0, WORK_COMPUTE, (struct interval){ 40, 50 });
	const struct work_times times = of_device(&r);
	assert_int_equal(40, times.span_ns);
	assert_int_equal(30, times.busy_ns);
	assert_int_equal(35, times.sum_ns);
	assert_int_equal(3, times.events);
}

static void communication_is_exposed_where_nothing_computes(void **state)
{
	struct recording r = { .work.n = 0 };

	(void)state;
	add(&r, 0, WORK_COMPUTE, (struct interval){ 0, 10 });
	add(&r, 1, WORK_COMMUNICATION, (struct interval){ 4, 25 });
	add(&r, 0, WORK_MEMCPY, (struct interval){ 8, 27 });
	add(&r, 0, WORK_MEMSET, (struct interval){ 27, 30 });
	const struct work_times times = of_device(&r);
	assert_int_equal(6, times.overlap_ns);
	assert_int_equal(15, times.exposed_comm_ns);
	assert_int_equal(5, times.exposed_copy_ns);
	assert_int_equal(22, times.memory_ns);
	assert_int_equal(30, times.busy_ns);
	assert_int_equal(2, times.kernels);
}

static void streams_are_apart(void **state)
{
	struct recording r = { .work.n = 0 };
	struct err err = ERR_INIT;

	(void)state;
	add(&r, 0, WORK_COMPUTE, (struct interval){ 0, 10 });
	add(&r, 1, WORK_COMMUNICATION, (struct interval){ 5, 12 });
	struct work_times *times = work_times_of_streams(&r.work, &err);
	assert_non_null(times);
	assert_int_equal(10, times[0].busy_ns);
	assert_int_equal(0, times[0].communication_ns);
	assert_int_equal(7, times[1].exposed_comm_ns);
	free(times);
}

static void work_of_no_length_is_in_the_span(void **state)
{
	struct recording r = { .work.n = 0 };

	(void)state;
	add(&r, 0, WORK_COMPUTE, (struct interval){ 5, 5 });
	add(&r, 0, WORK_COMPUTE, (struct interval){ 7, 8 });
	const struct work_times times = of_device(&r);
	assert_int_equal(3, times.span_ns);
	assert_int_equal(1, times.busy_ns);
	assert_int_equal(2, times.events);
}

static void times_too_far_apart_are_an_error(void **state)
{
	struct recording r = { .work.n = 0 };
	struct err err = ERR_INIT;

	(void)state;
	add(&r, 0, WORK_COMPUTE, (struct interval){ INT64_MIN, INT64_MIN + 1 });
	add(&r, 0, WORK_COMPUTE, (struct interval){ 7, INT64_MAX });
	assert_null(work_times_of_devices(&r.work, &err));
	assert_int_equal(ERR_INPUT, err.kind);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_side_by_side_counts_once),
		cmocka_unit_test(communication_is_exposed_where_nothing_computes),
		cmocka_unit_test(streams_are_apart),
		cmocka_unit_test(work_of_no_length_is_in_the_span),
		cmocka_unit_test(times_too_far_apart_are_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
