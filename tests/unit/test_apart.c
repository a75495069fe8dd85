/* Times that cannot be: what is set apart, and what the others are then. */
#include "modeling.h"

#include "base/sum.h"
#include "store/apart.h"
#include "store/flow.h"

#define DAY_NS  INT64_C(86400000000000)
#define WEEK_NS SLICE_DUR_MAX_NS
#define NOW_NS  INT64_C(1700000000000000000)

/* The passes of the loader. */
static void settle(struct world *w)
{
	apart_find(&w->m);
	order_rows(&w->m);
	nest_rows(&w->m);
	apart_tell(&w->m);
	link_rows(&w->m);
	flow_rows(&w->m);
}

static bool is_apart(const struct world *w, uint32_t slice)
{
	for (size_t row = w->m.nrows; row < w->m.nrows + w->m.napart; row++)
		if (w->m.order[row] == slice)
			return true;
	return false;
}

/* Where the reader told already, as for each complete slice with such a duration. */
static uint32_t add_told(struct world *w, uint32_t track, int64_t ts_ns, int64_t dur_ns,
			 enum slice_class class)
{
	model_finding(&w->m,
		      dur_ns < 0 ? FINDING_NEGATIVE_DURATION
				 : FINDING_IMPOSSIBLE_DURATION,
		      w->m.nslices, STR_LIT(""), STR_LIT(""));
	return add(w, track, "told", ts_ns, dur_ns, class);
}

static void assert_claims(const struct world *w, enum finding finding, int64_t count,
			  int64_t time_ns, double share_pct)
{
	const struct finding_rec *told = model_told(&w->m, finding);

	assert_non_null(told);
	assert_int_equal(count, told->count);
	assert_int_equal(time_ns, told->time_ns);
	assert_true(told->share_pct > share_pct - 1e-9 &&
		    told->share_pct < share_pct + 1e-9);
}

static void assert_frame(const struct world *w, int64_t start_ns, int64_t end_ns)
{
	assert_int_equal(start_ns, w->m.start_ns);
	assert_int_equal(end_ns, w->m.end_ns);
}

static void a_sound_recording_is_left_alone(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	add(&w, thread, "week", NOW_NS, WEEK_NS, CLASS_OP);
	add(&w, thread, "last", NOW_NS + WEEK_NS, 0, CLASS_OP);
	settle(&w);

	assert_int_equal(2, w.m.nrows);
	assert_int_equal(0, w.m.napart);
	assert_int_equal(0, w.m.nfindings);
	assert_frame(&w, NOW_NS, NOW_NS + WEEK_NS);
	world_release(&w);
}

static void durations_that_cannot_be_count_nowhere(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t root = add(&w, thread, "root", NOW_NS, 100, CLASS_OP);
	uint32_t negative = add_told(&w, thread, NOW_NS + 10, -300, CLASS_OP);
	uint32_t endless = add_told(&w, thread, NOW_NS + 20, WEEK_NS + 1, CLASS_OP);
	uint32_t child = add(&w, thread, "child", NOW_NS + 30, 10, CLASS_OP);
	settle(&w);

	assert_int_equal(2, w.m.nrows);
	assert_int_equal(2, w.m.tracks[thread].n);
	assert_true(is_apart(&w, negative) && is_apart(&w, endless));
	assert_int_equal(root, slice_of(&w, w.m.parent[row_of(&w, child)]));
	assert_int_equal(90, row_self_ns(&w.m, row_of(&w, root)));
	assert_frame(&w, NOW_NS, NOW_NS + 100);
	assert_claims(&w, FINDING_NEGATIVE_DURATION, 1, 300, 75);
	assert_claims(&w, FINDING_IMPOSSIBLE_DURATION, 1, WEEK_NS + 1,
		      100.0 * (WEEK_NS + 1) / (WEEK_NS + 101));
	/* what was recorded stays with it */
	assert_int_equal(-300, record_of(&w, negative)->dur_ns);
	world_release(&w);
}

