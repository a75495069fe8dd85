/*
 * pstats' restrictions: each cuts the list that the one before it left, and tells
 * so in pstats' words.
 */
#ifndef PTOOL_QUERY_CALLGRAPH_CUT_H
#define PTOOL_QUERY_CALLGRAPH_CUT_H

#include "query/calls/callgraph.h"

enum callgraph_cut_kind {
	CUT_COUNT,    /* the first n; a negative n: all */
	CUT_FRACTION, /* the first part, 0 to 1 */
	CUT_MATCH     /* those whose standard name a regular expression is found in */
};

struct callgraph_cut {
	enum callgraph_cut_kind kind;
	int64_t n;
	double fraction;
	const char *pattern;
};

/* The functions that are listed: indexes of rows. */
struct callgraph_list {
	uint32_t *rows; /* the caller's; cuts leave its beginning */
	size_t n;
	bool is_emptied_by_match;
};

/*
 * Cuts the list; `message` gets a line for each cut that changed it, or whose
 * expression is none.  -1 with an ERR_USAGE when matching takes too long.
 */
int callgraph_cut_list(const struct callgraph *g, const struct callgraph_cut *cuts,
		       size_t ncuts, struct callgraph_list *list, struct buf *message,
		       struct err *err);

#endif
