/* Nodes of a tree of calls: see call_tree.h. */
#include "query/calls/call_tree.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "ingest/sink.h"

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
	tree->nodes = xgrow(tree->nodes, &tree->cap, tree->n + 1, sizeof(*tree->nodes));
	tree->nodes[tree->n] = (struct call_node){
		.name = name, .parent = parent, .first = CALL_NONE, .next = CALL_NONE
	};
	return (uint32_t)tree->n++;
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

void call_tree_close(struct call_tree *tree)
{
	for (size_t i = 0; i < tree->n; i++)
		tree->nodes[i].total_ns = tree->nodes[i].self_ns;
	/* children stand behind their parents */
	for (size_t i = tree->n; i-- > 1;) {
		struct call_node *node = &tree->nodes[i];
		struct call_node *parent = &tree->nodes[node->parent];
		if (!node->is_focused && node->first == CALL_NONE)
			continue;
		parent->total_ns = sum_add(parent->total_ns, node->total_ns);
		parent->device_ns = sum_add(parent->device_ns, node->device_ns);
		node->next = parent->first;
		parent->first = (uint32_t)i;
	}
}
