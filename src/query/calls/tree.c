/* The tree of a scope: see tree.h. */
#include "query/calls/tree.h"

#include "query/filter_nothing.h"

static int estimate(struct store *store, const struct scope *scope,
		    const struct tree_request *request, struct call_tree *tree,
		    struct err *err)
{
	const struct estimate_limits limits = { .filter = request->filter,
						.root_at = request->root_at,
						.depth = request->depth,
						.min_ns = request->min_ns,
						.min_share_pct = request->min_share_pct };
	struct callgraph g;

	if (request->kernels || request->by_instance || request->by_step)
		return err_set(
			err, ERR_USAGE,
			"--kernels, --instances and --by step are for traces; this "
			"is a call graph");
	if (filter_check_call_graph(request->filter, err) < 0)
		return -1;
	callgraph_init(&g);
	int rc = callgraph_load_scope(store, scope, &g, err);
	if (rc == 0)
		rc = call_tree_estimate(&g, &limits, tree, err);
	callgraph_release(&g);
	return rc;
}

int tree_open(struct store *store, const struct scope *scope,
	      const struct tree_request *request, struct table **out, struct err *err)
{
	struct call_tree tree;
	bool is_graph;

	if (scope_is_call_graph(scope, &is_graph, err) < 0)
		return -1;
	const struct slice_tree_request slices = { .filter = request->filter,
						   .root_at = request->root_at,
						   .kernels = request->kernels,
						   .by_instance = request->by_instance,
						   .by_step = request->by_step };
	call_tree_init(&tree);
	int rc = is_graph ? estimate(store, scope, request, &tree, err)
			  : call_tree_from_slices(store, scope, &slices, &tree, err);
	if (rc == 0 && tree.nodes[CALL_ROOT].first == CALL_NONE)
		rc = filter_is_given(request->filter) || request->root_at
			     ? err_set(err, ERR_EMPTY, "no call matches")
			     : filter_lacks(scope, "calls", err);
	if (rc == 0)
		*out = tree_table(&tree, request);
	call_tree_release(&tree);
	return rc;
}
