/* The orders in which Python's pstats lists functions: sort_stats(), reverse_order(). */
#ifndef PTOOL_QUERY_CALLGRAPH_SORT_H
#define PTOOL_QUERY_CALLGRAPH_SORT_H

#include "query/calls/callgraph.h"

#define CALLGRAPH_KEYS_MAX 64

struct callgraph_key {
	const char *name;
	const char *also;     /* what pprof calls it; NULL: nothing */
	const char *what;     /* as pstats prints it: "call count" */
	const char *by;       /* fields, a letter each: see callgraph_sort.c */
	bool is_of_texts;     /* needs the functions' names */
	const char *old_text; /* "-1", of pstats' older interface; NULL: none */
};

/* name NULL ends it. */
extern const struct callgraph_key callgraph_keys[];
/*
 * The key of this name, or of a beginning of it that pstats takes: one that it does
 * not find twice while it goes through its keys, a rule that refuses "c", "cum", "n"
 * and "t".  `is_only`: it is the only one, so that -1, 0, 1 and 2 mean keys too.
 * NULL: none.
 */
const struct callgraph_key *callgraph_key_find(const char *word, bool is_only);

struct callgraph_order {
	const struct callgraph_key *keys[CALLGRAPH_KEYS_MAX];
	size_t n; /* 0: as recorded */
	bool reversed;
};

/* Needs names: see callgraph_load(). */
bool callgraph_order_needs_names(const struct callgraph_order *order);
/* The rows in that order: `rows` has room for nrows. */
void callgraph_sort(const struct callgraph *g, const struct callgraph_order *order,
		    uint32_t *rows);

#endif
