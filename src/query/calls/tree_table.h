/*
 * A tree of calls as a table: a node a row, below its caller, the longest first.
 * What is too short, or behind a limit, is summed in a row of its own.
 */
#ifndef PTOOL_QUERY_TREE_TABLE_H
#define PTOOL_QUERY_TREE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "query/calls/call_tree.h"

struct tree_request {
	const struct filter *filter;  /* borrowed */
	const struct filter *root_at; /* borrowed; its focus means the roots; NULL */
	int64_t depth;                /* levels to show; 0: all */
	int64_t limit;                /* children of one node; 0: all */
	double min_share_pct;         /* of the whole tree's busy time */
	int64_t min_ns;
	bool kernels, by_instance, by_step; /* of traces: see struct slice_tree_request */
	bool for_people;                    /* indented names instead of paths */
	int width;                          /* of the table; 0: unlimited */
};

/* The tree is moved: table_free() frees it. */
struct table *tree_table(struct call_tree *tree, const struct tree_request *request);

#endif
