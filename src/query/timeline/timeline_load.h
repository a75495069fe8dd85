/* What a reader of timeline_read.h needs of the store besides slices. */
#ifndef PTOOL_QUERY_TIMELINE_LOAD_H
#define PTOOL_QUERY_TIMELINE_LOAD_H

#include "query/timeline/timeline_read.h"

/* A cell that lives as long as the arena. */
struct cell timeline_kept(struct arena *arena, struct cell cell);

#endif
