/*
 * The stacks torch groups by (profiler_util.py, _filter_stack_entry and
 * _set_backward_stacktraces): some frames are left out, and what runs for the
 * backward pass gets the stack of the forward operator of its sequence number.
 */
#ifndef PTOOL_TRACE_OPSTACK_H
#define PTOOL_TRACE_OPSTACK_H

#include "base/idmap.h"
#include "trace/optree.h"

/* What the caller knows of a node's slice. */
struct op_stack_info {
	uint32_t stack;   /* text as recorded, or TEXT_NONE */
	int64_t sequence; /* or NUMBER_NONE */
	bool is_backward;
};

typedef struct op_stack_info op_stack_lookup(const void *from, uint32_t row);

struct opstack {
	struct intern *texts;  /* borrowed */
	struct idmap filtered; /* stack -> what is left of it, and 1 more */
	struct idmap forward;  /* sequence -> place in first */
	struct forward_op {
		int64_t start_ns;
		uint32_t stack;
	} * first; /* owned */
	size_t nfirst, first_cap;
	/*
	 * By node of the newest tree: itself or the nearest one around it that runs for
	 * the backward pass, or NODE_NONE.  Owned.
	 */
	uint32_t *backward;
	size_t backward_cap;
};

void opstack_init(struct opstack *s, struct intern *texts, struct spill *spill);
void opstack_release(struct opstack *s);
/* First over all tracks: notes the forward operators of a built tree. */
void opstack_note(struct opstack *s, const struct op_node *nodes, size_t n,
		  op_stack_lookup *lookup, const void *from);
/* Then, of one built tree after the other: its nodes, before opstack_of(). */
void opstack_enter(struct opstack *s, const struct op_node *nodes, size_t n,
		   op_stack_lookup *lookup, const void *from);
/* The stack to group a surviving node by, or TEXT_NONE for an empty one. */
uint32_t opstack_of(struct opstack *s, const struct op_node *nodes,
		    const struct op_node *node, op_stack_lookup *lookup,
		    const void *from);

#endif
