/* Stacks to group by: less the machinery's frames, the forward pass's for the backward pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/opstack.h"

struct known {
	struct intern texts;
	struct opstack stacks;
	struct op_stack_info info[4]; /* by row */
	struct op_node nodes[4];
};

static struct op_stack_info look_up(const void *from, uint32_t row)
{
	return ((const struct known *)from)->info[row];
}

static void known_init(struct known *k)
{
	*k = (struct known){ 0 };
	intern_init(&k->texts);
	opstack_init(&k->stacks, &k->texts, NULL);
	for (uint32_t row = 0; row < 4; row++) {
		k->info[row] = (struct op_stack_info){ TEXT_NONE, NUMBER_NONE, false };
		k->nodes[row] = (struct op_node){ .start_ns = 10 * (int64_t)row,
						  .row = row,
						  .parent = NODE_NONE };
	}
}

static void known_release(struct known *k)
{
	opstack_release(&k->stacks);
	intern_release(&k->texts);
}

static void give(struct known *k, uint32_t row, const char *stack, int64_t sequence)
{
	k->info[row].stack = stack ? intern_add(&k->texts, str_of(stack)) : TEXT_NONE;
	k->info[row].sequence = sequence;
}

static void assert_stack(struct known *k, uint32_t row, const char *expected)
{
	opstack_enter(&k->stacks, k->nodes, 4, look_up, k);
	uint32_t got = opstack_of(&k->stacks, k->nodes, &k->nodes[row], look_up, k);

	if (!expected)
		assert_int_equal(TEXT_NONE, got);
	else
		assert_true(str_is(intern_str(&k->texts, got), expected));
}

static void a_stack_loses_its_last_semicolon(void **state)
{
	struct known k;
	(void)state;
	known_init(&k);
	give(&k, 0, "train.py(3): step;train.py(9): main;", NUMBER_NONE);
	assert_stack(&k, 0, "train.py(3): step;train.py(9): main");
	known_release(&k);
}

static void frames_of_the_machinery_are_left_out(void **state)
{
	struct known k;
	(void)state;
	known_init(&k);
	give(&k, 0,
	     "torch/autograd/__init__.py(103): backward;torch/autograd/__init__.py(9): _make_grads;"
	     "torch/tensor.py(221): backward;torch/testing/_internal/common_utils.py(5): prof_func_call;"
	     "torch/autograd/__init__.py(1): grad;train.py(9): main;",
	     NUMBER_NONE);
	assert_stack(&k, 0, "torch/autograd/__init__.py(1): grad;train.py(9): main");
	give(&k, 1, "torch/autograd/__init__.py(103): backward;", NUMBER_NONE);
	assert_stack(&k, 1, NULL);
	known_release(&k);
}

static void an_operator_without_a_stack_has_none(void **state)
{
	struct known k;
	(void)state;
	known_init(&k);
	assert_stack(&k, 0, NULL);
	known_release(&k);
}

static void backward_operators_get_the_stack_of_their_forward_one(void **state)
{
	struct known k;
	(void)state;
	known_init(&k);
	give(&k, 0, "model.py(7): forward;", 5);
	give(&k, 1, "engine.py(1): run;", 5);
	k.info[1].is_backward = true;
	give(&k, 2, "engine.py(2): inner;", NUMBER_NONE);
	k.nodes[2].parent = 1; /* inside the backward one */
	opstack_note(&k.stacks, k.nodes, 4, look_up, &k);

	assert_stack(&k, 0, "model.py(7): forward");
	assert_stack(&k, 1, "model.py(7): forward");
	assert_stack(&k, 2, "model.py(7): forward");
	known_release(&k);
}

static void the_first_forward_operator_of_a_sequence_number_counts(void **state)
{
	struct known k;
	(void)state;
	known_init(&k);
	give(&k, 0, "late;", 5);
	give(&k, 1, "early;", 5);
	k.nodes[0].start_ns = 100;
	give(&k, 2, NULL, 5);
	k.info[2].is_backward = true;
	opstack_note(&k.stacks, k.nodes, 3, look_up, &k);

	assert_stack(&k, 2, "early");
	known_release(&k);
}

static void a_backward_operator_without_a_forward_one_has_no_stack(void **state)
{
	struct known k;
	(void)state;
	known_init(&k);
	give(&k, 0, "engine.py(1): run;", 6);
	k.info[0].is_backward = true;
	give(&k, 1, "engine.py(1): run;", NUMBER_NONE); /* AccumulateGrad */
	k.info[1].is_backward = true;
	opstack_note(&k.stacks, k.nodes, 2, look_up, &k);

	assert_stack(&k, 0, NULL);
	assert_stack(&k, 1, NULL);
	known_release(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_loses_its_last_semicolon),
		cmocka_unit_test(frames_of_the_machinery_are_left_out),
		cmocka_unit_test(an_operator_without_a_stack_has_none),
		cmocka_unit_test(backward_operators_get_the_stack_of_their_forward_one),
		cmocka_unit_test(the_first_forward_operator_of_a_sequence_number_counts),
		cmocka_unit_test(a_backward_operator_without_a_forward_one_has_no_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
