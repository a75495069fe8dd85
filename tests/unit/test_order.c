/* Begins and ends become slices, slices become rows. */
#include "modeling.h"

static void slices_stand_by_track_then_time_then_longest_first(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t one = thread_in(&w, 1), two = thread_in(&w, 2);

	uint32_t other = add(&w, two, "other", 5, 10, CLASS_OP);
	uint32_t late = add(&w, one, "late", 30, 5, CLASS_OP);
	uint32_t inner = add(&w, one, "inner", 20, 5, CLASS_OP);
	uint32_t outer = add(&w, one, "outer", 20, 50, CLASS_OP);
	order_rows(&w.m);

	assert_int_equal(4, w.m.nrows);
	assert_int_equal(0, row_of(&w, outer));
	assert_int_equal(1, row_of(&w, inner));
	assert_int_equal(2, row_of(&w, late));
	assert_int_equal(3, row_of(&w, other));
	assert_int_equal(3, w.m.tracks[one].n);
	assert_int_equal(3, w.m.tracks[two].first);
	world_release(&w);
}

static void identical_slices_keep_the_order_of_the_file(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t first = add(&w, thread, "a", 20, 5, CLASS_OP);
	uint32_t second = add(&w, thread, "a", 20, 5, CLASS_OP);
	order_rows(&w.m);

	assert_int_equal(0, row_of(&w, first));
	assert_int_equal(1, row_of(&w, second));
	world_release(&w);
}

static void an_end_closes_the_newest_open_slice(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t outer = add_phase(&w, thread, "outer", 10, PHASE_BEGIN);
	uint32_t inner = add_phase(&w, thread, "inner", 20, PHASE_BEGIN);
	uint32_t end = add_phase(&w, thread, "", 30, PHASE_END);
	add_phase(&w, thread, "outer", 50, PHASE_END);
	order_rows(&w.m);

	assert_lasts(&w, outer, 10, 40);
	assert_lasts(&w, inner, 20, 10);
	assert_int_equal(ROW_NONE, row_of(&w, end));
	assert_int_equal(2, w.m.nrows);
	assert_int_equal(0, w.m.nfindings);
	world_release(&w);
}

/* The format wants no category of an end, which would tell that it is a kernel's. */
static void an_end_without_a_category_ends_a_slice_of_the_stream(void **state)
{
	struct world w;
	uint32_t categories[] = { TEXT_NONE, 0 };
	(void)state;
	world_init(&w);
	w.m.categories = categories;
	w.m.ncategories = 2;
	uint32_t stream = track_in(&w, TRACK_STREAM, 100, 1), thread = thread_in(&w, 1);
	uint32_t notes = track_in(&w, TRACK_STREAM_NOTES, 100, 1);

	uint32_t note = add_phase(&w, notes, "wait", 5, PHASE_BEGIN);
	uint32_t kernel = add_phase(&w, stream, "kernel", 10, PHASE_BEGIN);
	uint32_t host = add_phase(&w, thread, "host", 12, PHASE_BEGIN);
	add_phase(&w, thread, "", 15, PHASE_END);
	add_phase(&w, thread, "", 20, PHASE_END);
	uint32_t lost = add_phase(&w, thread, "", 25, PHASE_END);
	w.m.slices[lost].category = 1;
	add_phase(&w, thread, "", 30, PHASE_END);
	order_rows(&w.m);

	assert_lasts(&w, host, 12, 3);
	assert_lasts(&w, kernel, 10, 10);
	assert_lasts(&w, note, 5, 25);
	assert_int_equal(1, count_findings(&w, FINDING_END_WITHOUT_BEGIN));
	assert_int_equal(1, w.m.nfindings);
	w.m.categories = NULL;
	world_release(&w);
}

/* A kernel of a stream, begun in a mark of the thread. */
static void of_a_thread_and_its_streams_the_newest_begin_ends_first(void **state)
{
	static const char *const ends[][2] = { { "", "" }, { "kernel", "mark" } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct world w;
		world_init(&w);
		uint32_t thread = thread_in(&w, 1),
			 stream = track_in(&w, TRACK_STREAM, 100, 1);
		uint32_t mark = add_phase(&w, thread, "mark", 1, PHASE_BEGIN);
		uint32_t kernel = add_phase(&w, stream, "kernel", 10, PHASE_BEGIN);
		add_phase(&w, thread, ends[i][0], 20, PHASE_END);
		add_phase(&w, thread, ends[i][1], 100, PHASE_END);
		order_rows(&w.m);

		assert_lasts(&w, kernel, 10, 10);
		assert_lasts(&w, mark, 1, 99);
		assert_int_equal(0, w.m.nfindings);
		world_release(&w);
	}
}

