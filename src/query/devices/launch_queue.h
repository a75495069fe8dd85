/*
 * How much work waits in a stream: launched by the host, not yet begun by the device.
 * A piece waits from the start of the call that launched it to its own start, as in
 * HTA's queue length; the calls of CUDA graphs, which HTA leaves out, put in all of the
 * graph's kernels at once.  A piece without a known launch never waits, nor does one
 * that begins before its launch (two clocks that differ).
 */
#ifndef PTOOL_QUERY_LAUNCH_QUEUE_H
#define PTOOL_QUERY_LAUNCH_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "query/devices/device_work.h"

struct launch_queue {
	int64_t *put, *taken; /* owned: when a piece came and when it left, each sorted */
	size_t n;
	int64_t launched; /* pieces whose launch is known */
	int64_t from_ns,
		to_ns; /* first launch to last start of those, when launched > 0 */
};

/* One for each of work->streams, whose work has its launches; launch_queues_free(). */
struct launch_queue *launch_queues(const struct device_work *work);
void launch_queues_free(struct launch_queue *queues, size_t n);

/* A part of the time. */
struct queue_part {
	int64_t waiting_ns; /* length by time: what all pieces waited in it */
	int64_t max;        /* the longest that the queue was for any time */
};

/* Walks over a queue; zeroed but for the queue it stands at the beginning. */
struct queue_walk {
	const struct launch_queue *queue; /* borrowed */
	size_t put, taken;
};

/* [from, to), which begins where the part before it ended, or later. */
struct queue_part queue_walk_to(struct queue_walk *walk, int64_t from_ns, int64_t to_ns);

#endif
