/* Flow arrows: each end finds its slice, and the ends of one id are joined by time. */
#include "modeling.h"

#include "store/flow.h"

static void add_flow(struct world *w, enum flow_end end, int64_t id, int64_t tid,
		     int64_t ts_ns)
{
	struct model *m = &w->m;
	uint32_t place = model_place(m, (struct ident){ 100, TEXT_NONE },
				     (struct ident){ tid, TEXT_NONE });

	m->flows = xgrow(m->flows, &m->flows_cap, m->nflows + 1, sizeof(*m->flows));
	m->flows[m->nflows++] = (struct flow_rec){ .ts_ns = ts_ns,
						   .id_number = id,
						   .end = end & 3,
						   .enclosing = true,
						   .id_text = TEXT_NONE,
						   .place = place,
						   .category = text_in(w, "flow"),
						   .name = text_in(w, "flow") };
}

static void build(struct world *w)
{
	order_rows(&w->m);
	nest_rows(&w->m);
	flow_rows(&w->m);
}

static void assert_arrow(const struct world *w, size_t i, uint32_t from, uint32_t into)
{
	assert_true(i < w->m.narrows);
	assert_int_equal(from, slice_of(w, w->m.arrows[i].out));
	assert_int_equal(into, slice_of(w, w->m.arrows[i].in));
}

static void an_arrow_joins_the_slices_around_its_ends(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);

	add(&w, thread_in(&w, 1), "outer", 0, 100, CLASS_OP);
	uint32_t from = add(&w, thread_in(&w, 1), "inner", 10, 50, CLASS_OP);
	uint32_t into = add(&w, thread_in(&w, 2), "next", 80, 50, CLASS_OP);
	add_flow(&w, FLOW_START, 1, 1, 20);
	add_flow(&w, FLOW_FINISH, 1, 2, 80);
	build(&w);

	assert_int_equal(1, w.m.narrows);
	assert_arrow(&w, 0, from, into);
	world_release(&w);
}

/* Without bp "e" an arrow ends at the slice that begins next. */
static void a_finish_that_does_not_enclose_binds_to_what_begins_next(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);

	uint32_t from = add(&w, thread_in(&w, 1), "send", 0, 50, CLASS_OP);
	add(&w, thread_in(&w, 2), "before", 0, 100, CLASS_OP);
	uint32_t into = add(&w, thread_in(&w, 2), "next", 120, 50, CLASS_OP);
	add_flow(&w, FLOW_START, 1, 1, 20);
	add_flow(&w, FLOW_FINISH, 1, 2, 80);
	w.m.flows[1].enclosing = false;
	build(&w);

	assert_arrow(&w, 0, from, into);
	world_release(&w);
}

static void steps_make_a_chain(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);

	uint32_t a = add(&w, thread_in(&w, 1), "a", 0, 50, CLASS_OP);
	uint32_t b = add(&w, thread_in(&w, 2), "b", 60, 50, CLASS_OP);
	uint32_t c = add(&w, thread_in(&w, 3), "c", 120, 50, CLASS_OP);
	add_flow(&w, FLOW_FINISH, 1, 3, 130);
	add_flow(&w, FLOW_START, 1, 1, 10);
	add_flow(&w, FLOW_STEP, 1, 2, 70);
	build(&w);

	assert_int_equal(2, w.m.narrows);
	assert_arrow(&w, 0, a, b);
	assert_arrow(&w, 1, b, c);
	world_release(&w);
}

static void one_start_may_have_many_ends(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);

	uint32_t a = add(&w, thread_in(&w, 1), "a", 0, 50, CLASS_OP);
	uint32_t b = add(&w, thread_in(&w, 2), "b", 60, 50, CLASS_OP);
	uint32_t c = add(&w, thread_in(&w, 3), "c", 120, 50, CLASS_OP);
	add_flow(&w, FLOW_START, 1, 1, 10);
	add_flow(&w, FLOW_FINISH, 1, 2, 70);
	add_flow(&w, FLOW_FINISH, 1, 3, 130);
	build(&w);

	assert_int_equal(2, w.m.narrows);
	assert_arrow(&w, 0, a, b);
	assert_arrow(&w, 1, a, c);
	world_release(&w);
}

