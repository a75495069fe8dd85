/* Nanoseconds that were printed without zeros (ingest/unpadded.c). */
#include "reading.h"

#include <stdio.h>

#include "ingest/unpadded.h"

#define EVENT(ts, dur)                                                                    \
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"n\",\"pid\":1,\"tid\":1,\"ts\": " ts \
	", \"dur\": " dur "}"
#define IN(events, unit)                                   \
	"{\"schemaVersion\": 1, \"traceEvents\": [" events \
	"], \"displayTimeUnit\": " unit "}"
#define AT    "1711000000000005"
#define SLICE "slice thread 1/1 \"n\" "

static bool has(const char *json)
{
	return unpadded_has((struct bytes){ (const uint8_t *)json, strlen(json) }, true);
}

static int64_t ns_of(const char *text)
{
	int64_t ns = -1;

	assert_int_equal(DECIMAL_OK, unpadded_us_to_ns(in_window(text), &ns));
	return ns;
}

static void what_is_behind_the_point_counts_nanoseconds(void **state)
{
	int64_t ns;

	(void)state;
	assert_int_equal(5007, ns_of("5.7"));
	assert_int_equal(5045, ns_of("5.45"));
	assert_int_equal(5050, ns_of("5.50"));
	assert_int_equal(5123, ns_of("5.123"));
	assert_int_equal(5000, ns_of("5.0"));
	assert_int_equal(5000, ns_of("5"));
	assert_int_equal(-5007, ns_of("-5.7"));
	assert_int_equal(1711000000000005007, ns_of("1711000000000005.7"));
	/* no kineto wrote these: they are decimal */
	assert_int_equal(5123, ns_of("5.1234"));
	assert_int_equal(57000, ns_of("5.7e1"));
	assert_int_equal(DECIMAL_BAD, unpadded_us_to_ns(in_window("5.x"), &ns));
	assert_int_equal(DECIMAL_BAD, unpadded_us_to_ns(in_window(""), &ns));
	assert_int_equal(
		DECIMAL_TOO_BIG,
		unpadded_us_to_ns(in_window("99999999999999999999999999999.7"), &ns));
}

static void a_trace_of_that_time_is_read_so(void **state)
{
	(void)state;
	assert_facts(IN(EVENT(AT ".7", "2.45") "," EVENT(AT ".120", "2.0"), "\"ns\""),
		     "metadata schemaVersion: 1\n" SLICE
		     "1711000000000005007+2045 op cat=\"cpu_op\"\n" SLICE
		     "1711000000000005120+2000 op cat=\"cpu_op\"\n"
		     "metadata displayTimeUnit: \"ns\"\n");
}

static void a_fraction_that_begins_with_a_zero_is_decimal(void **state)
{
	(void)state;
	assert_true(has(IN(EVENT(AT ".7", "2.45"), "\"ns\"")));
	assert_false(has(IN(EVENT(AT ".7", "2.45") "," EVENT(AT ".04", "1"), "\"ns\"")));
	assert_false(
		has(IN(EVENT(AT ".7", "2.45") "," EVENT(AT ".1234", "1"), "\"ns\"")));
	assert_false(has(IN(EVENT(AT ".7", "2.4e5"), "\"ns\"")));
	/* all of three digits: padded */
	assert_false(has(IN(EVENT(AT ".700", "2.450"), "\"ns\"")));
}

static void other_traces_are_decimal(void **state)
{
	(void)state;
	/* another unit, another clock, a base, another program */
	assert_false(has(IN(EVENT(AT ".7", "2.45"), "\"ms\"")));
	assert_false(has(IN(EVENT("4311020981081.7", "2.45"), "\"ns\"")));
	assert_false(has(IN(EVENT(AT ".7", "2.45"),
			    "\"ns\", \"baseTimeNanoseconds\": 1711000000000000000")));
	assert_false(has("[" EVENT(AT ".7", "2.45") "]"));
	assert_false(has(""));
}

/* Its displayTimeUnit stands behind the events: enough of them do without. */
static void of_a_long_trace_the_beginning_tells(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, 1 << 16);
	buf_add_text(&text, "{\"schemaVersion\": 1, \"traceEvents\": [");
	for (int i = 0; i < 100; i++) {
		struct bytes head = { (const uint8_t *)text.p, text.n };
		assert_int_equal(unpadded_has(head, false), i >= 25);
		assert_false(unpadded_has(head, true));
		buf_addf(&text, EVENT(AT ".%d", "7.%d") ",", i * 7 % 1000, i * 91 % 1000);
	}
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_behind_the_point_counts_nanoseconds),
		cmocka_unit_test(a_trace_of_that_time_is_read_so),
		cmocka_unit_test(a_fraction_that_begins_with_a_zero_is_decimal),
		cmocka_unit_test(other_traces_are_decimal),
		cmocka_unit_test(of_a_long_trace_the_beginning_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
