/* Which slices of a track become calls of the operator table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "memory_events.h"
#include "trace/op_pass.h"

struct passing {
	struct intern texts;
	struct op_pass pass;
};

static void passing_init(struct passing *p, const struct op_rules *rules)
{
	intern_init(&p->texts);
	op_pass_init(&p->pass, rules, &p->texts, NULL);
}

static void passing_release(struct passing *p)
{
	op_pass_release(&p->pass);
	intern_release(&p->texts);
}

static struct op_event event(struct passing *p, const char *name, int64_t ts_ns,
			     int64_t dur_ns, enum slice_class class)
{
	return (struct op_event){ .ts_ns = ts_ns,
				  .dur_ns = dur_ns,
				  .name = intern_add(&p->texts, str_of(name)),
				  .class = class };
}

static void assert_node(struct passing *p, size_t i, const char *name)
{
	assert_true(i < p->pass.nnodes);
	assert_true(str_is(intern_str(&p->texts, p->pass.nodes[i].name), name));
}

static const struct op_rules torch_2_6 = { .split_annotations = true };
static const struct op_rules torch_2_14 = { .split_annotations = true,
					    .python_in_tree = true,
					    .keep_unfinished = true };
static const struct op_rules no_torch = { .all_slices = true };

/* Its time stays in the parent's self time, its children become the parent's. */
static void a_dropped_name_leaves_its_children_to_its_parent(void **state)
{
	struct passing p;
	(void)state;
	passing_init(&p, &torch_2_6);
	const struct op_event events[] = {
		event(&p, "outer", 0, 100, CLASS_ANNOTATION),
		event(&p, "profiler::_record_function_enter", 10, 50, CLASS_OP),
		event(&p, "aten::zeros", 20, 30, CLASS_OP),
	};
	op_pass_track(&p.pass, TRACK_THREAD, events, 3);

	assert_int_equal(2, p.pass.nnodes);
	assert_node(&p, 1, "aten::zeros");
	assert_int_equal(0, p.pass.nodes[1].parent);
	assert_int_equal(70, p.pass.nodes[0].self_ns);
	passing_release(&p);
}

static void python_frames_stand_in_the_tree_of_torch_2_14_alone(void **state)
{
	static const struct op_rules *const rules[] = { &torch_2_6, &torch_2_14 };
	static const size_t nnodes[] = { 1, 2 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct passing p;
		passing_init(&p, rules[i]);
		const struct op_event events[] = {
			event(&p, "outer", 0, 100, CLASS_ANNOTATION),
			event(&p, "train.py(1): step", 10, 50, CLASS_PYTHON),
		};
		op_pass_track(&p.pass, TRACK_THREAD, events, 2);
		assert_int_equal(nnodes[i], p.pass.nnodes);
		assert_int_equal(i ? 50 : 100, p.pass.nodes[0].self_ns);
		passing_release(&p);
	}
}

static void an_unfinished_range_is_dropped_before_torch_2_12(void **state)
{
	struct passing p;
	(void)state;
	passing_init(&p, &torch_2_6);
	struct op_event events[] = { event(&p, "open", 0, 100, CLASS_OP),
				     event(&p, "inner", 10, 20, CLASS_OP) };
	events[0].unfinished = true;
	op_pass_track(&p.pass, TRACK_THREAD, events, 2);

	assert_int_equal(1, p.pass.nnodes);
	assert_node(&p, 0, "inner");
	assert_int_equal(NODE_NONE, p.pass.nodes[0].parent);
	passing_release(&p);
}

/* torch 2.4 to 2.10 cut it at "Record Window End" and told nobody. */
static void a_range_that_ends_with_the_record_window_is_unfinished(void **state)
{
	struct passing p;
	(void)state;
	passing_init(&p, &torch_2_6);
	const struct op_event events[] = { event(&p, "open", 0, 100, CLASS_OP),
					   event(&p, "cudaDeviceSynchronize", 50, 50,
						 CLASS_RUNTIME) };
	p.pass.window_end_ns = 100;
	op_pass_track(&p.pass, TRACK_THREAD, events, 2);

	assert_int_equal(1, p.pass.nnodes);
	assert_node(&p, 0, "cudaDeviceSynchronize");
	passing_release(&p);
}

static void an_unfinished_range_is_asynchronous_since_torch_2_12(void **state)
{
	struct passing p;
	(void)state;
	passing_init(&p, &torch_2_14);
	struct op_event events[] = { event(&p, "open", 10, 100, CLASS_OP) };
	events[0].unfinished = true;
	p.pass.span_end_ns = 400;
	op_pass_track(&p.pass, TRACK_THREAD, events, 1);

	assert_true(p.pass.nodes[0].is_async);
	assert_int_equal(400, p.pass.nodes[0].end_ns);
	assert_int_equal(0, p.pass.nodes[0].self_ns);
	passing_release(&p);
}

static void c10d_ranges_shield_nothing(void **state)
{
	struct passing p;
	(void)state;
	passing_init(&p, &torch_2_6);
	const struct op_event events[] = {
		event(&p, "step", 0, 100, CLASS_ANNOTATION),
		event(&p, "gloo:all_reduce", 10, 60, CLASS_ANNOTATION),
		event(&p, "aten::add", 20, 30, CLASS_OP),
	};
	op_pass_track(&p.pass, TRACK_THREAD, events, 3);

	assert_true(p.pass.nodes[1].is_async);
	assert_int_equal(0, p.pass.nodes[2].parent);
	assert_int_equal(70, p.pass.nodes[0].self_ns);
	passing_release(&p);
}

