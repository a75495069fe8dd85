/*
 * What a recording does not say of a call, and what is around the call does: the element
 * type of lists of tensors its kernels or the calls inside it, how many gradients a
 * convolution computes the calls inside it, and the shape of its result autograd's node of
 * the same sequence number, which is given a gradient of that shape.
 */
#ifndef PTOOL_QUERY_OP_TOLD_H
#define PTOOL_QUERY_OP_TOLD_H

#include "query/roofline/call_kinds.h"
#include "query/roofline/op_owners.h"
#include "query/roofline/op_spent.h"

struct op_told {
	struct store *store; /* borrowed, like what follows */
	const struct op_owners *ops;
	struct call_kinds *kinds;
	struct text_pool *texts;
	/* Of autograd's nodes, when the first call asks: */
	struct node_shape {
		int64_t sequence;
		uint32_t shapes; /* text, or TEXT_NONE: several nodes differ */
	} * nodes;               /* owned; by sequence */
	size_t nnodes, cap;
	struct sqlite3_stmt *sequence; /* of a slice */
};

/* op_told_close() in all cases, also of a zeroed one. */
void op_told_close(struct op_told *t);
/* Of the call at this place, whose work is its own. */
int op_told_of(struct op_told *t, uint32_t at, const struct op_spent *spent,
	       struct call_told *out, struct err *err);

#endif
