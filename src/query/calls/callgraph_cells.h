/* What tables of call graphs have in their cells. */
#ifndef PTOOL_QUERY_CALLGRAPH_CELLS_H
#define PTOOL_QUERY_CALLGRAPH_CELLS_H

#include "base/table.h"
#include "query/calls/callgraph.h"

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

/* The function's own sums; NULL: it is known as a caller alone. */
const struct callgraph_sums *callgraph_sums_of(const struct callgraph *g,
					       uint32_t function);
/* NUMBER_NONE where not recorded. */
int64_t callgraph_total_ns(const struct callgraph *g, uint32_t function);

/*
 * One of the cells above, as -1, 0, 1: counts of any size, null before any number;
 * texts by code points.
 */
int callgraph_compare_sums(const struct callgraph_sums *a, const struct callgraph_sums *b,
			   int cell);
int callgraph_compare_names(const struct callgraph *g, uint32_t a, uint32_t b, int cell);

#endif
