/*
 * The operator tree: torch's own nesting of operators, annotations, runtime
 * calls and, in newer versions, Python frames, from which key_averages() is
 * made (torch-profiler.md a.1 to a.9; torch/autograd/profiler_util.py).  It
 * differs from the tree of slices: partial overlaps pop for good, a child that
 * is its parent's only one and has its name is folded, self may be negative.
 *
 * One thread at a time, over arrays in the order (start, -end, file): the
 * caller gives nodes and gets their places and sums back.
 */
#ifndef PTOOL_TRACE_OPTREE_H
#define PTOOL_TRACE_OPTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/sparse.h"
#include "base/str.h"
#include "trace/fact.h"

struct spill;

#define NODE_NONE UINT32_MAX

/* What a name is to torch's table; found once for each distinct name. */
struct op_name {
	uint32_t name; /* as the table spells it: demangled, ProfilerStep*, no overload */
	uint32_t
		overload; /* of an operator's name "aten::add.Tensor": "Tensor", or TEXT_NONE */
	bool dropped;  /* torch drops these before the tree is built */
	bool is_async; /* a c10d work range: outside the tree */
};

/* `is_op`: overloads are taken off operators only, if their names have at most 256 bytes. */
struct op_name op_name_of(struct str text, bool is_op, struct intern *texts);

/* "aten::add" of "aten::add.Tensor"; other names as they are. */
struct str op_name_plain(struct str name);

/* The events that the rules let into the tree, apart from their names. */
bool op_class_counts(enum slice_class class, const struct op_rules *rules);

struct op_node {
	/* given */
	int64_t start_ns, end_ns;
	int64_t cpu_bytes, device_bytes; /* allocated less freed within [start, end] */
	int64_t device_ns;               /* device work launched for this node itself */
	uint32_t row;                    /* the caller's */
	uint32_t name;                   /* as the table spells it */
	bool is_async;                   /* outside the tree: no self time */
	/* found */
	bool folded;     /* an only child of its parent's name: no row of its own */
	bool recursive;  /* inside a surviving node of its name */
	uint32_t parent; /* index of the surviving node around it, or NODE_NONE */
	int64_t self_ns, self_cpu_bytes, self_device_bytes;
	int64_t self_device_ns, total_device_ns;
};

/*
 * What the call adds to the device total of its name: nothing inside a call of the same
 * name, whose total has it already.
 */
static inline int64_t op_node_device_ns(const struct op_node *node)
{
	return node->recursive ? 0 : node->total_device_ns;
}

/*
 * The nodes of one thread, sorted.  `of_name` has a uint32_t for each name, which is 0 before
 * and after.  What it needs else meanwhile lies in the spill, or NULL.
 */
void optree_build(struct op_node *nodes, size_t n, struct sparse *of_name,
		  struct spill *spill);

#endif
