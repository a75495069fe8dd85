/*
 * The largest levels of one device within what the filters let through.
 */
#ifndef PTOOL_QUERY_MEMORY_PEAK_H
#define PTOOL_QUERY_MEMORY_PEAK_H

#include "query/memory/memory_events.h"
#include "query/summary/summary.h"

/* A level and when it was reached. */
struct memory_high {
	int64_t bytes; /* NUMBER_NONE: not recorded */
	int64_t at_ns;
};

#define MEMORY_NO_EVENT SIZE_MAX

struct memory_peak {
	struct memory_high allocated; /* levels: memory_event.level_bytes */
	/*
	 * The event behind which `allocated` stood: of the device, or the one before the
	 * first that is wanted, when nothing exceeded what it left; MEMORY_NO_EVENT when
	 * that is the level before the first of the device.
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

/* Who gets the peak of each device of a profile; -1 with err set ends it. */
typedef int memory_peak_fn(void *to, const struct memory_device *device,
			   const struct memory_peak *peak, struct err *err);

/*
 * Hands on the peak of each device of the profile of which one is wanted, as `ptool memory`
 * has it: 0, or -1.  From the summary, where there is one and nothing is filtered: then of
 * `device` there are no events, and `event` and `step` of the peak say nothing.
 */
int memory_peak_each(struct summary_reader *reader, const struct scope_profile *profile,
		     const struct filter *filter, memory_peak_fn *visit, void *to,
		     struct err *err);
/* The same of a profile that has the summary. */
int memory_peak_each_stored(struct summary_reader *reader,
			    const struct scope_profile *profile, memory_peak_fn *visit,
			    void *to, struct err *err);

#endif
