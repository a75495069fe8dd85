/* Stacks from a tree of calls: see export_stacks.h. */
#include "cli/export_stacks.h"

#include "base/sum.h"
#include "query/filter_nothing.h"

static int check(const struct export_request *request, const struct call_tree *tree,
		 struct err *err)
{
	if (tree->nodes[CALL_ROOT].first == CALL_NONE)
		return filter_is_given(request->filter)
			       ? err_set(err, ERR_EMPTY, "no call matches")
			       : filter_lacks(request->scope, "calls", err);
	if (request->weight == EXPORT_DEVICE && !tree->has_device)
		return err_set(err, ERR_EMPTY,
			       "--weight device: no device work was recorded");
	return 0;
}

/* Of all nodes but CALL_ROOT, whose number + 1 is 0. */
static void add_paths(struct export_stacks *s)
{
	const struct call_tree *tree = &s->tree;

	for (uint32_t at = CALL_ROOT + 1; at < tree->n; at++)
		stack_paths_add(&s->paths, tree->nodes[at].parent - 1,
				tree->nodes[at].name);
	if (s->paths.is_deep)
		s->paths.left_out =
			intern_add(&s->tree.texts, STR_LIT(STACK_FRAMES_LEFT_OUT));
}

int export_stacks_open(const struct export_request *request, struct export_stacks *s,
		       struct export_losses *losses, struct err *err)
{
	const struct call_tree_request all = { .filter = request->filter,
					       .kernels = true,
					       .as_stacks = true };

	*s = (struct export_stacks){ .at = CALL_ROOT, .losses = losses };
	call_tree_init(&s->tree);
	if (call_tree_load(request->store, request->scope, &all, &s->tree, err) < 0)
		return -1;
	losses->is_estimated = s->tree.is_estimated;
	losses->is_cut = s->tree.is_full;
	add_paths(s);
	return check(request, &s->tree, err);
}

/* Of sampled stacks the samples of a node are also those of the nodes below. */
static int64_t own_calls(const struct call_tree *tree, const struct call_node *node)
{
	int64_t calls = node->calls;

	for (uint32_t at = node->first; tree->is_sampled && at != CALL_NONE;
	     at = tree->nodes[at].next)
		calls = sum_sub(calls, tree->nodes[at].calls);
	return calls;
}

bool export_stacks_next(struct export_stacks *s)
{
	while (++s->at < s->tree.n) {
		const struct call_node *node = &s->tree.nodes[s->at];
		bool is_device = node->kind == CALL_DEVICE;

		if (!node->is_focused || node->is_ignored ||
		    node->kind == CALL_RECURSION || node->kind == CALL_REST)
			continue;
		s->calls = own_calls(&s->tree, node);
		s->host_ns = is_device ? 0 : node->self_ns;
		s->device_ns = is_device ? node->device_ns : 0;
		if (s->calls == 0 && s->host_ns == 0 && s->device_ns == 0)
			continue;
		s->losses->is_shortened |= stack_paths_find(&s->paths, s->at - 1);
		return true;
	}
	return false;
}

void export_stacks_rewind(struct export_stacks *s)
{
	s->at = CALL_ROOT;
}

void export_stacks_close(struct export_stacks *s)
{
	call_tree_release(&s->tree);
	stack_paths_release(&s->paths);
	*s = (struct export_stacks){ 0 };
}

int64_t export_stacks_ns(const struct export_stacks *s, enum export_weight weight)
{
	return weight == EXPORT_DEVICE ? s->device_ns : s->host_ns;
}

const char *export_stacks_amount(const struct export_stacks *s, int64_t amount,
				 char out[EXPORT_AMOUNT_MAX])
{
	return export_amount_text(amount, s->tree.decimals, out);
}

const char *export_stacks_unit(const struct export_stacks *s, const char *count)
{
	if (!s->tree.is_sampled || s->tree.unit == UNIT_NS)
		return "nanoseconds";
	return s->tree.unit == UNIT_BYTES ? "bytes" : count;
}
