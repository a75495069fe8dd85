/*
 * Rings of a call graph: functions that call each other, directly or not, and so are
 * in the middle of recursion.  Its strongly connected components.
 */
#ifndef PTOOL_QUERY_CALLGRAPH_RINGS_H
#define PTOOL_QUERY_CALLGRAPH_RINGS_H

#include "query/calls/callgraph.h"

/*
 * The number of each function's ring, most of which have one function: an array of
 * nfunctions that the caller frees.  `first` and `order` are callgraph_callees()'.
 */
uint32_t *callgraph_rings(const struct callgraph *g, const uint32_t *first,
			  const uint32_t *order, uint32_t *nrings);

#endif
