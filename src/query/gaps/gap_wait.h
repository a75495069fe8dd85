/*
 * Waits of streams for events, as the device's tracer shows them (cuda_sync), and which
 * of them hold a piece of work back.
 */
#ifndef PTOOL_QUERY_GAP_WAIT_H
#define PTOOL_QUERY_GAP_WAIT_H

#include "query/gaps/gap_blame.h"

#define GAP_NOT_SAID INT64_C(-1) /* in gap_waits.sql */

struct stream_wait {
	int64_t device, stream;
	int64_t ts_ns, dur_ns;
	int64_t other; /* the stream whose event is waited for, or GAP_NOT_SAID */
	int64_t slice_id;
};

struct stream_waits {
	struct stream_wait *items; /* owned; by (device, stream, ts) */
	size_t n, cap;
};

/* What a stream ran last before the work that ends a gap. */
struct stream_past {
	uint32_t item; /* GAP_NO_WORK: nothing yet */
	int64_t end_ns;
};

/* stream_waits_release() in both cases. */
int stream_waits_load(const struct gap_blame_request *request, struct stream_waits *out,
		      struct err *err);
void stream_waits_release(struct stream_waits *w);

/* A gap as it looks from the device; all borrowed. */
struct gap_view {
	const struct device_work *work;
	const struct gap *gap;          /* has an `after` */
	const struct stream_past *past; /* by stream */
};

/* The wait that was asked for since the stream's work before; NULL: none was. */
const struct stream_wait *stream_waits_told(const struct stream_waits *w,
					    const struct gap_view *v);
/* The wait that held work back that was launched before the gap; NULL: none did. */
const struct stream_wait *stream_waits_holding(const struct stream_waits *w,
					       const struct gap_view *v);

#endif