static void crossed_ends_are_paired_by_name(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t a = add_phase(&w, thread, "a", 10, PHASE_BEGIN);
	uint32_t b = add_phase(&w, thread, "b", 20, PHASE_BEGIN);
	add_phase(&w, thread, "a", 30, PHASE_END);
	add_phase(&w, thread, "b", 40, PHASE_END);
	order_rows(&w.m);

	assert_lasts(&w, a, 10, 20);
	assert_lasts(&w, b, 20, 20);
	assert_int_equal(0, w.m.nfindings);
	world_release(&w);
}

static void an_end_of_a_name_that_is_not_open_ends_the_innermost_and_is_counted(
	void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t a = add_phase(&w, thread, "a", 10, PHASE_BEGIN);
	uint32_t b = add_phase(&w, thread, "b", 20, PHASE_BEGIN);
	add_phase(&w, thread, "c", 30, PHASE_END);
	add_phase(&w, thread, "", 40, PHASE_END);
	order_rows(&w.m);

	assert_lasts(&w, a, 10, 30);
	assert_lasts(&w, b, 20, 10);
	assert_int_equal(1, count_findings(&w, FINDING_END_NAME));
	world_release(&w);
}

static void begins_and_ends_may_be_out_of_order_in_the_file(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	add_phase(&w, thread, "a", 40, PHASE_END);
	uint32_t a = add_phase(&w, thread, "a", 10, PHASE_BEGIN);
	order_rows(&w.m);

	assert_lasts(&w, a, 10, 30);
	world_release(&w);
}

static void an_end_without_a_begin_is_dropped_and_counted(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t end = add_phase(&w, thread, "nobody", 10, PHASE_END);
	add(&w, thread, "a", 20, 5, CLASS_OP);
	order_rows(&w.m);

	assert_int_equal(ROW_NONE, row_of(&w, end));
	assert_int_equal(1, w.m.nrows);
	assert_int_equal(1, count_findings(&w, FINDING_END_WITHOUT_BEGIN));
	world_release(&w);
}

static void a_begin_without_an_end_lasts_until_the_recording_ends(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t open = add_phase(&w, thread, "open", 10, PHASE_BEGIN);
	add(&w, thread_in(&w, 2), "last", 90, 10, CLASS_OP);
	order_rows(&w.m);

	assert_lasts(&w, open, 10, 90);
	assert_true(record_of(&w, open)->unfinished);
	assert_int_equal(1, count_findings(&w, FINDING_BEGIN_WITHOUT_END));
	world_release(&w);
}

/* The reader gives an X without a dur as a begin that is unfinished already. */
static void a_complete_event_without_dur_takes_no_end_from_a_begin(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t begin = add_phase(&w, thread, "begin", 10, PHASE_BEGIN);
	struct slice_rec s = record(&w, thread, "no dur", 20, 0);
	s.phase = PHASE_BEGIN;
	s.unfinished = 1;
	uint32_t no_dur = add_record(&w, s);
	w.m.tracks[thread].has_pairs = true;
	add_phase(&w, thread, "begin", 30, PHASE_END);
	add(&w, thread, "last", 90, 10, CLASS_OP);
	order_rows(&w.m);

	assert_lasts(&w, begin, 10, 20);
	assert_lasts(&w, no_dur, 20, 80);
	assert_int_equal(0, w.m.nfindings);
	world_release(&w);
}

static void asynchronous_slices_of_one_id_are_paired_by_name(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t track = async_in(&w, "net 0x1");

	uint32_t a = add_phase(&w, track, "a", 10, PHASE_BEGIN);
	uint32_t b = add_phase(&w, track, "b", 20, PHASE_BEGIN);
	add_phase(&w, track, "a", 30, PHASE_END);
	add_phase(&w, track, "b", 40, PHASE_END);
	order_rows(&w.m);

	assert_lasts(&w, a, 10, 20);
	assert_lasts(&w, b, 20, 20);
	assert_int_equal(0, w.m.nfindings);
	world_release(&w);
}

