/*
 * Which row of its track a slice is drawn in, so that slices of a row never overlap and
 * nothing is dropped.
 */
#ifndef PTOOL_QUERY_TIMELINE_ROWS_H
#define PTOOL_QUERY_TIMELINE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/lanes.h"

struct timeline_rows {
	int64_t *ends; /* owned; of the stack of open slices */
	size_t n, cap;
	struct lanes lanes; /* owned */
	uint32_t rows;      /* so many are used */
};

/* For the next track; what is owned is kept. */
void timeline_rows_clear(struct timeline_rows *r);
void timeline_rows_release(struct timeline_rows *r);

/* Slices come by their start.  Below all that are still open. */
uint32_t timeline_rows_nest(struct timeline_rows *r, int64_t start_ns, int64_t end_ns);
/* The first row in which nothing is open. */
uint32_t timeline_rows_lane(struct timeline_rows *r, int64_t start_ns, int64_t end_ns);

#endif
