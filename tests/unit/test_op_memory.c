/* Memory events by time: the bytes within intervals, and what no interval holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "memory_events.h"

static const struct op_rules exact_rules = { .split_annotations = true };
static const struct op_rules float_rules = { .float_memory_window = true };

#define TEST_BASE_NS INT64_C(1790857026000000000)

struct remembered {
	struct op_memory_event events[8];
	struct op_memory memory;
};

/* Memory events at these times, of 1, 10, 100, ... bytes. */
static struct op_memory *memory_at(struct remembered *r, const int64_t *ts_ns, size_t n,
				   const struct op_rules *rules)
{
	const struct op_memory_source source = memory_source(r->events, TEST_BASE_NS);
	int64_t bytes = 1;

	for (size_t i = 0; i < n; i++, bytes *= 10)
		r->events[i] = (struct op_memory_event){
			.ts_ns = ts_ns[i], .bytes = bytes, .order = i, .is_cpu = true
		};
	op_memory_init(&r->memory, &source, memory_numbers(n), n, rules, NULL);
	return &r->memory;
}

static int64_t bytes_within(struct op_memory *m, int64_t start_ns, int64_t end_ns)
{
	struct op_node n = { .start_ns = start_ns, .end_ns = end_ns };

	op_memory_charge(m, &n);
	return n.cpu_bytes;
}

static void an_interval_owns_the_memory_events_at_both_its_ends(void **state)
{
	static const int64_t ts_ns[] = { 99, 100, 150, 200, 201 };
	struct remembered r;
	struct op_memory *m = memory_at(&r, ts_ns, 5, &exact_rules);
	(void)state;

	assert_int_equal(1110, bytes_within(m, 100, 200));
	assert_int_equal(0, bytes_within(m, 101, 149));
	assert_int_equal(11111, bytes_within(m, 0, 1000));
	op_memory_release(m);
}

/* Intervals arrive a thread after the other, so that starts go back. */
static void intervals_may_be_charged_in_any_order(void **state)
{
	static const int64_t ts_ns[] = { 100, 200, 300, 400, 500 };
	struct remembered r;
	struct op_memory *m = memory_at(&r, ts_ns, 5, &exact_rules);
	(void)state;

	assert_int_equal(10000, bytes_within(m, 450, 550));
	assert_int_equal(1, bytes_within(m, 50, 150));
	assert_int_equal(1100, bytes_within(m, 250, 400));
	assert_int_equal(0, bytes_within(m, 600, 700));
	assert_int_equal(11111, bytes_within(m, 100, 500));
	assert_int_equal(0, bytes_within(m, 0, 50));
	op_memory_release(m);
}

/*
 * torch 2.4 to 2.10 compares whole ns with ns / 1000 * 1000 in float64, which
 * steps by 256 ns.  The numbers are Python's:
 *     a = 1790857026000000000 + 4311020981081884
 *     int(a / 1000 * 1000) - a == 228, int((a + 5000) / 1000 * 1000) - (a + 5000) == 92
 */
static void the_float_window_is_off_by_as_much_as_pythons(void **state)
{
	const int64_t start_ns = 4311020981081884, end_ns = start_ns + 5000;
	const int64_t ts_ns[] = { start_ns + 227, start_ns + 228, end_ns + 92,
				  end_ns + 93 };
	struct remembered r;
	struct op_memory *m = memory_at(&r, ts_ns, 4, &float_rules);
	(void)state;

	assert_int_equal(110, bytes_within(m, start_ns, end_ns));
	op_memory_release(m);
}

/* int(a / 1000 * 1000) - a == -225 for a = 1790857026000000000 + 4311020981083105. */
static void the_float_window_may_begin_before_the_interval(void **state)
{
	const int64_t start_ns = 4311020981083105;
	const int64_t ts_ns[] = { start_ns - 226, start_ns - 225 };
	struct remembered r;
	struct op_memory *m = memory_at(&r, ts_ns, 2, &float_rules);
	(void)state;

	assert_int_equal(10, bytes_within(m, start_ns, start_ns + 5000));
	op_memory_release(m);
}

