/*
 * A call graph in memory: functions, what each took, and what its calls from each
 * caller took, with the order and the arithmetic of Python's pstats: dicts keep the
 * order in which keys came, sums of counts have no limit, seconds are doubles as
 * recorded.  Beside them stand exact nanoseconds, for all that is no listing.
 *
 *	callgraph_init(&sum);
 *	callgraph_load(store, profile, CALLGRAPH_ALL, &one, err);
 *	callgraph_add(&sum, &one);
 */
#ifndef PTOOL_QUERY_CALLGRAPH_H
#define PTOOL_QUERY_CALLGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bignum.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/spelt.h"
#include "query/scope.h"
#include "store/store.h"

#define CALLGRAPH_NONE UINT32_MAX
/* What tables say of a profile that has FINDING_THREADS_MIXED. */
#define CALLS_MIXED                                                                  \
	"cProfile of Python 3.12 and later has one stack for all threads, so times " \
	"and callers are mixed up; py-spy and yappi keep threads apart"

/* Of a function, or of its calls from one caller. */
struct callgraph_sums {
	struct bignum calls, primitive;
	int64_t self_ns, total_ns; /* NUMBER_NONE: no number */
	double self_s, total_s;    /* NaN: no number */
	/* False: calls alone were recorded (profile.Profile's callers); the rest is
	 * undefined. */
	bool has_times;
	/* Calls that were not counted, which dumps write as -1, are among these: numbers
	 * of calls are what pstats makes of them, and no numbers of calls. */
	bool uncounted;
};

struct callgraph_function {
	int64_t line;        /* NUMBER_NONE: not recorded, as of sampled stacks */
	uint32_t file, name; /* texts; CALLGRAPH_NONE: not read, see callgraph_load() */
	uint32_t bytes;      /* the file's name where it is no UTF-8, or CALLGRAPH_NONE */
	uint32_t row;        /* CALLGRAPH_NONE: only a caller */
	uint32_t first, last; /* of its callers' edges, or CALLGRAPH_NONE */
};

struct callgraph_row {
	struct callgraph_sums sums;
	uint32_t function;
	bool is_top_level; /* ("jprofile", 0, "profiler") called it: pstats' top_level */
};

struct callgraph_edge {
	struct callgraph_sums sums; /* of the callee, when called from there */
	uint32_t caller, callee;    /* functions */
	uint32_t next; /* of the same callee, in dict order; CALLGRAPH_NONE */
};

struct callgraph {
	struct callgraph_function *functions; /* owned, as all below */
	size_t nfunctions, functions_cap;
	struct callgraph_row *rows; /* in dict order */
	size_t nrows, rows_cap;
	struct callgraph_edge *edges;
	size_t nedges, edges_cap;
	/* As pstats adds them up: profile by profile, before anything is stripped. */
	struct bignum calls, primitive;
	double self_s;
	int64_t self_ns;
	int64_t whole_ns; /* what shares are of: that, or how long it was recorded */
	/* What callgraph_strip() lost as pstats does, and both could not add. */
	size_t noverwritten, nmixed;
	struct intern texts;
	struct intern
		keys; /* of functions: numbers are indexes; see callgraph_function() */
	struct arena arena; /* digits */
	struct spelt names; /* what long ones take, of all profiles that were read */
	uint32_t *mark;     /* by function: an edge from it, to be looked at */
	size_t mark_cap;
	int64_t first_id; /* function.id of functions[0], when loaded */
	/* Of sampled stacks: calls are samples, and what is called ns is in this unit. */
	bool is_sampled, has_counts; /* else it is not known how many samples */
	enum unit unit;
	int64_t decimals; /* of counts: in units of 10^-decimals */
};

void callgraph_init(struct callgraph *g);
/* Accepts a zeroed one. */
void callgraph_release(struct callgraph *g);

enum callgraph_parts {
	CALLGRAPH_ROWS = 0,  /* rows alone: names on demand, by callgraph_name() */
	CALLGRAPH_NAMES = 1, /* of all functions */
	CALLGRAPH_EDGES = 2,
	CALLGRAPH_ALL = CALLGRAPH_NAMES | CALLGRAPH_EDGES
};

/*
 * A profile, into an initialised graph.  Of `filter` only what it chooses of sampled
 * stacks counts; NULL: all.  ERR_EMPTY when it has no functions.  callgraph_release() in
 * both cases.
 */
struct filter;
int callgraph_load(struct store *store, const struct scope_profile *profile,
		   const struct filter *filter, enum callgraph_parts parts,
		   struct callgraph *g, struct err *err);
/*
 * callgraph_trace.c, for callgraph_load(): operators are functions ("~", 0, name), and
 * Python frames, where they were recorded, (file, line, name).
 */
int callgraph_of_trace(struct store *store, const struct scope_profile *profile,
		       struct callgraph *g, struct err *err);
/* Reads the names of all functions, or of one, when they were not. */
int callgraph_names(struct store *store, struct callgraph *g, struct err *err);
int callgraph_name(struct store *store, struct callgraph *g, uint32_t function,
		   struct err *err);
/* All profiles of the scope, of one kind, in the order of Stats(first, second, ...). */
int callgraph_load_scope(struct store *store, const struct scope *scope,
			 const struct filter *filter, struct callgraph *g,
			 struct err *err);

/*
 * The function of these names, a new one when there is none.  Texts are those of
 * `g`.  Not for a graph that was loaded, which numbers its functions otherwise: add
 * it to an empty one.
 */
uint32_t callgraph_function(struct callgraph *g, const struct callgraph_function *key);
/* An edge behind the callee's others; its digits are in the graph's arena.  Its index. */
uint32_t callgraph_append(struct callgraph *g, const struct callgraph_edge *edge);
/*
 * Stats.add(): rows and callers that are there keep their place, others go to the
 * end.  pstats adds later arguments in reverse: Stats(a, b, c) is a, c, b.
 */
void callgraph_add(struct callgraph *g, const struct callgraph *other);
/*
 * strip_dirs() of `from` into the empty `g`: functions whose names meet are added.
 * Callers that meet within one function: pstats keeps the last one alone, which
 * `overwrites` does and counts; else they are added.
 */
void callgraph_strip(struct callgraph *g, const struct callgraph *from, bool overwrites);

/*
 * Edges by caller: `order` has room for nedges and takes their indexes, `first`
 * for nfunctions + 1: those of caller f are order[first[f]] to order[first[f + 1] - 1].
 */
void callgraph_callees(const struct callgraph *g, uint32_t *first, uint32_t *order);

struct str callgraph_text(const struct callgraph *g, uint32_t text);
/* pstats' standard name: "file:line(name)", "{built-in method len}". */
void callgraph_add_name(const struct callgraph *g, uint32_t function, struct buf *out);
/* By (file, line, name), text by code points: -1, 0, 1. */
int callgraph_compare(const struct callgraph *g, uint32_t a, uint32_t b);
/* NUMBER_NONE and anything is NUMBER_NONE. */
int64_t callgraph_add_ns(int64_t a, int64_t b);
/* Adds what one side took to the other; true: one of them has calls alone, as the sum. */
bool callgraph_sums_add(struct arena *arena, struct callgraph_sums *to,
			const struct callgraph_sums *more);

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
/*
 * The number of each function's ring: functions that call each other, directly or not, and
 * so are in the middle of recursion; most rings have one function.  An array of nfunctions
 * that the caller frees.  `first` and `order` are callgraph_callees()'.
 */
uint32_t *callgraph_rings(const struct callgraph *g, const uint32_t *first,
			  const uint32_t *order, uint32_t *nrings);

#endif
