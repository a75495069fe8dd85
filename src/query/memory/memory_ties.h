/*
 * Threads that allocate in the same moment stand in the order of the store, which need
 * not be that of the allocator; its totals tell that.
 */
#ifndef PTOOL_QUERY_MEMORY_TIES_H
#define PTOOL_QUERY_MEMORY_TIES_H

#include "query/memory/memory_events.h"

/* So many events of one moment are put in order together. */
#define MEMORY_TIES_MAX ((size_t)64)

/* How many of e[0, n) are of one moment with the first: at most MEMORY_TIES_MAX. */
size_t memory_ties_count(const struct memory_event *e, size_t n);
/*
 * Puts e[0, n), which are of one moment, in an order in which each total follows from
 * the one before it, the first from `level_bytes`: as far as there is one.  Where an
 * event has no total all stay as they are.  n is at most MEMORY_TIES_MAX.
 */
void memory_ties_order(struct memory_event *e, size_t n, int64_t level_bytes);
/*
 * The level that e[0, n) began with, where nothing stands before them; NUMBER_NONE:
 * not told.
 */
int64_t memory_ties_start(const struct memory_event *e, size_t n);

#endif
