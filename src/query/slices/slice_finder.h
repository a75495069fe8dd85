/*
 * Single slices by their id: what a piece of device work links to, and what stands
 * around that.  One lookup each, so for the few among millions of slices.
 */
#ifndef PTOOL_QUERY_SLICE_FINDER_H
#define PTOOL_QUERY_SLICE_FINDER_H

#include <stdint.h>

#include "base/err.h"
#include "query/text_pool.h"
#include "store/store.h"

struct slice_finder {
	struct store *store; /* borrowed; as long as it has no slice to find, not asked */
	struct text_pool *texts; /* borrowed */
	struct sqlite3_stmt *at, *next_call, *shapes;
	/* On its row all the time: else every lookup locks the file anew. */
	struct sqlite3_stmt *held;
};

struct found_slice {
	int64_t id, ts_ns, dur_ns, track_id;
	int64_t parent_id, step_id; /* 0: none; a parent stands before its slice */
	uint32_t name;
	int class; /* as the store says: perhaps no enum slice_class */
};

/* For slice_finder_close(). */
struct slice_finder slice_finder_of(struct store *store, struct text_pool *texts);
/* Accepts a zeroed one. */
void slice_finder_close(struct slice_finder *f);

/* 1; 0 when there is no such slice, as for id 0; -1 with err set. */
int slice_finder_find(struct slice_finder *f, int64_t id, struct found_slice *out,
		      struct err *err);
/*
 * The same, and the name of the next call of the runtime near it, on its thread and within
 * the slice around it; TEXT_NONE when there is none.
 */
int slice_finder_call(struct slice_finder *f, int64_t id, struct found_slice *out,
		      uint32_t *next, struct err *err);
/* The text of the shapes of an operator's inputs, "[[8, 3], []]", or TEXT_NONE. */
int slice_finder_shapes(struct slice_finder *f, int64_t id, uint32_t *shapes,
			struct err *err);

#endif
