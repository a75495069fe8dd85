/*
 * A tree of calls: what was called by what, each path once with the sums of all
 * its calls.  The times of a trace's tree close: total = self + the children's totals.
 */
#ifndef PTOOL_QUERY_CALL_TREE_H
#define PTOOL_QUERY_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intern.h"
#include "query/calls/callgraph.h"
#include "query/filter.h"
#include "query/scope.h"
#include "store/store.h"

#define CALL_NONE UINT32_MAX
#define CALL_ROOT 0U

enum call_kind {
	CALL_PATH,      /* calls of one function, called along one path */
	CALL_RECURSION, /* of a function that stands higher up: not followed */
	CALL_DEVICE,    /* device work, below the call that launched it: no host time */
	CALL_REST       /* what was cut, summed; `calls` says how many nodes */
};

struct call_node {
	int64_t calls, self_ns, total_ns;
	int64_t busy_ns;   /* total_ns without threads that only wait: shares are of it */
	int64_t device_ns; /* of CALL_DEVICE its own, of all others what is below */
	int64_t start_ns;  /* of a tree of single calls; else 0 */
	uint32_t name;     /* text */
	uint32_t parent;   /* parents stand before their children */
	uint32_t first, next;
	enum call_kind kind;
	uint8_t class;   /* enum slice_class, of traces; else CLASS_OTHER */
	bool is_cut;     /* an estimate went no further, though it has callees */
	bool is_focused; /* it or one above it has a name that --focus wants */
	bool is_ignored; /* it has a name that --ignore means: not in the tree */
};

struct call_tree {
	struct call_node
		*nodes; /* the first, CALL_ROOT, is nameless: all that there is */
	size_t n, cap;
	struct intern keys;  /* of (parent, name); number + 1 is the node's */
	struct intern texts; /* names */
	bool is_estimated;   /* from a call graph, which does not tell it */
	bool has_device;     /* device work was asked for, and there is some */
	bool is_by_instance; /* single calls, in the order of starts; else paths */
	bool is_full;        /* the estimate was not followed to its end */
	/* Of sampled stacks: calls are samples, and what is called ns is in this unit. */
	bool is_sampled, has_counts; /* else it is not known how many samples */
	enum unit unit;
	int64_t decimals; /* of counts: in units of 10^-decimals */
};

/* call_tree_release() frees, also a zeroed one. */
void call_tree_init(struct call_tree *tree);
void call_tree_release(struct call_tree *tree);
/* The child of that name, which is made when there is none. */
uint32_t call_tree_child(struct call_tree *tree, uint32_t parent, uint32_t name);
/* The same for device work, which may be called as a child is. */
uint32_t call_tree_device(struct call_tree *tree, uint32_t parent, uint32_t name);
/* A node behind all others, without looking whether the parent has one of that name. */
uint32_t call_tree_append(struct call_tree *tree, uint32_t parent, uint32_t name);
/*
 * Whether --focus and --ignore of the filter mean a new node: sets is_focused and
 * is_ignored.  -1 when an expression takes too long.
 */
int call_tree_judge(struct call_tree *tree, uint32_t at, const struct filter *filter,
		    struct err *err);
/*
 * Behind the last call: the children's lists, and totals, those of a trace from self
 * times; of an estimated tree they are there, and lose what filters leave out.
 */
void call_tree_close(struct call_tree *tree);

/*
 * The tree of a scope.  Of a trace it is the real one: slices of host threads by path,
 * all threads and profiles added up.  Filters choose slices; the self time of one that
 * is not chosen is that of the nearest chosen one around it.  --focus and --ignore mean
 * paths: kept is what has such a name in it, and gone is what lies below one to ignore.
 *
 * Of a call graph it is an estimate, from the functions that nothing calls downwards.
 * A function that has one caller has its cumulative time; of one that has several each
 * path has the part that the graph tells of that caller, times the part that the
 * caller's path has of the caller.  So does snakeviz.  What calls a function that is on
 * the path already is CALL_RECURSION and ends there; its time is also part of that
 * one's, so that with recursion callees may take more than their caller.
 */
struct call_tree_request {
	const struct filter *filter;
	const struct filter
		*root_at; /* NULL; or paths begin at names that its focus means */
	/* Of traces: */
	bool kernels;     /* device work too, where there is some, below its launches */
	bool by_instance; /* each call a node of its own */
	bool by_step;     /* "ProfilerStep#3", not "ProfilerStep*" */
	/*
	 * Of an estimate: self times are those of stacks, all of them together no more than
	 * the profile has; else a path may have what others of its function have, too.
	 */
	bool as_stacks;
	/* Where an estimate stops: */
	int64_t depth;        /* levels; 0: all */
	int64_t min_ns;       /* what takes less is not followed ... */
	double min_share_pct; /* ... nor less than this share of all */
};

/*
 * Into an initialised tree, which may have no calls.  ERR_USAGE for filters that a call
 * graph does not have; ERR_EMPTY when the scope holds both kinds.
 */
int call_tree_load(struct store *store, const struct scope *scope,
		   const struct call_tree_request *request, struct call_tree *tree,
		   struct err *err);

/* The two kinds, for call_tree_load(). */
int call_tree_from_slices(struct store *store, const struct scope *scope,
			  const struct call_tree_request *request, struct call_tree *tree,
			  struct err *err);
int call_tree_estimate(const struct callgraph *g, const struct call_tree_request *limits,
		       struct call_tree *tree, struct err *err);

#endif