static void a_nameless_asynchronous_end_closes_the_newest(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t track = async_in(&w, "net 0x1");

	uint32_t a = add_phase(&w, track, "a", 10, PHASE_BEGIN);
	add_phase(&w, track, "", 30, PHASE_END);
	order_rows(&w.m);

	assert_lasts(&w, a, 10, 20);
	world_release(&w);
}

/* S, T parse, T build, F: each T lasts until the next one. */
static void step_into_lasts_until_the_next_step_or_the_end(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t track = async_in(&w, "job 5");

	uint32_t job = add_phase(&w, track, "job", 10, PHASE_BEGIN);
	uint32_t parse = add_phase(&w, track, "parse", 20, PHASE_STEP_INTO);
	uint32_t build = add_phase(&w, track, "build", 40, PHASE_STEP_INTO);
	add_phase(&w, track, "job", 70, PHASE_END);
	order_rows(&w.m);

	assert_lasts(&w, job, 10, 60);
	assert_lasts(&w, parse, 20, 20);
	assert_lasts(&w, build, 40, 30);
	world_release(&w);
}

/* S, p fetch, p store, F: each p began where the one before it ended. */
static void step_past_began_at_the_previous_step_or_the_begin(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t track = async_in(&w, "job 6");

	add_phase(&w, track, "job", 10, PHASE_BEGIN);
	uint32_t fetch = add_phase(&w, track, "fetch", 20, PHASE_STEP_PAST);
	uint32_t store = add_phase(&w, track, "store", 50, PHASE_STEP_PAST);
	uint32_t at_once = add_phase(&w, track, "at once", 50, PHASE_STEP_PAST);
	add_phase(&w, track, "job", 70, PHASE_END);
	order_rows(&w.m);

	assert_lasts(&w, fetch, 10, 10);
	assert_lasts(&w, store, 20, 30);
	assert_lasts(&w, at_once, 50, 0);
	world_release(&w);
}

static void a_step_that_is_open_when_the_recording_stops_is_unfinished(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t track = async_in(&w, "job 7");

	uint32_t job = add_phase(&w, track, "job", 10, PHASE_BEGIN);
	uint32_t part = add_phase(&w, track, "part", 20, PHASE_STEP_INTO);
	add(&w, thread_in(&w, 1), "last", 90, 10, CLASS_OP);
	order_rows(&w.m);

	assert_lasts(&w, job, 10, 90);
	assert_lasts(&w, part, 20, 80);
	assert_true(record_of(&w, part)->unfinished);
	world_release(&w);
}

static void a_profile_without_slices_has_no_rows(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	order_rows(&w.m);
	nest_rows(&w.m);
	link_rows(&w.m);

	assert_int_equal(0, w.m.nrows);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_stand_by_track_then_time_then_longest_first),
		cmocka_unit_test(identical_slices_keep_the_order_of_the_file),
		cmocka_unit_test(an_end_closes_the_newest_open_slice),
		cmocka_unit_test(an_end_without_a_category_ends_a_slice_of_the_stream),
		cmocka_unit_test(of_a_thread_and_its_streams_the_newest_begin_ends_first),
		cmocka_unit_test(crossed_ends_are_paired_by_name),
		cmocka_unit_test(
			an_end_of_a_name_that_is_not_open_ends_the_innermost_and_is_counted),
		cmocka_unit_test(begins_and_ends_may_be_out_of_order_in_the_file),
		cmocka_unit_test(an_end_without_a_begin_is_dropped_and_counted),
		cmocka_unit_test(a_begin_without_an_end_lasts_until_the_recording_ends),
		cmocka_unit_test(a_complete_event_without_dur_takes_no_end_from_a_begin),
		cmocka_unit_test(asynchronous_slices_of_one_id_are_paired_by_name),
		cmocka_unit_test(a_nameless_asynchronous_end_closes_the_newest),
		cmocka_unit_test(step_into_lasts_until_the_next_step_or_the_end),
		cmocka_unit_test(step_past_began_at_the_previous_step_or_the_begin),
		cmocka_unit_test(
			a_step_that_is_open_when_the_recording_stops_is_unfinished),
		cmocka_unit_test(a_profile_without_slices_has_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
