/* Rows of the table of operators whose work is known.  Inside trace/op_work*.c only. */
#ifndef PTOOL_TRACE_OP_KIND_H
#define PTOOL_TRACE_OP_KIND_H

#include "trace/op_work.h"

enum {
	OP_KIND_VALUES = 1,    /* it needs values of inputs that are no tensors */
	OP_KIND_TORCH = 2,     /* torch.utils.flop_counter has a formula, too */
	OP_KIND_COMPOSITE = 4, /* op_work.h, OP_COMPOSITE */
	OP_KIND_LISTS = 8,     /* it needs shapes of tensors in lists, and their type */
	OP_KIND_RESULT = 16,   /* its result tells what values would */
	/* The element type of its result, where that is not its inputs': */
	OP_KIND_INT32 = 32,   /* always; */
	OP_KIND_INT64 = 64,   /* of integers and bool; */
	OP_KIND_FLOAT = 128,  /* float32 of those, but not with rounding_mode; */
	OP_KIND_PAIRED = 256, /* complex, of two parts; */
	OP_KIND_TYPED = 512   /* that whose number the last input is */
};

typedef void op_rule(const struct op_kind *kind, const struct op_call *call,
		     struct op_work *out);

struct op_kind {
	const char *name; /* without "aten::" */
	op_rule *rule;
	/* What they mean is the rule's: places of inputs, operations an element. */
	int8_t a, b, c, d;
	uint16_t flags; /* OP_KIND_ */
};

op_rule op_rule_mm, op_rule_bmm, op_rule_linear, op_rule_matmul, op_rule_grouped,
	op_rule_dot, op_rule_mv, op_rule_mm_fp4, op_rule_packed, op_rule_sized;
op_rule op_rule_conv, op_rule_conv_backward, op_rule_conv_backward_old;
op_rule op_rule_attention, op_rule_attention_backward, op_rule_paged;
op_rule op_rule_each, op_rule_compare, op_rule_select, op_rule_copy, op_rule_fill,
	op_rule_move, op_rule_like, op_rule_softmax, op_rule_lists, op_rule_rnn,
	op_rule_embedding_bag, op_rule_embedding_bag_backward, op_rule_index_select,
	op_rule_topk, op_rule_int4, op_rule_reduce, op_rule_embedding,
	op_rule_embedding_backward, op_rule_gather, op_rule_max_pool, op_rule_generated;

/*
 * The type of a result that an input names, a c10::ScalarType; `missing` where that is
 * not set.  at < -1: it is that of input -2 - at, which is written.
 */
const struct dtype *op_result_type(const struct op_call *c, int at,
				   const struct dtype *missing);
/* Which of two types arithmetic is in: complex, floating, integers, bool; then the wider. */
bool dtype_is_over(const struct dtype *a, const struct dtype *b);

#endif
