/* Nodes of a tree of calls: see call_tree.h. */
#include "query/calls/call_tree.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "query/samples/sample_calls.h"
#include "trace/fact.h"

void call_tree_init(struct call_tree *tree)
{
	*tree = (struct call_tree){ .n = 1 };
	intern_init(&tree->keys);
	intern_init(&tree->texts);
	tree->nodes = xgrow(NULL, &tree->cap, 1, sizeof(*tree->nodes));
	tree->nodes[CALL_ROOT] = (struct call_node){ .name = TEXT_NONE,
						     .parent = CALL_NONE,
						     .first = CALL_NONE,
						     .next = CALL_NONE };
}

void call_tree_release(struct call_tree *tree)
{
	if (!tree->nodes)
		return;
	intern_release(&tree->keys);
	intern_release(&tree->texts);
	free(tree->nodes);
	*tree = (struct call_tree){ 0 };
}

uint32_t call_tree_child(struct call_tree *tree, uint32_t parent, uint32_t name)
{
	const uint32_t key[] = { parent, name };
	const struct str bytes = { (const char *)key, sizeof(key) };
	uint32_t at = intern_add(&tree->keys, bytes) + 1;

	return at < tree->n ? at : call_tree_append(tree, parent, name);
}

uint32_t call_tree_device(struct call_tree *tree, uint32_t parent, uint32_t name)
{
	const uint32_t key[] = { parent, ~name };
	const struct str bytes = { (const char *)key, sizeof(key) };
	uint32_t at = intern_add(&tree->keys, bytes) + 1;

	return at < tree->n ? at : call_tree_append(tree, parent, name);
}

uint32_t call_tree_append(struct call_tree *tree, uint32_t parent, uint32_t name)
{
	*ARRAY_PUSH(tree->nodes, tree->n, tree->cap) = (struct call_node){
		.name = name, .parent = parent, .first = CALL_NONE, .next = CALL_NONE
	};
	return (uint32_t)tree->n - 1;
}

int call_tree_judge(struct call_tree *tree, uint32_t at, const struct filter *filter,
		    struct err *err)
{
	const struct filter focus = { .focus = filter->focus },
			    ignore = { .ignore = filter->ignore };
	struct call_node *node = &tree->nodes[at];
	struct str name = intern_str(&tree->texts, node->name);
	int focused = 1, kept = filter_has_name(&ignore, name, err);

	if (!tree->nodes[node->parent].is_focused)
		focused = filter_has_name(&focus, name, err);
	node->is_ignored = kept == 0;
	node->is_focused = kept && focused;
	return kept < 0 || focused < 0 ? -1 : 0;
}

/*
 * The total of an estimated node, below which all is settled.  busy_ns of a node that
 * is not settled yet sums up what its children lost to filters, where it is kept for
 * its own name; else what they have.
 */
static void settle(struct call_tree *tree, struct call_node *node)
{
	struct call_node *parent = &tree->nodes[node->parent];
	int64_t whole = node->total_ns, below = node->busy_ns;

	if (node->is_focused) {
		int64_t left = sum_sub(whole, below);
		node->total_ns = left > node->self_ns ? left : node->self_ns;
	} else {
		node->total_ns = below < whole ? below : whole;
	}
	node->busy_ns = node->total_ns;
	bool loses = parent->is_focused && node->parent != CALL_ROOT;
	parent->busy_ns =
		sum_add(parent->busy_ns, loses ? whole - node->total_ns : node->total_ns);
}

static void add_up(struct call_tree *tree, struct call_node *node)
{
	struct call_node *parent = &tree->nodes[node->parent];

	node->total_ns = sum_add(node->total_ns, node->self_ns);
	parent->total_ns = sum_add(parent->total_ns, node->total_ns);
	parent->busy_ns = sum_add(parent->busy_ns, node->busy_ns);
	parent->device_ns = sum_add(parent->device_ns, node->device_ns);
}

void call_tree_close(struct call_tree *tree)
{
	struct call_node *root = &tree->nodes[CALL_ROOT];

	/* children stand behind their parents */
	for (size_t i = tree->n; i-- > 1;) {
		struct call_node *node = &tree->nodes[i];
		if (tree->is_estimated)
			settle(tree, node);
		else
			add_up(tree, node);
		if (!node->is_focused && node->first == CALL_NONE)
			continue;
		node->next = tree->nodes[node->parent].first;
		tree->nodes[node->parent].first = (uint32_t)i;
	}
	if (tree->is_estimated)
		root->total_ns = root->busy_ns;
}

static int estimate(struct store *store, const struct scope *scope,
		    const struct call_tree_request *request, struct call_tree *tree,
		    struct err *err)
{
	struct callgraph g;

	if (filter_check_call_graph(request->filter, err) < 0)
		return -1;
	callgraph_init(&g);
	int rc = callgraph_load_scope(store, scope, NULL, &g, err);
	if (rc == 0 && g.nedges == 0 && !scope_has_self(scope))
		rc = scope_lacks_self("callers and callees", err);
	if (rc == 0)
		rc = call_tree_estimate(&g, request, tree, err);
	if (scope_is_tree(scope))
		tree->is_estimated = false;
	callgraph_release(&g);
	return rc;
}

int call_tree_load(struct store *store, const struct scope *scope,
		   const struct call_tree_request *request, struct call_tree *tree,
		   struct err *err)
{
	enum scope_kind kind;

	if (scope_kind(scope, &kind, err) < 0)
		return -1;
	if (kind == SCOPE_SAMPLES)
		return call_tree_from_samples(store, scope, request, tree, err);
	return kind == SCOPE_CALL_GRAPHS
		       ? estimate(store, scope, request, tree, err)
		       : call_tree_from_slices(store, scope, request, tree, err);
}
