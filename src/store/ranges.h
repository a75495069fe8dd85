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
/* Forgets all ranges: another track begins. */
void ranges_clear(struct ranges *r);
/*
 * Goes on to the row, the next one of its track: what is asked then is about its
 * start, and it is itself around those that follow.
 */
void ranges_pass(struct ranges *r, const struct model *m, uint32_t row);
/* The innermost operator or label, the one that began last; or ROW_NONE. */
uint32_t ranges_innermost_op(const struct ranges *r);
uint32_t ranges_innermost_label(const struct ranges *r);

#endif
