/*
 * What was live at the peak of a device: blocks by operator, by size or by the step
 * that allocated them.  Rows add up to the peak.
 */
#ifndef PTOOL_QUERY_MEMORY_LIVE_H
#define PTOOL_QUERY_MEMORY_LIVE_H

#include "query/memory/memory_figures.h"

/* An empty table of such rows; drawn by memory_live_pick(). */
struct memtable *memory_live_table(void);
/*
 * Adds the rows of a device of which it is known.  Beyond `limit` rows (0: none) what is
 * left is summed up in one.
 */
void memory_live_add(const struct memory_source *s, const struct memory_place *place,
		     const struct memory_figures *figures, size_t limit,
		     struct memtable *to);
/* The columns that the request asks for; the memtable is moved. */
struct table *memory_live_pick(const struct memory_source *s, struct memtable *m);

#endif
