/* By how much spans of annotations are longer than the work in them (store/fudge.c). */
#include "modeling.h"

#include "store/fudge.h"

static uint32_t notes_in(struct world *w, int64_t stream)
{
	return track_in(w, TRACK_STREAM_NOTES, 0, stream);
}

static void add_span(struct world *w, int64_t stream, int64_t ts_ns, int64_t dur_ns)
{
	add(w, notes_in(w, stream), "forward", ts_ns, dur_ns, CLASS_DEVICE_ANNOTATION);
}

/* The fudge of the model when `rule_ns` is what the dialect says. */
static int64_t found(struct world *w, int64_t rule_ns)
{
	w->m.profile.rules.annotation_fudge_ns = rule_ns;
	order_rows(&w->m);
	fudge_of_annotations(&w->m);
	int64_t ns = w->m.profile.rules.annotation_fudge_ns;
	world_release(w);
	return ns;
}

/* Two kernels, at 5000 to 6000 and 7000 to 9000, and a span around both. */
static int64_t found_around(int64_t before_ns, int64_t behind_ns, int64_t rule_ns)
{
	struct world w;

	world_init(&w);
	add(&w, stream_in(&w, 7), "a", 5000, 1000, CLASS_KERNEL);
	add(&w, stream_in(&w, 7), "b", 7000, 2000, CLASS_KERNEL);
	add_span(&w, 7, 5000 - before_ns, before_ns + 4000 + behind_ns);
	return found(&w, rule_ns);
}

static void what_the_exporters_added_is_found(void **state)
{
	(void)state;
	assert_int_equal(found_around(1000, 0, 2), 1000);
	assert_int_equal(found_around(1000, 500, 2), 1500);
	assert_int_equal(found_around(1, 0, 1500), 1);
	assert_int_equal(found_around(1, 1, 1500), 2);
}

static void other_distances_leave_the_rule(void **state)
{
	(void)state;
	assert_int_equal(found_around(3, 1, 2), 2);
	assert_int_equal(found_around(0, 0, 1500), 1500);
	/* no rule: another program's trace */
	assert_int_equal(found_around(1, 1, 0), 0);
}

static void most_spans_decide(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	for (int64_t i = 0; i < 3; i++) {
		int64_t at = 100000 * i;
		add(&w, stream_in(&w, 7), "a", at, 1000, CLASS_KERNEL);
		add_span(&w, 7, at - (i == 1 ? 1000 : 1), (i == 1 ? 2000 : 1002));
	}
	assert_int_equal(found(&w, 1500), 2);
}

/* What runs on another stream is no work of the span; and there may be none. */
static void the_span_of_another_stream_tells_nothing(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	add(&w, stream_in(&w, 7), "a", 5000, 1000, CLASS_KERNEL);
	add(&w, stream_in(&w, 8), "b", 50000, 1000, CLASS_KERNEL);
	add_span(&w, 8, 4000, 2500);
	add_span(&w, 9, 4000, 2500);
	assert_int_equal(found(&w, 2), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_exporters_added_is_found),
		cmocka_unit_test(other_distances_leave_the_rule),
		cmocka_unit_test(most_spans_decide),
		cmocka_unit_test(the_span_of_another_stream_tells_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