/* aten::add.Tensor is aten::add to the table, and so is what calls it. */
static void names_are_folded_as_the_table_spells_them(void **state)
{
	struct passing p;
	(void)state;
	passing_init(&p, &torch_2_6);
	const struct op_event events[] = { event(&p, "aten::sum", 0, 100, CLASS_OP),
					   event(&p, "aten::sum.dim", 10, 60, CLASS_OP) };
	op_pass_track(&p.pass, TRACK_THREAD, events, 2);

	assert_true(p.pass.nodes[1].folded);
	passing_release(&p);
}

static void streams_have_no_calls_and_async_tracks_only_without_torch(void **state)
{
	struct passing p;
	(void)state;
	passing_init(&p, &no_torch);
	const struct op_event events[] = { event(&p, "request", 0, 100, CLASS_OTHER) };
	op_pass_track(&p.pass, TRACK_STREAM, events, 1);
	assert_int_equal(0, p.pass.nnodes);
	op_pass_track(&p.pass, TRACK_ASYNC, events, 1);
	assert_int_equal(1, p.pass.nnodes);
	assert_true(p.pass.nodes[0].is_async);
	passing_release(&p);

	passing_init(&p, &torch_2_6);
	const struct op_event other[] = { event(&p, "request", 0, 100, CLASS_OP) };
	op_pass_track(&p.pass, TRACK_ASYNC, other, 1);
	assert_int_equal(0, p.pass.nnodes);
	passing_release(&p);
}

/* Without torch every slice counts, under whatever name, open or not. */
static void without_torch_every_slice_counts(void **state)
{
	struct passing p;
	(void)state;
	passing_init(&p, &no_torch);
	struct op_event events[] = { event(&p, "aten::is_leaf", 0, 100, CLASS_OTHER),
				     event(&p, "open", 10, 50, CLASS_OTHER) };
	events[1].unfinished = true;
	op_pass_track(&p.pass, TRACK_THREAD, events, 2);

	assert_int_equal(2, p.pass.nnodes);
	assert_false(p.pass.nodes[1].is_async);
	assert_int_equal(50, p.pass.nodes[0].self_ns);
	passing_release(&p);
}

static void an_operator_owns_the_memory_of_every_thread(void **state)
{
	struct op_memory_event memory[2];
	const struct op_memory_source source = memory_source(memory, 0);
	struct passing p;
	(void)state;
	passing_init(&p, &torch_2_14);
	memory[0] = (struct op_memory_event){
		.ts_ns = 20, .bytes = 64, .row = 7, .is_cpu = true
	};
	memory[1] = (struct op_memory_event){
		.ts_ns = 30, .bytes = -16, .row = 8, .is_cpu = false
	};
	const struct op_event events[] = { event(&p, "aten::empty", 10, 50, CLASS_OP) };
	op_pass_set_memory(&p.pass, &source, memory_numbers(2), 2);
	op_pass_track(&p.pass, TRACK_THREAD, events, 1);

	assert_int_equal(64, p.pass.nodes[0].cpu_bytes);
	assert_int_equal(-16, p.pass.nodes[0].device_bytes);
	passing_release(&p);
}

/* [OutOfMemory] is an event of torch's list, and so a child that keeps others from folding. */
static void out_of_memory_stands_in_the_tree(void **state)
{
	struct op_memory_event memory[1];
	const struct op_memory_source source = memory_source(memory, 0);
	struct passing p;
	(void)state;
	passing_init(&p, &torch_2_14);
	memory[0] =
		(struct op_memory_event){ .ts_ns = 90, .row = 2, .out_of_memory = true };
	struct op_event events[] = { event(&p, "aten::sum", 0, 100, CLASS_OP),
				     event(&p, "aten::sum", 10, 60, CLASS_OP),
				     event(&p, "[OutOfMemory]", 90, 0, CLASS_MEMORY) };
	for (uint32_t i = 0; i < 3; i++)
		events[i].row = i;
	op_pass_set_memory(&p.pass, &source, memory_numbers(1), 1);
	assert_true(op_pass_wants_cover(&p.pass));
	op_pass_cover_track(&p.pass, TRACK_THREAD, events, 3);
	op_pass_cover_end(&p.pass);
	op_pass_track(&p.pass, TRACK_THREAD, events, 3);

	assert_int_equal(3, p.pass.nnodes);
	assert_false(p.pass.nodes[1].folded);
	assert_int_equal(0, p.pass.nodes[2].parent);
	passing_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dropped_name_leaves_its_children_to_its_parent),
		cmocka_unit_test(python_frames_stand_in_the_tree_of_torch_2_14_alone),
		cmocka_unit_test(an_unfinished_range_is_dropped_before_torch_2_12),
		cmocka_unit_test(a_range_that_ends_with_the_record_window_is_unfinished),
		cmocka_unit_test(an_unfinished_range_is_asynchronous_since_torch_2_12),
		cmocka_unit_test(c10d_ranges_shield_nothing),
		cmocka_unit_test(names_are_folded_as_the_table_spells_them),
		cmocka_unit_test(
			streams_have_no_calls_and_async_tracks_only_without_torch),
		cmocka_unit_test(without_torch_every_slice_counts),
		cmocka_unit_test(an_operator_owns_the_memory_of_every_thread),
		cmocka_unit_test(out_of_memory_stands_in_the_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
