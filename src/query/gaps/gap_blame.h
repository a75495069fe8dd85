/*
 * The blame for idle time: each gap cut into pieces, each piece charged to one cause.
 * The pieces of a gap follow one another from its start to its end, so that their
 * lengths add up to it.
 *
 * Work launched inside the gap: until the launch begins, the launching thread is
 * charged for what it ran, innermost first (gap_host.h).  From there on, and where the
 * launch was made before, the device is late (gap_device.h).  After the last work the
 * thread that marks the steps is charged.  No launch known: launch unknown.
 */
#ifndef PTOOL_QUERY_GAP_BLAME_H
#define PTOOL_QUERY_GAP_BLAME_H

#include "query/gaps/gap_cause.h"
#include "query/gaps/gap_range.h"
#include "query/gaps/gaps.h"

#define GAP_NO_ROOT UINT32_MAX

struct gap_piece {
	int64_t start_ns, end_ns;
	int64_t slice_id; /* what is charged; 0: no slice */
	int64_t dur_ns;   /* how long that lasts, in the gap and outside */
	uint32_t gap;
	uint32_t blamed;                /* text of what is charged; TEXT_NONE: nothing */
	uint32_t op, frame, annotation; /* innermost ones then; texts, or TEXT_NONE */
	uint8_t cause;                  /* enum gap_cause */
	bool drains;                    /* the host waited for the device in it */
};

/* What drained a queue before a gap, when it ended before the gap began. */
struct gap_drain {
	int64_t slice_id, dur_ns;
	uint32_t gap;
	uint32_t blamed;
	uint8_t cause;
};

/* Which call launched which work. */
struct gap_launch {
	int64_t launch_id;
	uint32_t item;
};

/* What the launching call of the work that ends a gap was in; texts, or TEXT_NONE. */
struct gap_context {
	uint32_t op, frame, annotation;
};

struct gap_blame {
	struct gaps gaps;
	struct gap_piece *pieces; /* owned; by (gap, start_ns) */
	size_t n, cap;
	struct gap_drain *drains; /* owned; by gap */
	size_t ndrains, drains_cap;
	struct gap_launch *launches; /* owned; by launch_id, then item */
	size_t nlaunches;
	struct gap_context *contexts; /* owned; by gap */
	bool *waited; /* owned; by item: its stream was told to wait just before its launch */
};

/* What a blame is made from; all borrowed. */
struct gap_blame_request {
	struct store *store;
	struct text_pool *texts;
	const struct scope_profile *profile;
	const struct device_work *work; /* with launches */
	const struct gap_range *range;  /* of all the profile: windows and marks */
};

/* gap_blame_release() in both cases. */
int gap_blame_load(const struct gap_blame_request *request, struct gap_blame *out,
		   struct err *err);
void gap_blame_release(struct gap_blame *b);

/* The first that the call launched on the device or a later one; NULL: nothing. */
const struct gap_launch *gap_blame_launch(const struct gap_blame *b,
					  const struct device_work *work,
					  int64_t launch_id, uint32_t device);
/* A piece of nothing: all texts TEXT_NONE. */
struct gap_piece gap_piece_of(uint32_t gap, int64_t start_ns, int64_t end_ns);
/* For who makes pieces: they may come in any order of gaps, but in time within one. */
struct gap_piece *gap_blame_add(struct gap_blame *b, const struct gap_piece *piece);
/* Do the pieces of every gap tile it?  -1 with err set when not. */
int gap_blame_check(const struct gap_blame *b, struct err *err);

#endif