static void an_event_far_from_the_others_is_set_apart(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1), stream = stream_in(&w, 7);

	uint32_t lost = add_kernel(&w, stream, 0, 40, 9, NUMBER_NONE);
	add_launch(&w, thread, NOW_NS, 10, 9, NUMBER_NONE);
	uint32_t work = add_kernel(&w, stream, NOW_NS + 20, 60, 9, NUMBER_NONE);
	uint32_t mark =
		add_phase(&w, thread, "mark", NOW_NS + 40 * DAY_NS, PHASE_INSTANT);
	settle(&w);

	assert_true(is_apart(&w, lost) && is_apart(&w, mark));
	assert_int_equal(2, w.m.nrows);
	assert_int_equal(1, w.m.nworks);
	assert_int_equal(row_of(&w, work), w.m.works[0]);
	assert_frame(&w, NOW_NS, NOW_NS + 80);
	/* of host roots and of device work: both kinds are concerned */
	assert_claims(&w, FINDING_IMPOSSIBLE_TIME, 2, 40, 100.0 * 40 / (40 + 10 + 60));
	assert_int_equal(0, model_told(&w.m, FINDING_IMPOSSIBLE_TIME)->offset);
	world_release(&w);
}

static void of_two_bodies_the_larger_stays(void **state)
{
	for (int late = 0; late < 2; late++) {
		struct world w;
		(void)state;
		world_init(&w);
		uint32_t thread = thread_in(&w, 1);

		for (int64_t i = 0; i < 5; i++) {
			bool second = late ? i > 1 : i > 2;
			add(&w, thread, "a", NOW_NS + (second ? 60 * DAY_NS : 0) + i, 1,
			    CLASS_OP);
		}
		settle(&w);

		assert_int_equal(3, w.m.nrows);
		assert_int_equal(2, w.m.napart);
		assert_frame(&w, NOW_NS + (late ? 60 * DAY_NS + 2 : 0),
			     NOW_NS + (late ? 60 * DAY_NS + 5 : 3));
		world_release(&w);
	}
}

/* The median of these lies in the second one, which is not the largest. */
static void of_three_bodies_the_largest_stays(void **state)
{
	static const int64_t days[] = { 0, 0, 0, 0, 30, 30, 30, 60, 60, 60 };
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	for (size_t i = 0; i < 10; i++)
		add(&w, thread, "a", NOW_NS + days[i] * DAY_NS + (int64_t)i, 1, CLASS_OP);
	settle(&w);

	assert_int_equal(4, w.m.nrows);
	assert_frame(&w, NOW_NS, NOW_NS + 4);
	world_release(&w);
}

static void of_equal_bodies_the_last_stays(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t zero = add(&w, thread, "zero", 0, 1, CLASS_OP);
	add(&w, thread, "now", NOW_NS, 1, CLASS_OP);
	settle(&w);

	assert_true(is_apart(&w, zero));
	assert_frame(&w, NOW_NS, NOW_NS + 1);
	world_release(&w);
}

static void stamps_that_were_never_set_are_no_body(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t stream = stream_in(&w, 7);

	for (int i = 0; i < 5; i++)
		add(&w, stream, "zero", 0, 0, CLASS_KERNEL);
	add(&w, thread_in(&w, 1), "a", NOW_NS, 1, CLASS_OP);
	settle(&w);

	assert_int_equal(5, w.m.napart);
	assert_frame(&w, NOW_NS, NOW_NS + 1);
	world_release(&w);
}

/* More events than are sampled, every fourth of them lost. */
static void the_body_is_found_whatever_the_pattern(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	for (int64_t i = 0; i < 60000; i++)
		add(&w, thread, "a", i % 4 == 0 ? i : NOW_NS + i, 1, CLASS_OP);
	settle(&w);

	assert_int_equal(45000, w.m.nrows);
	assert_int_equal(15000, w.m.napart);
	assert_frame(&w, NOW_NS + 1, NOW_NS + 60000);
	world_release(&w);
}

static void times_may_be_negative(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	add(&w, thread, "a", -5 * DAY_NS, 10, CLASS_OP);
	add(&w, thread, "b", -4 * DAY_NS, 10, CLASS_OP);
	uint32_t far = add(&w, thread, "c", 4 * DAY_NS, 10, CLASS_OP);
	settle(&w);

	assert_true(is_apart(&w, far));
	assert_frame(&w, -5 * DAY_NS, -4 * DAY_NS + 10);
	world_release(&w);
}

