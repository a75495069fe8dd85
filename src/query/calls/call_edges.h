/*
 * ptool callers, ptool callees: the calls of some functions, caller by caller or
 * callee by callee, with nothing overwritten and nothing stale.  And what machines get
 * of ptool pstats.
 */
#ifndef PTOOL_QUERY_CALL_EDGES_H
#define PTOOL_QUERY_CALL_EDGES_H

#include "query/calls/callgraph.h"
#include "query/calls/callgraph_list.h"
#include "query/filter.h"
#include "query/view.h"

/* The callers or callees of functions of a call graph, one function after the other. */
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

/* A row of functions or of calls. */
struct call_row {
	uint32_t caller, callee; /* functions; a row of functions has no caller */
	const struct callgraph_sums *sums; /* borrowed */
};

/* What the rows are of; a struct that begins with it may be a view's `from`. */
struct call_source {
	const struct callgraph *g; /* borrowed */
};

/* For struct field's get(); arg: the offset of caller or callee in struct call_row. */
struct cell call_file(const void *from, const void *row, int arg);
struct cell call_line(const void *from, const void *row, int arg);
struct cell call_name(const void *from, const void *row, int arg);
/* arg: the offset of a member of struct callgraph_sums; null where not recorded. */
struct cell call_count(const void *from, const void *row, int arg);
struct cell call_ns(const void *from, const void *row, int arg);

enum call_side { CALL_CALLERS, CALL_CALLEES };

struct call_edges_request {
	enum call_side side;
	/* Of call_view; without a key of --sort by function, the longest first. */
	struct view_request show;
	bool is_mixed; /* CALLS_MIXED is to be said */
};

extern const struct view call_view, sampled_call_view;

/* Functions that are asked about: their indexes. */
struct call_matches {
	uint32_t *functions; /* owned */
	size_t n, cap;
};

/* Those whose standard name has the filter's names; free(out->functions), also on failure. */
int call_edges_match(const struct callgraph *g, const struct filter *filter,
		     struct call_matches *out, struct err *err);

/* For show.asked: which fields there are. */
unsigned call_edges_asked(enum call_side side);
/* Without rows where none of them has a caller, or callee.  The caller frees. */
struct table *call_edges_table(const struct callgraph *g,
			       const struct call_matches *matches,
			       const struct call_edges_request *request);

/*
 * The functions listed, as machines get them; with callers or callees the calls of each.
 * The caller frees.
 */
struct table *callgraph_table(const struct callgraph *g,
			      const struct callgraph_list *list,
			      enum callgraph_calls which);

#endif