static void an_end_before_its_start_is_clock_drift(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);

	uint32_t from = add(&w, thread_in(&w, 1), "launch", 20, 30, CLASS_OP);
	uint32_t into = add(&w, thread_in(&w, 2), "work", 10, 30, CLASS_OP);
	add_flow(&w, FLOW_START, 1, 1, 20);
	add_flow(&w, FLOW_FINISH, 1, 2, 10);
	build(&w);

	assert_arrow(&w, 0, from, into);
	world_release(&w);
}

static void ends_of_two_ids_or_categories_are_not_joined(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);

	add(&w, thread_in(&w, 1), "a", 0, 50, CLASS_OP);
	add(&w, thread_in(&w, 2), "b", 60, 50, CLASS_OP);
	add_flow(&w, FLOW_START, 1, 1, 10);
	add_flow(&w, FLOW_FINISH, 2, 2, 70);
	add_flow(&w, FLOW_FINISH, 1, 2, 70);
	w.m.flows[2].category = text_in(&w, "fwdbwd");
	build(&w);

	assert_int_equal(0, w.m.narrows);
	assert_int_equal(2, count_findings(&w, FINDING_FLOW_UNBOUND));
	world_release(&w);
}

static void an_end_with_no_slice_around_it_is_counted(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);

	add(&w, thread_in(&w, 1), "a", 0, 50, CLASS_OP);
	add(&w, thread_in(&w, 2), "b", 60, 50, CLASS_OP);
	add_flow(&w, FLOW_START, 1, 1, 10);
	add_flow(&w, FLOW_FINISH, 1, 2, 55);
	build(&w);

	assert_int_equal(0, w.m.narrows);
	assert_int_equal(1, count_findings(&w, FINDING_FLOW_UNBOUND));
	world_release(&w);
}

/* Device numbers are small and may be process ids: the slice that begins right there counts. */
static void a_place_that_is_thread_and_stream_binds_to_what_begins_there(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);

	uint32_t from = add(&w, thread_in(&w, 1), "launch", 0, 50, CLASS_OP);
	add(&w, thread_in(&w, 7), "host", 60, 100, CLASS_OP);
	uint32_t into = add_kernel(&w, track_in(&w, TRACK_STREAM, 100, 7), 80, 10, 901,
				   NUMBER_NONE);
	add_flow(&w, FLOW_START, 1, 1, 10);
	add_flow(&w, FLOW_FINISH, 1, 7, 80);
	build(&w);

	assert_arrow(&w, 0, from, into);
	world_release(&w);
}

static void instants_hold_no_arrow(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);

	uint32_t from = add(&w, thread_in(&w, 1), "a", 0, 50, CLASS_OP);
	add_phase(&w, thread_in(&w, 1), "mark", 10, PHASE_INSTANT);
	uint32_t into = add(&w, thread_in(&w, 2), "b", 60, 50, CLASS_OP);
	add_flow(&w, FLOW_START, 1, 1, 10);
	add_flow(&w, FLOW_FINISH, 1, 2, 60);
	build(&w);

	assert_arrow(&w, 0, from, into);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_arrow_joins_the_slices_around_its_ends),
		cmocka_unit_test(
			a_finish_that_does_not_enclose_binds_to_what_begins_next),
		cmocka_unit_test(steps_make_a_chain),
		cmocka_unit_test(one_start_may_have_many_ends),
		cmocka_unit_test(an_end_before_its_start_is_clock_drift),
		cmocka_unit_test(ends_of_two_ids_or_categories_are_not_joined),
		cmocka_unit_test(an_end_with_no_slice_around_it_is_counted),
		cmocka_unit_test(
			a_place_that_is_thread_and_stream_binds_to_what_begins_there),
		cmocka_unit_test(instants_hold_no_arrow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
