/*
 * When nothing ran on a device, between the start of its first work and the end of its
 * last: the gaps of the union of its streams, and the work on either side.  Half-open
 * spans of nanoseconds from the profile's first event; they add up to span - busy.
 */
#ifndef PTOOL_QUERY_GAPS_H
#define PTOOL_QUERY_GAPS_H

#include "query/devices/device_work.h"

struct gap {
	int64_t start_ns, end_ns;
	/*
	 * Until when the host is charged: the start of the launch of `after`, within
	 * the gap.  start_ns: the launch was made before.
	 */
	int64_t host_end_ns;
	uint32_t before; /* item that ended last at start_ns */
	uint32_t
		after; /* item that ends it: of those that start then the lowest stream's first */
	uint32_t device;
	uint32_t first_piece, npieces; /* of the blame: gap_blame.h */
};

struct gaps {
	struct gap *items; /* owned; by (device, start_ns) */
	size_t n, cap;
	int64_t *idle_ns, *span_ns; /* owned; by device */
	size_t ndevices;
};

/*
 * Work without length ends no gap, unless nothing else is left to.  ERR_INPUT when the
 * work is not in order or the sums leave int64; gaps_release() in both cases.
 */
int gaps_find(const struct device_work *work, struct gaps *out, struct err *err);
void gaps_release(struct gaps *gaps);

#endif
