/*
 * What pieces of device work took together, of a device or of a stream.  Half-open
 * intervals of integer nanoseconds: work side by side counts once, work that touches is
 * one, and work of no length counts as a piece and adds no time.
 *
 *	span = busy + idle
 *	busy = compute + exposed_comm + exposed_copy
 *	communication = exposed_comm + overlap
 *
 * The same as in TraceLens's gpu_timeline, but for memory sets, which copy here and
 * compute there, and as in HTA's get_temporal_breakdown and get_comm_comp_overlap where
 * those leave out nothing.
 */
#ifndef PTOOL_QUERY_WORK_TIMES_H
#define PTOOL_QUERY_WORK_TIMES_H

#include <stdint.h>

#include "base/err.h"
#include "base/intervals.h"
#include "query/devices/device_work.h"

struct work_times {
	int64_t events, kernels; /* all pieces; number of kernels */
	int64_t launched;        /* pieces whose launch is known, if launches were read */
	int64_t sum_ns;          /* of all durations */
	int64_t start_ns, end_ns; /* first start, last end; when there are events */
	int64_t span_ns, busy_ns, idle_ns;
	/* when any work of that kind ran */
	int64_t compute_ns, communication_ns, memory_ns;
	int64_t overlap_ns; /* of communication with computation */
	/* without computation beside it; of memory, without communication either */
	int64_t exposed_comm_ns, exposed_copy_ns;
};

/*
 * One for each of work->devices or work->streams, which free() frees; zeroed where no
 * item is left.  NULL with an ERR_INPUT when times are further apart than int64 tells.
 */
struct work_times *work_times_of_devices(const struct device_work *work, struct err *err);
struct work_times *work_times_of_streams(const struct device_work *work, struct err *err);

/*
 * How much of some work ran alone and how much beside other work: of a transfer or a
 * collective, what a program waits for and what it does not notice.
 */
struct exposure {
	int64_t busy_ns;    /* any of it ran: exposed_ns + hidden_ns */
	int64_t exposed_ns; /* and nothing beside it */
	int64_t hidden_ns;
};

/* `work` is in any order and is made a set; `beside` is one. */
struct exposure exposure_of(struct intervals *work, const struct intervals *beside);

#endif
