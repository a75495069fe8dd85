/* The table of labels: host time, and the device work launched inside. */
#include "modeling.h"

#include <stdio.h>

#include "store/summary.h"

static void build(struct world *w, struct summary *s)
{
	w->m.profile.rules = (struct op_rules){ .split_annotations = true };
	order_rows(&w->m);
	nest_rows(&w->m);
	link_rows(&w->m);
	summary_make(&w->m, s);
}

static const struct annotation_stat *label(const struct world *w, const struct summary *s,
					   const char *name)
{
	for (size_t i = 0; i < s->nannotations; i++)
		if (str_is(intern_str(&w->texts, s->annotations[i].name), name))
			return &s->annotations[i];
	fail_msg("no label '%s'", name);
	return NULL;
}

static void a_label_has_all_work_launched_inside_it(void **state)
{
	struct summary s;
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1), stream = stream_in(&w, 7);

	add(&w, thread, "outer", 0, 100, CLASS_ANNOTATION);
	add(&w, thread, "inner", 10, 50, CLASS_ANNOTATION);
	add_op(&w, thread, "aten::mm", 15, 20, 5);
	add_launch(&w, thread, 20, 5, 901, 5);
	add_launch(&w, thread, 70, 5, 902, NUMBER_NONE);
	add_kernel(&w, stream, 30, 40, 901, 5);
	add_kernel(&w, stream, 90, 20, 902, NUMBER_NONE);
	build(&w, &s);

	assert_int_equal(2, s.nannotations);
	assert_int_equal(100, label(&w, &s, "outer")->host_ns);
	assert_int_equal(60, label(&w, &s, "outer")->device_ns);
	assert_int_equal(80, label(&w, &s, "outer")->device_span_ns);
	assert_int_equal(2, label(&w, &s, "outer")->launches);
	assert_int_equal(40, label(&w, &s, "inner")->device_ns);
	assert_int_equal(40, label(&w, &s, "inner")->device_span_ns);
	summary_release(&s);
	world_release(&w);
}

static void spans_of_two_devices_are_added_not_joined(void **state)
{
	struct summary s;
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	add(&w, thread, "label", 0, 100, CLASS_ANNOTATION);
	add_launch(&w, thread, 20, 5, 901, NUMBER_NONE);
	add_launch(&w, thread, 30, 5, 902, NUMBER_NONE);
	add_kernel(&w, track_in(&w, TRACK_STREAM, 0, 7), 40, 10, 901, NUMBER_NONE);
	add_kernel(&w, track_in(&w, TRACK_STREAM, 1, 7), 1040, 10, 902, NUMBER_NONE);
	build(&w, &s);

	assert_int_equal(20, label(&w, &s, "label")->device_span_ns);
	summary_release(&s);
	world_release(&w);
}

static void calls_of_a_label_add_up_within_a_step(void **state)
{
	struct summary s;
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	add(&w, thread, "ProfilerStep#1", 0, 100, CLASS_ANNOTATION);
	add(&w, thread, "ProfilerStep#2", 100, 100, CLASS_ANNOTATION);
	add(&w, thread, "forward", 10, 20, CLASS_ANNOTATION);
	add(&w, thread, "forward", 40, 30, CLASS_ANNOTATION);
	add(&w, thread, "forward", 110, 5, CLASS_ANNOTATION);
	build(&w, &s);

	/* ProfilerStep* and forward, in each of two steps. */
	assert_int_equal(4, s.nannotations);
	assert_int_equal(2, label(&w, &s, "forward")->calls);
	assert_int_equal(50, label(&w, &s, "forward")->host_ns);
	assert_int_equal(10, label(&w, &s, "forward")->first_ts_ns);
	summary_release(&s);
	world_release(&w);
}

static void a_label_in_itself_counts_once_across_steps(void **state)
{
	struct summary s;
	struct world w;
	int64_t host_ns = 0, device_ns = 0, launches = 0;
	(void)state;
	world_init(&w);
	uint32_t steps = thread_in(&w, 9), thread = thread_in(&w, 1);
	uint32_t stream = stream_in(&w, 7);

	add(&w, steps, "ProfilerStep#1", 0, 1000, CLASS_ANNOTATION);
	add(&w, steps, "ProfilerStep#2", 1000, 1000, CLASS_ANNOTATION);
	add(&w, thread, "forward", 100, 1800, CLASS_ANNOTATION);
	add(&w, thread, "forward", 1100, 100, CLASS_ANNOTATION);
	add_launch(&w, thread, 1120, 5, 901, NUMBER_NONE);
	add_kernel(&w, stream, 1150, 40, 901, NUMBER_NONE);
	build(&w, &s);

	for (size_t i = 0; i < s.nannotations; i++) {
		if (!str_is(intern_str(&w.texts, s.annotations[i].name), "forward"))
			continue;
		host_ns += s.annotations[i].host_ns;
		device_ns += s.annotations[i].device_ns;
		launches += s.annotations[i].launches;
	}
	assert_int_equal(1800, host_ns);
	assert_int_equal(40, device_ns);
	assert_int_equal(1, launches);
	summary_release(&s);
	world_release(&w);
}

