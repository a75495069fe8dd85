/*
 * ptool callers, ptool callees: the calls of some functions, caller by caller or
 * callee by callee, with nothing overwritten and nothing stale.
 */
#ifndef PTOOL_QUERY_CALL_EDGES_H
#define PTOOL_QUERY_CALL_EDGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "query/calls/callgraph.h"
#include "query/filter.h"
#include "query/sortkey.h"

enum call_side { CALL_CALLERS, CALL_CALLEES };

struct call_edges_request {
	enum call_side side;
	const struct sort_key *sort; /* NULL: by function, the longest first */
	int64_t limit;               /* 0: all */
	bool reverse, for_people;
};

extern const struct sort_key call_edge_sort_keys[];

/* Functions that are asked about: their indexes. */
struct call_matches {
	uint32_t *functions; /* owned */
	size_t n, cap;
};

/* Those whose standard name has the filter's names; free(out->functions), also on failure. */
int call_edges_match(const struct callgraph *g, const struct filter *filter,
		     struct call_matches *out, struct err *err);

/* Without rows where none of them has a caller, or callee.  The caller frees. */
struct table *call_edges_table(const struct callgraph *g,
			       const struct call_matches *matches,
			       const struct call_edges_request *request);

#endif