static void nothing_overflows_at_the_ends_of_the_range(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	add(&w, thread, "first", INT64_MIN / 2, 0, CLASS_OP);
	add(&w, thread, "last", INT64_MAX / 2, 0, CLASS_OP);
	add_told(&w, thread, INT64_MIN / 2, INT64_MIN, CLASS_OP);
	add_told(&w, thread, INT64_MAX / 2, INT64_MIN, CLASS_OP);
	add_told(&w, thread, INT64_MAX / 2, INT64_MAX, CLASS_OP);
	add_told(&w, thread, INT64_MIN / 2, INT64_MAX, CLASS_OP);
	settle(&w);

	assert_int_equal(1, w.m.nrows);
	assert_int_equal(5, w.m.napart);
	assert_frame(&w, INT64_MAX / 2, INT64_MAX / 2);
	assert_claims(&w, FINDING_NEGATIVE_DURATION, 2, INT64_MAX, 100);
	assert_claims(&w, FINDING_IMPOSSIBLE_DURATION, 2, INT64_MAX, 100);
	assert_claims(&w, FINDING_IMPOSSIBLE_TIME, 1, 0, 0);
	world_release(&w);
}

static void all_slices_may_be_set_apart(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	add_told(&w, thread, NOW_NS, -1, CLASS_OP);
	add_told(&w, thread, NOW_NS + 5, WEEK_NS * 2, CLASS_OP);
	settle(&w);

	assert_int_equal(0, w.m.nrows);
	assert_int_equal(2, w.m.napart);
	assert_int_equal(w.m.start_ns, w.m.end_ns);
	assert_int_equal(NOW_NS, w.m.start_ns);
	world_release(&w);
}

static void a_begin_is_judged_with_its_end(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t one = thread_in(&w, 1), two = thread_in(&w, 2);

	uint32_t sound = add_phase(&w, one, "sound", NOW_NS, PHASE_BEGIN);
	add_phase(&w, one, "sound", NOW_NS + 50, PHASE_END);
	uint32_t endless = add_phase(&w, two, "endless", NOW_NS + 5, PHASE_BEGIN);
	add_phase(&w, two, "endless", NOW_NS + 90 * DAY_NS, PHASE_END);
	uint32_t lost = add_phase(&w, thread_in(&w, 3), "lost", 0, PHASE_BEGIN);
	add_phase(&w, thread_in(&w, 3), "lost", NOW_NS + 7, PHASE_END);
	settle(&w);

	assert_lasts(&w, sound, NOW_NS, 50);
	assert_true(is_apart(&w, endless) && is_apart(&w, lost));
	assert_claims(&w, FINDING_IMPOSSIBLE_DURATION, 1, 90 * DAY_NS - 5,
		      100.0 * (90 * DAY_NS - 5) / (90 * DAY_NS - 5 + 50));
	assert_int_equal(1, count_findings(&w, FINDING_IMPOSSIBLE_TIME));
	assert_frame(&w, NOW_NS, NOW_NS + 50);
	world_release(&w);
}

static void what_is_open_at_the_end_lasts_to_that_of_the_sound_ones(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t open = add_phase(&w, thread, "open", NOW_NS, PHASE_BEGIN);
	add(&w, thread, "last", NOW_NS + 10, 90, CLASS_OP);
	add(&w, thread, "more", NOW_NS + 20, 10, CLASS_OP);
	add(&w, thread_in(&w, 2), "far", NOW_NS + 30 * DAY_NS, 5, CLASS_OP);
	settle(&w);

	assert_lasts(&w, open, NOW_NS, 100);
	world_release(&w);
}

static void moments_of_the_recording_that_are_far_are_not_known(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	add(&w, thread, "a", NOW_NS, 10, CLASS_OP);
	add(&w, thread, "b", NOW_NS, 10, CLASS_OP);
	add_phase(&w, thread, "Record Window End", 12, PHASE_INSTANT);
	add(&w, thread, "PyTorch Profiler (0)", NOW_NS, 20, CLASS_SPAN);
	add(&w, thread, "PyTorch Profiler (0)", 12, 20, CLASS_SPAN);
	w.m.profile.window_end_ns = 12; /* those of the last ones */
	w.m.profile.span_end_ns = 32;
	settle(&w);

	assert_int_equal(NUMBER_NONE, w.m.profile.window_end_ns);
	assert_int_equal(NOW_NS + 20, w.m.profile.span_end_ns);
	world_release(&w);
}

