/*
 * The operators and labels around a point of a thread, by time alone.  The tree
 * of slices cuts what overruns (record_function begins within one Python frame
 * and ends within another); here a range lasts until its end.
 */
#ifndef PTOOL_STORE_RANGES_H
#define PTOOL_STORE_RANGES_H

#include "store/model.h"

/* Ranges of one class by start.  The last one is open; ended ones may lie below it. */
struct range_stack {
	uint32_t *rows; /* owned */
	size_t n, cap;
};

/* Zeroed but for `spill` is empty. */
struct ranges {
	struct range_stack ops, labels;
	struct spill *spill; /* borrowed, or NULL: where the rows lie */
};

void ranges_release(struct ranges *r);
/*
 * Goes on to the row, the next one of its track: what is asked then is about its
 * start, and it is itself around those that follow.
 */
void ranges_pass(struct ranges *r, const struct model *m, uint32_t row);
/* To the row, as if all those before it on its track had been passed; behind nest_rows(). */
void ranges_seek(struct ranges *r, const struct model *m, uint32_t row);
/* The innermost operator or label, the one that began last; or ROW_NONE. */
uint32_t ranges_innermost_op(const struct ranges *r);
uint32_t ranges_innermost_label(const struct ranges *r);

/*
 * The memory events that are rows of the table of allocations, one after the other,
 * and the ranges around each: found while they are written, since there may be as
 * many as there are operators.
 */
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
