/*
 * Functions that moved: on another line of their file, or with another address in their
 * name, they are those of the base all the same, and paired as rows of `ptool diff` are.
 * By name, over all that both sides have: what a filter leaves out does not change which
 * functions are one.
 */
#ifndef PTOOL_QUERY_FLAME_MOVED_H
#define PTOOL_QUERY_FLAME_MOVED_H

#include "base/flame.h"
#include "base/intern.h"
#include "query/calls/call_tree.h"

/* Zeroed there is no base, and each name is its own. */
struct flame_moved {
	struct intern names;
	struct flame_named *of; /* owned; by name */
	size_t cap, nbase;      /* names of the base come first */
	bool has_base;
};

/* The tree of a run of the base, which all come first, or of the new side. */
void flame_moved_add(struct flame_moved *m, const struct call_tree *tree,
		     enum flame_side side);
/* What the base calls the function, or else the name: borrowed. */
struct str flame_moved_from(struct flame_moved *m, struct str name);
/* Boxes have the names of the new side.  Releases it. */
void flame_moved_end(struct flame_moved *m, struct flame *flame);

#endif
