/* The callers or callees of functions of a call graph, one function after the other. */
#ifndef PTOOL_QUERY_CALLGRAPH_ENDS_H
#define PTOOL_QUERY_CALLGRAPH_ENDS_H

#include "query/calls/callgraph.h"

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

#endif
