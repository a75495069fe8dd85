/*
 * The tree of calls of what a scope holds as a flame graph: a node a path, ordered for
 * drawing, with what each path has itself; two recordings are laid over each other by
 * path.  What the tree is, and how far a call graph's is an estimate, call_tree.h says:
 * the times here are those that "ptool export --to folded" writes, without threads that
 * only wait.
 */
#ifndef PTOOL_QUERY_FLAME_H
#define PTOOL_QUERY_FLAME_H

#include "base/err.h"
#include "base/flame.h"
#include "query/calls/call_tree.h"
#include "query/calls/flame_moved.h"
#include "query/scope.h"
#include "store/store.h"

struct flame_request {
	struct call_tree_request calls;
	enum flame_amount by;
	bool is_inverted; /* start with the functions that took the time, with their callers below */
};

/* Flame graphs of one or two sides: start, add each side, finish. */
struct flame_builder {
	struct flame *flame; /* borrowed */
	const struct flame_request *request;
	struct intern keys; /* of (parent, name, kind); number + 1 is the node's */
	int64_t runs[NFLAME_SIDES]; /* that were added */
	/* Of the newest side: by text of its tree, text + 1 of the flame; owned. */
	uint32_t *texts;
	size_t texts_cap;
	struct flame_moved moved;
	bool is_by_runs; /* when finished: flame->steps are runs, as a side has no steps */
};

void flame_start(struct flame_builder *b, struct flame *flame,
		 const struct flame_request *request);
/*
 * The calls of a scope, a run, as this side; the base first makes it a comparison.  -1: as
 * call_tree_load(); ERR_EMPTY when nothing is left, or the amount was not recorded; and
 * when the sides have different units.
 */
int flame_add(struct flame_builder *b, struct store *store, const struct scope *scope,
	      enum flame_side side, struct err *err);
/* What flame_finish() does with nodes that stand behind their parents, in any order. */
void flame_arrange(struct flame *flame);
/*
 * Sums up, sorts and releases the builder.  `rc` is what flame_add() said, and comes back; or
 * -1 with an ERR_EMPTY, when there are calls but none has any of the amount.
 */
int flame_finish(struct flame_builder *b, int rc, struct err *err);

#endif