static void a_sample_far_away_does_not_stretch_the_recording(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);

	add(&w, thread_in(&w, 1), "a", NOW_NS, 10, CLASS_OP);
	w.m.counters = xgrow(w.m.counters, &w.m.counters_cap, 2, sizeof(*w.m.counters));
	w.m.counters[0] = (struct counter_rec){ .ts_ns = 0,
						.offset = 77,
						.name = text_in(&w, "queue") };
	w.m.counters[1] = (struct counter_rec){ .ts_ns = NOW_NS + 20 };
	w.m.ncounters = 2;
	model_note_time(&w.m, 0, NOW_NS + 20);
	settle(&w);

	assert_frame(&w, NOW_NS, NOW_NS + 20);
	assert_int_equal(1, count_findings(&w, FINDING_IMPOSSIBLE_TIME));
	assert_int_equal(77, w.m.findings[0].offset);
	world_release(&w);
}

static void add_flow(struct world *w, int64_t ts_ns, int64_t id, enum flow_end end)
{
	struct model *m = &w->m;

	m->flows = xgrow(m->flows, &m->flows_cap, m->nflows + 1, sizeof(*m->flows));
	m->flows[m->nflows++] = (struct flow_rec){
		.ts_ns = ts_ns,
		.id_number = id,
		.id_text = TEXT_NONE,
		.place = model_place(m, (struct ident){ 100, TEXT_NONE },
				     (struct ident){ 1, TEXT_NONE }),
		.category = text_in(w, "c"),
		.name = text_in(w, "n"),
		.end = end,
		.enclosing = true,
	};
}

static void an_arrow_to_what_is_set_apart_goes_nowhere(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	add(&w, thread, "around", NOW_NS, 100, CLASS_OP);
	add_told(&w, thread, NOW_NS + 50, -7, CLASS_OP);
	add_flow(&w, NOW_NS + 10, 1, FLOW_START);
	add_flow(&w, NOW_NS + 50, 1, FLOW_FINISH);
	add_flow(&w, NOW_NS + 10, 2, FLOW_START);
	add_flow(&w, NOW_NS + 60, 2, FLOW_FINISH);
	settle(&w);

	assert_int_equal(1, w.m.narrows);
	assert_int_equal(1, count_findings(&w, FINDING_FLOW_UNBOUND));
	world_release(&w);
}

static void work_that_runs_into_the_next_piece_is_told(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t seven = stream_in(&w, 7), eight = stream_in(&w, 8);

	add_kernel(&w, seven, 0, 10, NUMBER_NONE, NUMBER_NONE);
	uint32_t over = add_kernel(&w, seven, 10, 100, NUMBER_NONE, NUMBER_NONE);
	add_kernel(&w, seven, 50, 10, NUMBER_NONE, NUMBER_NONE); /* wholly inside */
	add_kernel(&w, seven, 100, 40, NUMBER_NONE, NUMBER_NONE);
	add_kernel(&w, seven, 105, 0, NUMBER_NONE,
		   NUMBER_NONE); /* no time counts twice */
	add_kernel(&w, eight, 20, 40, NUMBER_NONE, NUMBER_NONE); /* another stream */
	settle(&w);

	assert_claims(&w, FINDING_STREAM_OVERLAP, 2, 20, 100.0 * 20 / 200);
	assert_int_equal(over, model_told(&w.m, FINDING_STREAM_OVERLAP)->offset);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_recording_is_left_alone),
		cmocka_unit_test(durations_that_cannot_be_count_nowhere),
		cmocka_unit_test(an_event_far_from_the_others_is_set_apart),
		cmocka_unit_test(of_two_bodies_the_larger_stays),
		cmocka_unit_test(of_three_bodies_the_largest_stays),
		cmocka_unit_test(of_equal_bodies_the_last_stays),
		cmocka_unit_test(stamps_that_were_never_set_are_no_body),
		cmocka_unit_test(the_body_is_found_whatever_the_pattern),
		cmocka_unit_test(times_may_be_negative),
		cmocka_unit_test(nothing_overflows_at_the_ends_of_the_range),
		cmocka_unit_test(all_slices_may_be_set_apart),
		cmocka_unit_test(a_begin_is_judged_with_its_end),
		cmocka_unit_test(what_is_open_at_the_end_lasts_to_that_of_the_sound_ones),
		cmocka_unit_test(moments_of_the_recording_that_are_far_are_not_known),
		cmocka_unit_test(a_sample_far_away_does_not_stretch_the_recording),
		cmocka_unit_test(an_arrow_to_what_is_set_apart_goes_nowhere),
		cmocka_unit_test(work_that_runs_into_the_next_piece_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
