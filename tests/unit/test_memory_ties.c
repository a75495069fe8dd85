/*
 * Memory events of one moment, in the order that their totals tell; names of devices; cells
 * of curves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest/sink.h"
#include "query/memory/memory_device.h"
#include "query/memory/memory_events.h"
#include "query/memory/memory_source.h"

static struct memory_event event(int64_t bytes, int64_t total)
{
	return (struct memory_event){ .ts_ns = 5, .bytes = bytes, .total_bytes = total };
}

static void adds_up(const struct memory_event *e, size_t n, int64_t level)
{
	for (size_t i = 0; i < n; i++) {
		level += e[i].bytes;
		assert_int_equal(level, e[i].total_bytes);
	}
}

static void a_chain_is_put_in_order(void **state)
{
	struct memory_event e[] = { event(3, 16), event(-10, 6), event(10, 13),
				    event(3, 3) };

	(void)state;
	memory_ties_order(e, 4, 0);
	adds_up(e, 4, 0);
}

/* From 0 to 5 there are two ways, and only one of them leaves none behind. */
static void a_way_that_leaves_events_behind_is_not_taken(void **state)
{
	struct memory_event e[] = { event(7, 7), event(5, 5), event(-5, 0) };

	(void)state;
	memory_ties_order(e, 3, 0);
	adds_up(e, 3, 0);
}

static void what_fits_nowhere_stays_behind(void **state)
{
	struct memory_event e[] = { event(1, 1000), event(2, 5), event(3, 3) };

	(void)state;
	memory_ties_order(e, 3, 0);
	adds_up(e, 2, 0);
	assert_int_equal(1000, e[2].total_bytes);
}

static void without_totals_all_stay(void **state)
{
	struct memory_event e[] = { event(3, 8), event(5, NUMBER_NONE), event(1, 1) };

	(void)state;
	memory_ties_order(e, 3, 0);
	assert_int_equal(3, e[0].bytes);
	assert_int_equal(1, e[2].bytes);
	assert_int_equal(5, memory_ties_start(e, 3));
}

static void the_start_is_left_once_more_than_it_is_reached(void **state)
{
	struct memory_event e[] = { event(7, 107), event(-5, 100), event(5, 105) };

	(void)state;
	assert_int_equal(100, memory_ties_start(e, 3));
}

static void what_follows_tells_where_a_ring_began(void **state)
{
	struct memory_event e[] = { event(-5, 100), event(5, 105), event(1, 101) };

	(void)state;
	e[2].ts_ns = 6;
	assert_int_equal(100, memory_ties_start(e, 3));
}

static void name_is(int64_t type, int64_t index, const char *name)
{
	char out[MEMORY_DEVICE_MAX];

	memory_device_name(type, index, out);
	assert_string_equal(name, out);
}

static void devices_have_the_names_of_torch(void **state)
{
	(void)state;
	name_is(0, -1, "cpu");
	name_is(NUMBER_NONE, NUMBER_NONE, "cpu");
	name_is(1, 0, "cuda:0");
	name_is(6, 7, "hip:7");
	name_is(20, 0, "privateuseone:0");
	name_is(1, NUMBER_NONE, "cuda");
	name_is(77, 1, "type 77:1");
	name_is(INT64_MAX, INT64_MAX, "type 9223372036854775807:92233720368547");
}

static void devices_are_asked_for_by_kind_index_or_both(void **state)
{
	struct memory_specs specs = { .n = 0 };
	struct err err = ERR_INIT;

	(void)state;
	assert_true(memory_specs_have(&specs, 1, 0));
	assert_int_equal(0, memory_specs_add(&specs, "cuda:1,cpu", &err));
	assert_true(memory_specs_have(&specs, 1, 1));
	assert_true(memory_specs_have(&specs, 0, -1));
	assert_false(memory_specs_have(&specs, 1, 0));
	assert_false(memory_specs_have(&specs, 6, 1));
	specs.n = 0;
	assert_int_equal(0, memory_specs_add(&specs, "1", &err));
	assert_true(memory_specs_have(&specs, 6, 1));
	assert_false(memory_specs_have(&specs, 0, -1));
	assert_int_equal(-1, memory_specs_add(&specs, "gpu", &err));
	assert_int_equal(-1, memory_specs_add(&specs, "cuda:", &err));
	assert_int_equal(-1, memory_specs_add(&specs, "", &err));
	assert_int_equal(-1, memory_specs_add(&specs, "cuda:9999999999", &err));
}

/* 999999999999999999 of 10^18 is 1 as a double. */
static void a_moment_lies_in_one_of_the_cells(void **state)
{
	const int64_t dur_ns = INT64_C(1000000000000000000);

	(void)state;
	assert_int_equal(0, memory_curve_cell(-1, dur_ns));
	assert_int_equal(0, memory_curve_cell(5, 0));
	assert_int_equal(8, memory_curve_cell(dur_ns / 2, dur_ns));
	assert_int_equal(15, memory_curve_cell(dur_ns - 1, dur_ns));
	assert_int_equal(15, memory_curve_cell(dur_ns, dur_ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_is_put_in_order),
		cmocka_unit_test(a_way_that_leaves_events_behind_is_not_taken),
		cmocka_unit_test(what_fits_nowhere_stays_behind),
		cmocka_unit_test(without_totals_all_stay),
		cmocka_unit_test(the_start_is_left_once_more_than_it_is_reached),
		cmocka_unit_test(what_follows_tells_where_a_ring_began),
		cmocka_unit_test(devices_have_the_names_of_torch),
		cmocka_unit_test(devices_are_asked_for_by_kind_index_or_both),
		cmocka_unit_test(a_moment_lies_in_one_of_the_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
