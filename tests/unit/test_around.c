/* What is around a time on a track, against climbing step by step. */
#include "modeling.h"

#include "store/around.h"

#define DEPTH 3000 /* and so many that follow each other: more than is climbed by steps */

static void build(struct world *w)
{
	order_rows(&w->m);
	nest_rows(&w->m);
}

static uint32_t by_steps(const struct model *m, uint32_t row, int64_t ts_ns)
{
	while (row != ROW_NONE && (model_slice(m, row)->phase == PHASE_INSTANT ||
				   slice_end(model_slice(m, row)) < ts_ns))
		row = m->parent[row];
	return row;
}

/* Always the same one. */
static uint32_t next_random(uint32_t *seed)
{
	return (*seed = *seed * 1664525 + 1013904223) >> 8;
}

static void assert_as_by_steps(const struct world *w, const struct around *a,
			       int64_t end_ns)
{
	uint32_t seed = 7;

	for (uint32_t row = 0; row < w->m.nrows; row += 1 + row % 7)
		for (int i = 0; i < 4; i++) {
			int64_t ts_ns = model_slice(&w->m, row)->ts_ns +
					(int64_t)next_random(&seed) % end_ns;
			assert_int_equal(by_steps(&w->m, row, ts_ns),
					 around_row(a, row, ts_ns));
		}
}

/* Some end behind what they began in, and instants lie between them. */
static void deep_rows_are_found_as_by_steps(void **state)
{
	struct around a;
	struct world w;
	uint32_t seed = 1;

	(void)state;
	world_init(&w);
	add(&w, thread_in(&w, 1), "shallow", 5, 50, CLASS_OP);
	add_phase(&w, thread_in(&w, 1), "mark", 10, PHASE_INSTANT);
	for (int64_t i = 0; i < DEPTH; i++) {
		int64_t dur_ns = 5 * (int64_t)DEPTH - 4 * i;
		if (next_random(&seed) % 5 == 0)
			dur_ns += (int64_t)next_random(&seed) % 40;
		add(&w, thread_in(&w, 2), "deep", 2 * i, dur_ns, CLASS_OP);
		if (next_random(&seed) % 3 == 0)
			add_phase(&w, thread_in(&w, 2), "mark", 2 * i + 1, PHASE_INSTANT);
	}
	build(&w);

	around_init(&a, &w.m);
	assert_non_null(a.outs);
	assert_as_by_steps(&w, &a, 6 * (int64_t)DEPTH);
	assert_int_equal(ROW_NONE, around_row(&a, ROW_NONE, 0));
	around_release(&a);
	world_release(&w);
}

static void many_instants_are_passed_at_once(void **state)
{
	struct around a;
	struct world w;

	(void)state;
	world_init(&w);
	for (int64_t i = 0; i < DEPTH; i++)
		add_phase(&w, thread_in(&w, 1), "mark", i, PHASE_INSTANT);
	uint32_t behind = add(&w, thread_in(&w, 1), "next", DEPTH, 50, CLASS_OP);
	for (int64_t i = 1; i < DEPTH; i++)
		add_phase(&w, thread_in(&w, 1), "mark", DEPTH + i, PHASE_INSTANT);
	add(&w, thread_in(&w, 2), "other", 5, 50, CLASS_OP);
	build(&w);

	around_init(&a, &w.m);
	const struct track *t = &w.m.tracks[thread_in(&w, 1)];
	assert_non_null(a.behind_instants);
	assert_int_equal(behind, slice_of(&w, around_next(&a, t, 0)));
	assert_int_equal(behind, slice_of(&w, around_next(&a, t, DEPTH - 1)));
	assert_int_equal(behind, slice_of(&w, around_next(&a, t, DEPTH)));
	assert_int_equal(ROW_NONE, around_next(&a, t, DEPTH + 1));
	assert_int_equal(ROW_NONE, around_next(&a, t, 2 * DEPTH - 1));
	assert_int_equal(ROW_NONE, around_next(&a, t, 2 * DEPTH));
	around_release(&a);
	world_release(&w);
}

/* What every recording has needs no room. */
static void what_is_near_is_found_without_a_table(void **state)
{
	struct around a;
	struct world w;

	(void)state;
	world_init(&w);
	uint32_t outer = add(&w, thread_in(&w, 1), "outer", 0, 100, CLASS_OP);
	uint32_t inner = add(&w, thread_in(&w, 1), "inner", 10, 50, CLASS_OP);
	build(&w);

	around_init(&a, &w.m);
	assert_null(a.outs);
	assert_null(a.behind_instants);
	assert_int_equal(inner, slice_of(&w, around_row(&a, row_of(&w, inner), 60)));
	assert_int_equal(outer, slice_of(&w, around_row(&a, row_of(&w, inner), 61)));
	assert_int_equal(ROW_NONE, around_row(&a, row_of(&w, inner), 101));
	around_release(&a);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deep_rows_are_found_as_by_steps),
		cmocka_unit_test(many_instants_are_passed_at_once),
		cmocka_unit_test(what_is_near_is_found_without_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
