/*
 * ptool tree: the tree of calls of what a scope holds, the real one of traces,
 * an estimated one of call graphs.  A node is a row, below its caller, the longest
 * first; what is too short, or comes after a limit, is summed in a row of its own.
 */
#ifndef PTOOL_QUERY_TREE_H
#define PTOOL_QUERY_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "query/calls/call_tree.h"
#include "query/scope.h"
#include "query/view.h"

struct tree_request {
	struct call_tree_request calls; /* its limits hold for rows, too */
	int64_t limit;                  /* children of one node; 0: all */
	bool for_people;                /* indented names instead of paths */
	int width;                      /* of the table; 0: unlimited */
};

extern const struct view tree_view, sampled_tree_view;

/*
 * 0 and *out, or -1: ERR_EMPTY when nothing is left by the filter, or when it asks
 * for what call graphs do not have.
 */
int tree_open(struct store *store, const struct scope *scope,
	      const struct tree_request *request, struct table **out, struct err *err);

#endif
