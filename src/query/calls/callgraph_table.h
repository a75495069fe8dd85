/* Call graphs as tables: the columns that machines get. */
#ifndef PTOOL_QUERY_CALLGRAPH_TABLE_H
#define PTOOL_QUERY_CALLGRAPH_TABLE_H

#include "base/table.h"
#include "query/calls/callgraph.h"
#include "query/calls/callgraph_cut.h"

enum callgraph_calls { CALLS_NONE, CALLS_CALLERS, CALLS_CALLEES };

/*
 * Edges of a function, sorted by the function at the other end.  Zeroed is empty.
 */
struct callgraph_ends {
	uint32_t *order, *first; /* of callees: callgraph_callees(); owned */
	uint32_t *edges;         /* of the function asked for last; owned */
	size_t edges_cap, n;
};

/* Both need the edges; release accepts a zeroed one. */
void callgraph_ends_init(struct callgraph_ends *e, const struct callgraph *g,
			 enum callgraph_calls which);
void callgraph_ends_release(struct callgraph_ends *e);
/* e->edges[0..n): borrowed until the next call. */
void callgraph_ends_of(struct callgraph_ends *e, const struct callgraph *g,
		       uint32_t function);

/*
 * file, line, function, calls, primitive_calls, self_ns, total_ns of the listed rows;
 * with callers or callees their edges, and caller_file, caller_line, caller_function
 * in front.  The caller frees.
 */
struct table *callgraph_table(const struct callgraph *g,
			      const struct callgraph_list *list,
			      enum callgraph_calls which);

#endif
