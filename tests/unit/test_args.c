/* args of begins and ends as one object. */
#include "modeling.h"

#include "store/args.h"

static void give_args(struct world *w, uint32_t slice, const char *json)
{
	struct model *m = &w->m;

	m->args = xgrow(m->args, &m->args_cap, m->nargs + 1, sizeof(*m->args));
	m->args[m->nargs++] =
		(struct args_rec){ slice, arena_copy(&m->arena, str_of(json)) };
}

static void build(struct world *w)
{
	order_rows(&w->m);
	args_of_ends(&w->m);
}

static void assert_args(const struct world *w, size_t i, uint32_t slice, const char *json)
{
	assert_true(i < w->m.nargs);
	assert_int_equal(slice, slice_of(w, w->m.args[i].slice));
	assert_int_equal(strlen(json), w->m.args[i].json.n);
	assert_memory_equal(json, w->m.args[i].json.p, strlen(json));
}

static void what_an_end_says_is_added_to_its_begin(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t begin = add_phase(&w, thread, "a", 10, PHASE_BEGIN);
	uint32_t end = add_phase(&w, thread, "a", 20, PHASE_END);
	uint32_t other = add(&w, thread, "b", 30, 5, CLASS_OP);
	give_args(&w, begin, "{\"x\": 1 }");
	give_args(&w, end, "{\"y\":3}");
	give_args(&w, other, "{\"z\":4}");
	build(&w);

	assert_int_equal(2, w.m.nargs);
	assert_args(&w, 0, begin, "{\"x\": 1,\"y\":3}");
	assert_args(&w, 1, other, "{\"z\":4}");
	world_release(&w);
}

static void of_a_key_in_both_the_ends_counts(void **state)
{
	static const char *const rows[][3] = {
		{ "{\"x\":1}", "{\"x\": 2 }", "{\"x\": 2 }" },
		{ "{ \"x\":1, \"y\":\"}\" , \"z\":[1]}", "{\"w\":0,\"y\":2}",
		  "{ \"x\":1, \"z\":[1],\"w\":0,\"y\":2}" },
		{ "{\"x\":1,\"y\":2        \n,\"z\":3}", "{\"x\":5,\"z\":6}",
		  "{\"y\":2        \n,\"x\":5,\"z\":6}" },
		{ "{\"x\":{\"y\":1},\"x\":2}", "{\"y\":3}",
		  "{\"x\":{\"y\":1},\"x\":2,\"y\":3}" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct world w;
		world_init(&w);
		uint32_t thread = thread_in(&w, 1);
		uint32_t begin = add_phase(&w, thread, "a", 10, PHASE_BEGIN);
		uint32_t end = add_phase(&w, thread, "a", 20, PHASE_END);
		give_args(&w, begin, rows[i][0]);
		give_args(&w, end, rows[i][1]);
		build(&w);
		assert_args(&w, 0, begin, rows[i][2]);
		world_release(&w);
	}
}

static void an_end_may_stand_before_its_begin_in_the_file(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t end = add_phase(&w, thread, "a", 20, PHASE_END);
	uint32_t begin = add_phase(&w, thread, "a", 10, PHASE_BEGIN);
	give_args(&w, end, "{\"y\":3}");
	give_args(&w, begin, "{\"x\":1}");
	build(&w);

	assert_int_equal(1, w.m.nargs);
	assert_args(&w, 0, begin, "{\"x\":1,\"y\":3}");
	world_release(&w);
}

static void a_begin_without_args_takes_those_of_its_end(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t begin = add_phase(&w, thread, "a", 10, PHASE_BEGIN);
	uint32_t end = add_phase(&w, thread, "a", 20, PHASE_END);
	uint32_t empty = add_phase(&w, thread, "b", 30, PHASE_BEGIN);
	uint32_t empty_end = add_phase(&w, thread, "b", 40, PHASE_END);
	give_args(&w, end, "{\"y\":3}");
	give_args(&w, empty, "{ }");
	give_args(&w, empty_end, "{\"z\":3}");
	build(&w);

	assert_int_equal(2, w.m.nargs);
	assert_args(&w, 0, begin, "{\"y\":3}");
	assert_args(&w, 1, empty, "{\"z\":3}");
	world_release(&w);
}

static void args_of_an_unmatched_end_go_with_it(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t end = add_phase(&w, thread, "nobody", 20, PHASE_END);
	give_args(&w, end, "{\"y\":3}");
	build(&w);

	assert_int_equal(0, w.m.nargs);
	world_release(&w);
}

static void args_that_are_no_objects_are_not_joined(void **state)
{
	struct world w;
	(void)state;
	world_init(&w);
	uint32_t thread = thread_in(&w, 1);

	uint32_t begin = add_phase(&w, thread, "a", 10, PHASE_BEGIN);
	uint32_t end = add_phase(&w, thread, "a", 20, PHASE_END);
	give_args(&w, begin, "[1]");
	give_args(&w, end, "{\"y\":3}");
	build(&w);

	assert_args(&w, 0, begin, "[1]");
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_an_end_says_is_added_to_its_begin),
		cmocka_unit_test(of_a_key_in_both_the_ends_counts),
		cmocka_unit_test(an_end_may_stand_before_its_begin_in_the_file),
		cmocka_unit_test(a_begin_without_args_takes_those_of_its_end),
		cmocka_unit_test(args_of_an_unmatched_end_go_with_it),
		cmocka_unit_test(args_that_are_no_objects_are_not_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
