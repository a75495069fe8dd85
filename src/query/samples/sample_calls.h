/*
 * Sampled stacks as what other commands know: a call graph, whose calls are samples and
 * whose times are weights, and a tree of calls, which is the real one.
 */
#ifndef PTOOL_QUERY_SAMPLE_CALLS_H
#define PTOOL_QUERY_SAMPLE_CALLS_H

#include "query/calls/call_tree.h"
#include "query/calls/callgraph.h"

/*
 * Into an initialised graph: an edge is a caller right above a callee; of both a stack
 * counts once, however often it is in it.  `filter` as in sample_set_load().
 */
int callgraph_of_samples(struct store *store, const struct scope *scope,
			 const struct filter *filter, struct callgraph *g,
			 struct err *err);
/* For call_tree_load(): lines of a function are one. */
int call_tree_from_samples(struct store *store, const struct scope *scope,
			   const struct call_tree_request *request,
			   struct call_tree *tree, struct err *err);

#endif
