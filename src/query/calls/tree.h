/*
 * ptool tree: the tree of calls of what a scope holds, the real one of traces,
 * an estimated one of call graphs.
 */
#ifndef PTOOL_QUERY_TREE_H
#define PTOOL_QUERY_TREE_H

#include "query/calls/tree_table.h"
#include "query/scope.h"

/*
 * 0 and *out, or -1: ERR_EMPTY when nothing is left by the filter, or when it asks
 * for what call graphs do not have.
 */
int tree_open(struct store *store, const struct scope *scope,
	      const struct tree_request *request, struct table **out, struct err *err);

#endif
