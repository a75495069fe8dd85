/*
 * Lanes on which slices are put so that they do not overlap: the first lane that fits is
 * found without looking at all of them.  A zeroed one has none.
 */
#ifndef PTOOL_BASE_LANES_H
#define PTOOL_BASE_LANES_H

#include <stddef.h>
#include <stdint.h>

#define LANE_FREE INT64_MAX /* the end of a lane on which nothing is open */

struct lanes {
	size_t n;
	size_t room;           /* 0, or a power of two */
	int64_t *least, *most; /* owned; trees of ends: node i is above 2i and 2i + 1 */
};

/* A new lane with that end; its number is what n was. */
void lanes_add(struct lanes *l, int64_t end);
void lanes_set(struct lanes *l, size_t lane, int64_t end);
/* The first lane whose end is at most that, or at least that; n: there is none. */
size_t lanes_at_most(const struct lanes *l, int64_t end);
size_t lanes_at_least(const struct lanes *l, int64_t end);
/* Has none then; what is owned is kept. */
void lanes_clear(struct lanes *l);
void lanes_release(struct lanes *l);

#endif