static void an_event_in_no_interval_is_a_row_and_out_of_memory_always_is(void **state)
{
	static const int64_t ts_ns[] = { 100, 200, 300 };
	struct remembered r;
	struct op_memory *m = memory_at(&r, ts_ns, 3, &exact_rules);
	(void)state;
	r.events[1].out_of_memory = true;

	bytes_within(m, 150, 350);
	op_memory_finish(m);
	assert_true(op_memory_is_row(m, 0));
	assert_true(op_memory_is_row(m, 1));
	assert_false(op_memory_is_row(m, 2));
	op_memory_release(m);
}

static void what_was_refused_allocates_nothing(void **state)
{
	struct op_memory_event events[2];
	const struct op_memory_source source = memory_source(events, 0);
	struct op_memory memory, *m = &memory;
	(void)state;
	events[0] = (struct op_memory_event){ .ts_ns = 5,
					      .bytes = 1 << 30,
					      .out_of_memory = true };
	events[1] = (struct op_memory_event){ .ts_ns = 6, .bytes = NUMBER_NONE };
	op_memory_init(m, &source, memory_numbers(2), 2, &exact_rules, NULL);

	assert_int_equal(0, bytes_within(m, 0, 10));
	op_memory_release(m);
}

static void memory_of_mkldnn_and_ideep_is_the_cpus(void **state)
{
	(void)state;
	assert_true(op_memory_is_cpu(0));
	assert_true(op_memory_is_cpu(2));
	assert_true(op_memory_is_cpu(5));
	assert_false(op_memory_is_cpu(1));
	assert_false(op_memory_is_cpu(6));
}

/* Two threads, whose intervals lie within, behind and over one another. */
static void what_any_interval_holds_is_no_row(void **state)
{
	enum { EVENTS = 300, INTERVALS = 40 };
	struct op_memory_event events[EVENTS];
	const struct op_memory_source source = memory_source(events, 0);
	bool is_held[EVENTS] = { false };
	struct op_memory m;
	(void)state;
	for (uint32_t i = 0; i < EVENTS; i++)
		events[i] = (struct op_memory_event){ .ts_ns = i, .is_cpu = true };
	op_memory_init(&m, &source, memory_numbers(EVENTS), EVENTS, &exact_rules, NULL);
	for (int64_t thread = 0; thread < 2; thread++)
		for (int64_t k = 0; k < INTERVALS; k++) {
			int64_t start = 100 * thread + k * k / 16;
			int64_t end = start + k * 7 % 13;
			bytes_within(&m, start, end);
			for (int64_t i = start; i <= end && i < EVENTS; i++)
				is_held[i] = true;
		}
	op_memory_finish(&m);

	for (size_t i = 0; i < EVENTS; i++)
		if (op_memory_is_row(&m, i) == is_held[i])
			fail_msg("event %zu", i);
	op_memory_release(&m);
}

/* Numbers stay those of the source, whatever the order of time. */
static void events_are_sorted_by_time_and_then_by_their_order(void **state)
{
	struct op_memory_event events[] = {
		{ .ts_ns = 5, .order = 2, .row = 50 },
		{ .ts_ns = 5, .order = 1, .row = 51 },
		{ .ts_ns = 4, .order = 9, .row = 52 },
	};
	const struct op_memory_source source = memory_source(events, 0);
	struct op_memory m;
	(void)state;
	op_memory_init(&m, &source, memory_numbers(3), 3, &exact_rules, NULL);

	assert_int_equal(52, op_memory_at(&m, 0).row);
	assert_int_equal(51, op_memory_at(&m, 1).row);
	assert_int_equal(50, op_memory_at(&m, 2).row);
	op_memory_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interval_owns_the_memory_events_at_both_its_ends),
		cmocka_unit_test(intervals_may_be_charged_in_any_order),
		cmocka_unit_test(the_float_window_is_off_by_as_much_as_pythons),
		cmocka_unit_test(the_float_window_may_begin_before_the_interval),
		cmocka_unit_test(
			an_event_in_no_interval_is_a_row_and_out_of_memory_always_is),
		cmocka_unit_test(what_was_refused_allocates_nothing),
		cmocka_unit_test(memory_of_mkldnn_and_ideep_is_the_cpus),
		cmocka_unit_test(what_any_interval_holds_is_no_row),
		cmocka_unit_test(events_are_sorted_by_time_and_then_by_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
