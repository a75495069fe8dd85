/* The operator tree: see optree.h. */
#include "trace/optree.h"

#include <assert.h>

#include "base/spill.h"
#include "base/sum.h"

bool op_class_counts(enum slice_class class, const struct op_rules *rules)
{
	switch (class) {
	case CLASS_OP:
	case CLASS_ANNOTATION:
	case CLASS_RUNTIME:
	case CLASS_DRIVER:
	case CLASS_OVERHEAD:
		return true;
	case CLASS_PYTHON:
		return rules->python_in_tree || rules->all_slices;
	case CLASS_OTHER:
		return rules->all_slices;
	case CLASS_KERNEL:
	case CLASS_MEMCPY:
	case CLASS_MEMSET:
	case CLASS_ACCELERATOR:
	case CLASS_SYNC:
	case CLASS_DEVICE_ANNOTATION:
	case CLASS_SPAN:
	case CLASS_MEMORY:
	case NCLASSES:
		break;
	}
	return false;
}

struct open_nodes {
	uint32_t *at;
	size_t n;
};

/*
 * _populate_cpu_children: a node that the next one does not fit into is popped
 * for good, also when they only overlap.
 */
static void find_parents(struct op_node *nodes, size_t n, uint32_t *nchildren,
			 uint32_t *room)
{
	struct open_nodes open = { room, 0 };

	for (size_t i = 0; i < n; i++) {
		struct op_node *node = &nodes[i];
		node->parent = NODE_NONE;
		if (node->is_async)
			continue;
		while (open.n) {
			const struct op_node *top = &nodes[open.at[open.n - 1]];
			if (node->start_ns < top->end_ns && node->end_ns <= top->end_ns)
				break;
			open.n--;
		}
		if (open.n) {
			node->parent = open.at[open.n - 1];
			nchildren[node->parent]++;
		}
		open.at[open.n++] = (uint32_t)i;
	}
}

/*
 * _remove_dup_nodes: repeats until stable in torch, but folding one pair changes
 * no other pair's condition, so that one pass in order does the same.
 */
static void fold(struct op_node *nodes, size_t n, const uint32_t *nchildren)
{
	for (size_t i = 0; i < n; i++) {
		struct op_node *node = &nodes[i];
		node->folded = false;
		if (node->parent == NODE_NONE)
			continue;
		const struct op_node *parent = &nodes[node->parent];
		node->folded = nchildren[node->parent] == 1 && parent->name == node->name;
		/* The parent is settled already: its own parent is a surviving one. */
		if (parent->folded)
			node->parent = parent->parent;
	}
}

/*
 * Those with one of their name around them: nodes open and close once more, without
 * folded ones, and of each name is counted how many are open.
 */
static void find_recursive(struct op_node *nodes, size_t n, struct sparse *of_name,
			   uint32_t *room)
{
	struct open_nodes open = { room, 0 };

	for (size_t i = 0; i <= n; i++) {
		struct op_node *node = i < n ? &nodes[i] : NULL;
		if (node)
			node->recursive = false;
		if (node && node->is_async)
			continue;
		while (open.n && (!node || open.at[open.n - 1] != node->parent))
			--*SPARSE_AT(of_name, uint32_t, nodes[open.at[--open.n]].name);
		if (!node || node->folded)
			continue;
		node->recursive = (*SPARSE_AT(of_name, uint32_t, node->name))++ > 0;
		open.at[open.n++] = (uint32_t)i;
	}
}

static void begin_sums(struct op_node *node)
{
	node->self_ns = node->is_async ? 0 : sum_sub(node->end_ns, node->start_ns);
	node->self_cpu_bytes = node->is_async ? 0 : node->cpu_bytes;
	node->self_device_bytes = node->is_async ? 0 : node->device_bytes;
	node->self_device_ns = node->is_async ? 0 : node->device_ns;
	node->total_device_ns = node->self_device_ns;
}

static void add_to_parent(struct op_node *nodes, const struct op_node *node)
{
	struct op_node *parent = &nodes[node->parent];

	if (node->folded) {
		/* torch loses the parent's own kernels here; they are kept. */
		parent->self_device_ns =
			sum_add(parent->self_device_ns, node->self_device_ns);
	} else {
		parent->self_ns =
			sum_sub(parent->self_ns, sum_sub(node->end_ns, node->start_ns));
		parent->self_cpu_bytes = sum_sub(parent->self_cpu_bytes, node->cpu_bytes);
		parent->self_device_bytes =
			sum_sub(parent->self_device_bytes, node->device_bytes);
	}
	parent->total_device_ns = sum_add(parent->total_device_ns, node->total_device_ns);
}

void optree_build(struct op_node *nodes, size_t n, struct sparse *of_name,
		  struct spill *spill)
{
	assert(n < NODE_NONE);
	uint32_t *nchildren = spill_alloc(spill, n, sizeof(*nchildren));
	uint32_t *open = spill_alloc(spill, n, sizeof(*open));

	find_parents(nodes, n, nchildren, open);
	fold(nodes, n, nchildren);
	find_recursive(nodes, n, of_name, open);
	spill_free(spill, open);
	for (size_t i = 0; i < n; i++)
		begin_sums(&nodes[i]);
	/* Children stand behind their parents: backwards each is complete when added. */
	for (size_t i = n; i-- > 0;)
		if (nodes[i].parent != NODE_NONE)
			add_to_parent(nodes, &nodes[i]);
	spill_free(spill, nchildren);
}
