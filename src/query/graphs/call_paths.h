/*
 * Paths of calls: operators, modules and Python frames, each below what called it, from
 * the outermost operator or module on.  The same path is the same number in one tree.
 */
#ifndef PTOOL_QUERY_CALL_PATHS_H
#define PTOOL_QUERY_CALL_PATHS_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"

#define CALL_PATH_NONE 0U /* no path; nodes count from 1 */
/* A longer path is none: walks along paths shall not take long, whatever a recording says. */
#define CALL_PATH_MOST 512

struct call_path {
	uint32_t caller; /* a smaller number, or CALL_PATH_NONE */
	uint32_t name;   /* text of the owner's */
	uint32_t class;  /* enum slice_class: an operator, an annotation or a frame */
	uint32_t length; /* calls of the path to here, set by call_paths_child() */
};

struct call_paths {
	struct call_path *nodes; /* owned; node 1 is nodes[0] */
	size_t n, cap;
	struct intern keys;
	uint32_t *way; /* owned: of call_path_nodes() */
	size_t way_cap;
};

void call_paths_init(struct call_paths *p);
void call_paths_release(struct call_paths *p);
/*
 * The node of that call below its caller, a new one when there was none; CALL_PATH_NONE
 * where the path gets too long.
 */
uint32_t call_paths_child(struct call_paths *p, struct call_path path);

static inline const struct call_path *call_path_at(const struct call_paths *p,
						   uint32_t node)
{
	return &p->nodes[node - 1];
}

/*
 * The nodes of a path, the outermost first, in an array of the tree that holds until the
 * next call; 0: there is no path.
 */
size_t call_path_nodes(struct call_paths *p, uint32_t node, const uint32_t **nodes);
/* The innermost operator of a path, or CALL_PATH_NONE. */
uint32_t call_path_op(const struct call_paths *p, uint32_t node);

#endif
