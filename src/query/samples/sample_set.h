/*
 * Sampled stacks in memory: those of the scope's profiles that were chosen, as one tree,
 * with what each stack weighs.  Series that may be added up have one unit, measure and
 * mode; of several such kinds one is shown, and the others are named.
 */
#ifndef PTOOL_QUERY_SAMPLE_SET_H
#define PTOOL_QUERY_SAMPLE_SET_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/table.h"
#include "query/filter.h"
#include "query/scope.h"

#define SAMPLE_ROOT UINT32_MAX /* the caller of outermost frames, and the empty stack */

/* A row of sample_series; texts are "" where there is none. */
struct sample_series {
	int64_t id, profile_id;
	const char *name, *measure, *mode;
	enum unit unit; /* UNIT_NS, UNIT_BYTES, UNIT_COUNT */
	int64_t decimals;
	bool is_default, is_evented, is_rounded, is_chosen;
	int64_t samples; /* NUMBER_NONE: not counted */
	int64_t weight;
	int64_t start_at, end_at; /* or NUMBER_NONE */
	int64_t first_node_id, nodes, first_sum_id, sums, first_sample_id, sample_rows;
};

struct sample_function {
	struct str file, name; /* file: empty where there is none */
	int64_t line;          /* of its definition, or NUMBER_NONE */
};

/* A stack: its innermost frame.  Callers stand before their callees. */
struct sample_node {
	uint32_t caller, function;
	int64_t line; /* that ran, or NUMBER_NONE */
};

/* What one thread has in a stack. */
struct sample_sum {
	uint32_t node, thread; /* SAMPLE_ROOT; a place in threads, or UINT32_MAX */
	int64_t samples, weight;
};

struct sample_thread {
	int64_t id;
	struct str name; /* "MainThread", "7" */
};

struct sample_set {
	struct sample_series *series; /* owned, as all below */
	size_t nseries, series_cap;
	struct sample_function *functions; /* each once, whatever profiles have it */
	size_t nfunctions, functions_cap;
	struct sample_node *nodes;
	size_t nnodes, nodes_cap;
	struct sample_sum *sums;
	size_t nsums, sums_cap;
	struct sample_thread *threads;
	size_t nthreads, threads_cap;
	struct intern keys; /* of functions */
	struct arena arena;
	/* Of what was chosen. */
	enum unit unit;
	int64_t decimals;
	int64_t samples, weight; /* samples: NUMBER_NONE where some were not counted */
	size_t nchosen;
	const char *others; /* the kinds that were not chosen, as text; NULL: none */
};

/* Only the series, none of them chosen.  sample_set_release() frees, also on failure. */
int sample_series_load(struct store *store, const struct scope *scope,
		       struct sample_set *set, struct err *err);
/*
 * Chooses and reads.  `filter`: its threads and its choice of samples count here.  0, or
 * -1: ERR_EMPTY when nothing is left.
 */
int sample_set_load(struct store *store, const struct scope *scope,
		    const struct filter *filter, struct sample_set *set, struct err *err);
void sample_set_release(struct sample_set *set);

/* The place of the thread of that id; UINT32_MAX: none, or left out by the filter. */
uint32_t sample_thread_find(const struct sample_set *set, int64_t id);

/* Does a thread wait whose innermost function this is?  As py-spy has it. */
bool sample_is_idle(const struct sample_function *f);

/* The unit of what sample_set_load() would choose. */
int sample_unit(struct store *store, const struct scope *scope,
		const struct filter *filter, enum unit *out, struct err *err);

/* What people call a function: "wait (threading.py)"; a line where it is not NUMBER_NONE. */
void sample_add_name(const struct sample_function *function, int64_t line,
		     struct buf *out);
/* A weight as a number: an integer, or real where it has decimals. */
struct cell sample_weight_cell(const struct sample_set *set, int64_t weight);

/* Sums of a group of nodes: self of its own stacks, total of all that it is on. */
struct sample_totals {
	int64_t self, total, self_samples, samples;
	bool is_there; /* the sums have it on a stack */
};

/*
 * Adds the chosen sums of all threads up by group: `group` has one for each node.  A group
 * counts once for each stack, however often it is on it.  `out` has ngroups, zeroed.
 */
void sample_add_up(const struct sample_set *set, const uint32_t *group, size_t ngroups,
		   struct sample_totals *out);

/* What each thread has, one after the other: work goes by what it has, not by all. */
struct sample_adder {
	const struct sample_set *set;   /* borrowed */
	const uint32_t *group;          /* borrowed; by node */
	struct sample_weighed *weighed; /* owned; by node */
	uint32_t *nodes; /* owned: those that the sums are on, callers first */
	uint32_t *open;  /* owned; by group: how often it is on the stack */
	uint32_t *sums;  /* owned: places of sums, by thread */
	size_t next_sum;
	/* Of the newest thread: */
	struct sample_totals *totals; /* owned; by group; of others zero */
	uint32_t *groups;             /* owned: those that it has, ascending */
	size_t ngroups;
};

/* sample_adder_close() afterwards. */
void sample_adder_open(struct sample_adder *a, const struct sample_set *set,
		       const uint32_t *group, size_t ngroups);
/* Threads come in their order. */
void sample_adder_next(struct sample_adder *a, uint32_t thread);
void sample_adder_close(struct sample_adder *a);

#endif