/* record_function begins inside __enter__, where the tree of slices leaves it. */
static void python_frames_that_overlap_a_label_take_nothing_from_it(void **state)
{
	struct summary s;
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	add(&w, thread, "__enter__", 0, 20, CLASS_PYTHON);
	add(&w, thread, "forward", 10, 100, CLASS_ANNOTATION);
	add_launch(&w, thread, 50, 5, 901, NUMBER_NONE);
	add(&w, thread, "__exit__", 90, 40, CLASS_PYTHON);
	add_launch(&w, thread, 115, 5, 902, NUMBER_NONE);
	add_kernel(&w, stream_in(&w, 7), 60, 40, 901, NUMBER_NONE);
	add_kernel(&w, stream_in(&w, 7), 120, 40, 902, NUMBER_NONE);
	build(&w, &s);

	assert_int_equal(1, label(&w, &s, "forward")->launches);
	assert_int_equal(40, label(&w, &s, "forward")->device_ns);
	summary_release(&s);
	world_release(&w);
}

static void thousands_of_labels_are_told_apart(void **state)
{
	struct summary s;
	struct world w;
	char name[16];
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "batch %d", i % 10000);
		add(&w, thread, name, INT64_C(10) * i, 5, CLASS_ANNOTATION);
	}
	build(&w, &s);

	assert_int_equal(10000, s.nannotations);
	assert_int_equal(2, label(&w, &s, "batch 9999")->calls);
	summary_release(&s);
	world_release(&w);
}

enum { LABELS = 90, WORKS = 500, DEVICES_MOST = 47 };

static int64_t work_ts(int64_t k)
{
	return 9000 + 40 * (k * 17 % WORKS);
}

/* From the first start to the last end of the works launched in [from, to), by device. */
static int64_t expected_span(int64_t from, int64_t to, int64_t ndevices)
{
	int64_t sum = 0;

	for (int64_t device = 0; device < ndevices; device++) {
		int64_t first = INT64_MAX, last = INT64_MIN;
		for (int64_t k = device; k < WORKS; k += ndevices) {
			if (10 * k + 1 < from || 10 * k + 1 >= to)
				continue;
			int64_t end = work_ts(k) + 1 + k % 39;
			first = work_ts(k) < first ? work_ts(k) : first;
			last = end > last ? end : last;
		}
		sum += first < last ? last - first : 0;
	}
	return sum;
}

/* Labels that overlap as they like, each with what is launched while it is open. */
static void check_overlapping_labels(int64_t ndevices)
{
	struct summary s;
	struct world w;
	char name[16];
	world_init(&w);
	uint32_t thread = thread_in(&w, 1), stream[DEVICES_MOST];

	for (int64_t i = 0; i < ndevices; i++)
		stream[i] = track_in(&w, TRACK_STREAM, (int)i, 7);
	for (int64_t i = 0; i < LABELS; i++) {
		snprintf(name, sizeof(name), "label %d", (int)i);
		add(&w, thread, name, 37 * i, 1 + 59 * i % 1999, CLASS_ANNOTATION);
	}
	for (int64_t i = 0; i < WORKS; i++) {
		add_launch(&w, thread, 10 * i + 1, 2, 900 + i, NUMBER_NONE);
		add_kernel(&w, stream[i % ndevices], work_ts(i), 1 + i % 39, 900 + i,
			   NUMBER_NONE);
	}
	build(&w, &s);

	for (int64_t i = 0; i < LABELS; i++) {
		int64_t from = 37 * i, to = from + 1 + 59 * i % 1999;
		int64_t launches = 0, device_ns = 0;
		for (int64_t k = 0; k < WORKS; k++) {
			bool is_inside = 10 * k + 1 >= from && 10 * k + 1 < to;
			launches += is_inside;
			device_ns += is_inside ? 1 + k % 39 : 0;
		}
		snprintf(name, sizeof(name), "label %d", (int)i);
		assert_int_equal(launches, label(&w, &s, name)->launches);
		assert_int_equal(device_ns, label(&w, &s, name)->device_ns);
		assert_int_equal(expected_span(from, to, ndevices),
				 label(&w, &s, name)->device_span_ns);
	}
	summary_release(&s);
	world_release(&w);
}

static void overlapping_labels_have_all_work_launched_inside_each(void **state)
{
	(void)state;
	check_overlapping_labels(1);
	check_overlapping_labels(DEVICES_MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_label_has_all_work_launched_inside_it),
		cmocka_unit_test(spans_of_two_devices_are_added_not_joined),
		cmocka_unit_test(calls_of_a_label_add_up_within_a_step),
		cmocka_unit_test(a_label_in_itself_counts_once_across_steps),
		cmocka_unit_test(python_frames_that_overlap_a_label_take_nothing_from_it),
		cmocka_unit_test(thousands_of_labels_are_told_apart),
		cmocka_unit_test(overlapping_labels_have_all_work_launched_inside_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
