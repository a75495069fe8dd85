/* Rows of the table of operators whose work is known.  Inside trace/op_work*.c only. */
#ifndef PTOOL_TRACE_OP_KIND_H
#define PTOOL_TRACE_OP_KIND_H

#include "trace/op_work.h"

enum {
	OP_KIND_VALUES = 1,    /* it needs values of inputs that are no tensors */
	OP_KIND_TORCH = 2,     /* torch.utils.flop_counter has a formula, too */
	OP_KIND_COMPOSITE = 4, /* op_work.h, OP_COMPOSITE */
	OP_KIND_LISTS = 8,     /* it needs shapes of tensors in lists, and their type */
	OP_KIND_RESULT = 16    /* its result tells what values would */
};

typedef void op_rule(const struct op_kind *kind, const struct op_call *call,
		     struct op_work *out);

struct op_kind {
	const char *name; /* without "aten::" */
	op_rule *rule;
	/* What they mean is the rule's: places of inputs, operations an element. */
	int8_t a, b, c, d;
	uint8_t flags; /* OP_KIND_ */
};

op_rule op_rule_mm, op_rule_bmm, op_rule_linear, op_rule_matmul, op_rule_grouped,
	op_rule_dot, op_rule_mv, op_rule_mm_fp4, op_rule_packed, op_rule_sized;
op_rule op_rule_conv, op_rule_conv_backward, op_rule_conv_backward_old;
op_rule op_rule_attention, op_rule_attention_backward, op_rule_paged;
op_rule op_rule_each, op_rule_compare, op_rule_select, op_rule_copy, op_rule_fill,
	op_rule_move, op_rule_like, op_rule_lists, op_rule_rnn, op_rule_embedding_bag,
	op_rule_embedding_bag_backward, op_rule_index_select, op_rule_topk, op_rule_int4,
	op_rule_reduce, op_rule_embedding, op_rule_embedding_backward, op_rule_gather,
	op_rule_max_pool, op_rule_generated;

/* Which of two types arithmetic is in: complex, floating, integers, bool; then the wider. */
bool dtype_is_over(const struct dtype *a, const struct dtype *b);

#endif
