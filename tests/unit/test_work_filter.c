/* Filters on device work: single pieces, and arrays of items. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/devices/work_filter.h"

/* Ids with a hole, as of a scope that leaves a profile out. */
static struct step_number numbers[] = { { .id = 4, .number = 10 },
					{ .id = 5, .number = 11 },
					{ .id = 9, .number = 10 } };

struct fixture {
	struct text_pool texts;
	struct filter filter;
	struct work_filter f;
	uint32_t gemm, copy;
};

static void set_up(struct fixture *t, const struct filter_texts *texts)
{
	struct err err = ERR_INIT;

	*t = (struct fixture){ .gemm = 0 };
	intern_init(&t->texts.intern);
	t->gemm = intern_add(&t->texts.intern, STR_LIT("gemm"));
	t->copy = intern_add(&t->texts.intern, STR_LIT("Memcpy HtoD"));
	assert_int_equal(0, filter_compile(texts, &t->filter, &err));
	t->f = (struct work_filter){ .filter = &t->filter,
				     .texts = &t->texts,
				     .steps = { numbers, 3, 3 } };
}

static void tear_down(struct fixture *t)
{
	t->f.steps = (struct step_numbers){ .n = 0 }; /* not on the heap */
	work_filter_close(&t->f);
	filter_release(&t->filter);
	intern_release(&t->texts.intern);
}

static bool wants(struct fixture *t, struct work_piece piece)
{
	struct err err = ERR_INIT;
	int rc = work_filter_wants(&t->f, &piece, &err);

	assert_true(rc >= 0);
	return rc;
}

static void a_step_has_the_number_of_its_id(void **state)
{
	const struct step_numbers steps = { numbers, 3, 3 };
	int64_t number = -1;

	(void)state;
	assert_true(step_numbers_find(&steps, 4, &number));
	assert_int_equal(10, number);
	assert_true(step_numbers_find(&steps, 5, &number));
	assert_int_equal(11, number);
	assert_true(step_numbers_find(&steps, 9, &number));
	assert_int_equal(10, number);
	number = -1;
	assert_false(step_numbers_find(&steps, 0, &number));
	assert_false(step_numbers_find(&steps, 3, &number));
	assert_false(step_numbers_find(&steps, 7, &number));
	assert_false(step_numbers_find(&steps, INT64_MAX, &number));
	assert_int_equal(-1, number);
}

static void names_are_judged_the_same_again_and_again(void **state)
{
	struct fixture t;

	(void)state;
	set_up(&t, &(struct filter_texts){ .focus = "^g" });
	for (int i = 0; i < 3; i++) {
		assert_true(wants(&t, (struct work_piece){ .name = t.gemm }));
		assert_false(wants(&t, (struct work_piece){ .name = t.copy }));
		assert_false(wants(&t, (struct work_piece){ .name = TEXT_NONE }));
	}
	tear_down(&t);
}

static void work_of_the_host_is_on_no_device_and_no_stream(void **state)
{
	static const char *const zero[] = { "0" };
	const struct work_piece host = { .device = NUMBER_NONE, .stream = NUMBER_NONE };
	struct fixture t;

	(void)state;
	set_up(&t, &(struct filter_texts){ .devices = zero, .ndevices = 1 });
	assert_false(wants(&t, host));
	assert_true(wants(&t, (struct work_piece){ .stream = 7 }));
	tear_down(&t);
	set_up(&t, &(struct filter_texts){ .streams = zero, .nstreams = 1 });
	assert_false(wants(&t, host));
	assert_false(wants(&t, (struct work_piece){ .stream = 7 }));
	assert_true(wants(&t, (struct work_piece){ .device = 3 }));
	tear_down(&t);
	set_up(&t, &(struct filter_texts){ .nstreams = 0 });
	assert_true(wants(&t, host));
	tear_down(&t);
}

static void steps_times_and_durations_are_asked_too(void **state)
{
	struct fixture t;

	(void)state;
	set_up(&t, &(struct filter_texts){
			   .steps = "10", .times = "1us..2us", .min_dur = "5ns" });
	const struct work_piece piece = { .step = 10, .start_ns = 1000, .dur_ns = 5 };
	struct work_piece other = piece;

	assert_true(wants(&t, piece));
	other.step = NUMBER_NONE; /* it is in none that is wanted: work_filter_step() */
	assert_false(wants(&t, other));
	other = piece;
	other.start_ns = 2000;
	assert_false(wants(&t, other));
	other = piece;
	other.dur_ns = 4;
	assert_false(wants(&t, other));
	tear_down(&t);
}

/* Two devices, each with a stream 7. */
static void items_go_and_streams_stay(void **state)
{
	static const char *const seven[] = { "7" };
	struct work_stream streams[] = {
		{ .stream = 7, .device = 0, .nitems = 1 },
		{ .stream = 20, .device = 0, .nitems = 1 },
		{ .stream = 7, .name = "stream 7", .device = 1, .nitems = 1 },
	};
	struct work_device devices[] = {
		{ .device = 0, .first = 0, .n = 2 },
		{ .device = 1, .first = 2, .n = 1 },
	};
	struct work_item items[] = {
		{ .start_ns = 0, .end_ns = 9, .slice_id = 1, .stream = 1 },
		{ .start_ns = 3, .end_ns = 9, .slice_id = 2, .stream = 0 },
		{ .start_ns = 5, .end_ns = 9, .slice_id = 3, .stream = 2 },
	};
	struct device_work work = { .items = items,
				    .n = 3,
				    .streams = streams,
				    .nstreams = 3,
				    .devices = devices,
				    .ndevices = 2 };
	struct err err = ERR_INIT;
	struct fixture t;

	(void)state;
	/* the items' names do not matter, and --time is for work_filter_times() */
	set_up(&t, &(struct filter_texts){
			   .streams = seven, .nstreams = 1, .times = "1s..2s" });
	assert_int_equal(0, work_filter_items(&t.f, &work, &err));
	assert_int_equal(2, work.n);
	assert_int_equal(2, items[0].slice_id);
	assert_int_equal(3, items[1].slice_id);
	assert_int_equal(1, streams[0].nitems);
	assert_int_equal(0, streams[1].nitems);
	assert_int_equal(1, streams[2].nitems);
	assert_int_equal(1, devices[0].n);
	assert_int_equal(1, devices[1].first);
	assert_int_equal(1, devices[1].n);
	tear_down(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_has_the_number_of_its_id),
		cmocka_unit_test(names_are_judged_the_same_again_and_again),
		cmocka_unit_test(work_of_the_host_is_on_no_device_and_no_stream),
		cmocka_unit_test(steps_times_and_durations_are_asked_too),
		cmocka_unit_test(items_go_and_streams_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
