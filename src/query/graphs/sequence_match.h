/*
 * Where the kernels of a graph are found among those that were launched one by one: by
 * their names, in order.
 *
 * A graph is taken in the longest pieces that lie in the other recording as they are, in
 * time that grows with both and the logarithm of the second.  A piece may lie there often,
 * as in each step, and be in the graph often, as in each layer.  Where it is there K times
 * as often, the first of the graph is the first of each turn there, and so on.  A kernel
 * gets the path that its launch has in all of these, or where they differ that of the
 * operators alone, or none.  A short piece of a graph proves nothing.
 */
#ifndef PTOOL_QUERY_SEQUENCE_MATCH_H
#define PTOOL_QUERY_SEQUENCE_MATCH_H

#include "query/graphs/launch_source.h"

#define MATCH_LEAST 4 /* kernels of a piece that is not the whole graph */

struct sequence_match {
	const struct launch_source *source; /* borrowed */
	uint32_t *order; /* owned: the items of the source by all that follows each */
	struct launched *only; /* owned; by name: what all work of that name agrees in */
	size_t nonly;
	struct match_piece *pieces; /* owned: of the graph that is looked for */
	size_t npieces, pieces_cap;
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
