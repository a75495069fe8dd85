/*
 * The operators and labels around a point of a thread, by time alone.  The tree
 * of slices cuts what overruns (record_function begins within one Python frame
 * and ends within another); here a range lasts until its end.
 */
#ifndef PTOOL_STORE_RANGES_H
#define PTOOL_STORE_RANGES_H

#include "store/model.h"

/* Zeroed but for `spill` is empty. */
struct ranges {
	uint32_t *rows; /* owned; by start, ended ones may be among them */
	size_t n, cap;
	int64_t ts_ns;
	struct spill *spill; /* borrowed, or NULL: where the rows lie */
};

void ranges_release(struct ranges *r);
/*
 * Goes on to the row, the next one of its track: what is asked then is about its
 * start, and it is itself around those that follow.
 */
void ranges_pass(struct ranges *r, const struct model *m, uint32_t row);
/* The i-th of the ranges, if it is of that class and still open. */
bool ranges_is_open(const struct ranges *r, const struct model *m, size_t i,
		    enum slice_class class);
/* The innermost one of that class, or ROW_NONE. */
uint32_t ranges_innermost(const struct ranges *r, const struct model *m,
			  enum slice_class class);

#endif
