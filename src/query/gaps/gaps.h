/*
 * When nothing ran on a device: the gaps of the union of its streams, and the work on
 * either side.  Half-open spans of nanoseconds from the profile's first event.  Those
 * between the start of its first work and the end of its last add up to span - busy;
 * an extent adds what it leaves before and after, the edges.
 */
#ifndef PTOOL_QUERY_GAPS_H
#define PTOOL_QUERY_GAPS_H

#include "base/intervals.h"
#include "query/devices/device_work.h"

#define GAP_NO_WORK UINT32_MAX /* before the first work, after the last */

struct gap {
	int64_t start_ns, end_ns;
	/*
	 * Until when the host is charged: the start of the launch of `after`, within
	 * the gap; the end of the gap after the last work.  start_ns: the launch was
	 * made before.
	 */
	int64_t host_end_ns;
	uint32_t before; /* item that ended last at start_ns; or GAP_NO_WORK */
	/* item that ends it, of those that start then the lowest stream's first; or none */
	uint32_t after;
	uint32_t device;
	uint32_t first_span, nspans; /* of the blame: gap_blame.h */
};

struct gaps {
	struct gap *items; /* owned; by (device, start_ns) */
	size_t n, cap;
	int64_t *span_ns; /* owned; by device: from its first work to its last */
	size_t ndevices;
};

/*
 * Work without length ends no gap, unless nothing else is left to.  extent: NULL for
 * gaps between work alone.  ERR_INPUT when the work is not in order or the sums leave
 * int64; gaps_release() in both cases.
 */
int gaps_find(const struct device_work *work, const struct interval *extent,
	      struct gaps *out, struct err *err);
void gaps_release(struct gaps *gaps);

#endif
