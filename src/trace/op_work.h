/*
 * The work of one call of an operator: floating point operations, and the bytes that
 * it must move at least, from what the store keeps of it.  One table has all operators
 * that are known (op_work.c); what a formula counts is told in ptool-roofline(1).
 *
 * `flops` is what the call needs: under a causal mask only the pairs that the mask
 * leaves, of a grouped convolution only its own group's channels.  `torch_flops` is
 * what torch.utils.flop_counter counts, NUMBER_NONE where it has no formula.  `bytes` is
 * each input read once and each output written once.  NUMBER_NONE: not known.
 */
#ifndef PTOOL_TRACE_OP_WORK_H
#define PTOOL_TRACE_OP_WORK_H

#include <stdint.h>

#include "base/str.h"
#include "trace/op_call.h"

enum op_role {
	OP_UNKNOWN, /* not in the table */
	/* Counts only where nothing that it calls does: matmul calls mm. */
	OP_COMPOSITE,
	OP_COUNTS /* with all that it calls */
};

struct op_work {
	int64_t flops, torch_flops, bytes;
	const struct dtype *dtype; /* of its arithmetic; NULL: not known */
	/*
	 * Of paged attention, whose lengths an annotation around it tells; 0: it is none.
	 * Operations of each pair of a query and a key, and bytes of each key.
	 */
	int64_t flops_a_pair, bytes_a_key;
};

struct op_kind;
/* NULL: not in the table.  A name as recorded: "aten::mm.out", "triton_poi_fused_add_0". */
const struct op_kind *op_kind_find(struct str name);
enum op_role op_kind_role(const struct op_kind *kind);
/* Do its formulas need values of inputs that are no tensors? */
bool op_kind_needs_values(const struct op_kind *kind);
/* Then also shapes of tensors in lists, and op_call.list_dtype? */
bool op_kind_needs_lists(const struct op_kind *kind);
/* Has it no values, does op_call.result tell as much? */
bool op_kind_needs_result(const struct op_kind *kind);
/* NULL is an operator that is not known. */
void op_work_of(const struct op_kind *kind, const struct op_call *call,
		struct op_work *out);

#endif
