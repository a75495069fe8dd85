/*
 * The memory events that are rows of the table of allocations, one after the other,
 * and the ranges around each: found while they are written, since there may be as
 * many as there are operators.
 */
#ifndef PTOOL_STORE_ALLOCATION_WALK_H
#define PTOOL_STORE_ALLOCATION_WALK_H

#include "store/ranges.h"

struct allocation_walk {
	const struct model *m; /* borrowed */
	uint32_t row;       /* of the newest allocation; ROW_NONE in front of the first */
	struct ranges open; /* around it */
	/* private */
	uint32_t next_row, track;
	int64_t n; /* allocations so far */
};

/* Has the slice a row in the table? */
static inline bool slice_is_allocation(const struct slice_rec *s)
{
	return s->class == CLASS_MEMORY && s->detail != ROW_NONE;
}

/* Behind nest_rows(). */
void allocation_walk_init(struct allocation_walk *w, const struct model *m);
void allocation_walk_release(struct allocation_walk *w);
/* Goes on to allocation number `at`, which is there, the newest one or behind it: `w`. */
const struct allocation_walk *allocation_walk_to(struct allocation_walk *w, int64_t at);

#endif
