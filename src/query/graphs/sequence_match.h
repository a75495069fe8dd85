/*
 * Where the kernels of a graph are found among those that were launched one by one: by
 * their names, in order.
 *
 * A graph is taken in the longest pieces that lie in the other recording as they are, in
 * time that grows with both and the logarithm of the second.  A piece may lie there often,
 * as in each step: then a kernel gets the path that its launch has everywhere, and none
 * where they differ.  A short piece of a graph proves nothing.
 */
#ifndef PTOOL_QUERY_SEQUENCE_MATCH_H
#define PTOOL_QUERY_SEQUENCE_MATCH_H

#include "query/graphs/launch_source.h"

#define MATCH_LEAST 4 /* kernels of a piece that is not the whole graph */

struct sequence_match {
	const struct launch_source *source; /* borrowed */
	uint32_t *order; /* owned: the items of the source by all that follows each */
	uint32_t *only;  /* owned; by name: the only path of that name, or UINT32_MAX */
	size_t nonly;
	uint64_t left; /* comparisons of paths that may still be made */
};

void sequence_match_init(struct sequence_match *m, const struct launch_source *source);
void sequence_match_release(struct sequence_match *m);
/*
 * Sets the path of each of n names, or CALL_PATH_NONE.  True when all of them lie there
 * in one piece.
 */
bool sequence_match_find(struct sequence_match *m, const uint32_t *names, size_t n,
			 uint32_t *paths);

#endif
