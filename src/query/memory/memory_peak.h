/*
 * The largest levels of one device within what the filters let through.
 */
#ifndef PTOOL_QUERY_MEMORY_PEAK_H
#define PTOOL_QUERY_MEMORY_PEAK_H

#include "query/memory/memory_events.h"

/* A level and when it was reached. */
struct memory_high {
	int64_t bytes; /* NUMBER_NONE: not recorded */
	int64_t at_ns;
};

struct memory_peak {
	struct memory_high allocated; /* levels: memory_event.level_bytes */
	/*
	 * The event behind which `allocated` stood: of the device, or the one before the
	 * first that is wanted, when nothing exceeded what it left.
	 */
	size_t event;
	uint32_t step;               /* where that is */
	struct memory_high reserved; /* by the allocator */
	struct memory_high unused;   /* reserved less allocated */
	int64_t end_bytes;           /* level behind the last */
	int64_t events, allocations, frees, out_of_memory;
};

/* False when no event is wanted. */
bool memory_peak_find(const struct memory_events *m, const struct memory_device *d,
		      const struct filter *filter, struct memory_peak *out);

#endif
