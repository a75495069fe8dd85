/*
 * Listings of functions as Python's pstats makes them: its orders, sort_stats() and
 * reverse_order(), and its restrictions, each of which cuts the list that the one before
 * it left, and tells so in pstats' words.
 */
#ifndef PTOOL_QUERY_CALLGRAPH_LIST_H
#define PTOOL_QUERY_CALLGRAPH_LIST_H

#include "query/calls/callgraph.h"

#define CALLGRAPH_KEYS_MAX 64

struct callgraph_key {
	const char *name;
	const char *also;     /* what pprof calls it; NULL: nothing */
	const char *what;     /* as pstats prints it: "call count" */
	const char *by;       /* fields, a letter each: see callgraph_list.c */
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
