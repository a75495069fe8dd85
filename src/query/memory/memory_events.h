/*
 * The memory events of one profile in arrays, device after device, each in the order
 * in which its allocator counted them: what every table of `ptool memory` starts from.
 * Bytes; times are nanoseconds from the profile's first event.
 */
#ifndef PTOOL_QUERY_MEMORY_EVENTS_H
#define PTOOL_QUERY_MEMORY_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "query/filter.h"
#include "query/scope.h"
#include "store/store.h"

#define MEMORY_STEP_NONE UINT32_MAX

/* What is not recorded is NUMBER_NONE. */
struct memory_event {
	int64_t ts_ns;
	int64_t bytes; /* above 0: allocated; else freed; see memory_event_bytes() */
	int64_t address;
	int64_t total_bytes, reserved_bytes; /* as the allocator told them */
	int64_t level_bytes; /* allocated behind it: the total, else carried on from the last */
	int64_t slice_id, op_id; /* op_id: innermost operator around it, or 0 */
	uint32_t step;           /* place in steps, or MEMORY_STEP_NONE */
	bool is_out_of_memory;   /* asked for `bytes` in vain */
};

struct memory_device {
	int64_t type,
		index;   /* c10::DeviceType; index -1: the CPU; NUMBER_NONE: not told */
	char name[40];   /* as torch spells it: "cpu", "cuda:0" */
	size_t first, n; /* its events, never none */
	/*
	 * What was allocated before the first event: first total less its bytes.  0 where
	 * no totals are recorded: levels then count from the start of the recording.
	 */
	int64_t base_bytes;
	bool has_totals, has_reserved, has_addresses;
	/* Totals that are not the one before and the bytes, and by how much in all. */
	int64_t mismatches, unexplained_bytes;
};

struct memory_step {
	int64_t id, number, ts_ns, dur_ns;
};

struct memory_events {
	const struct scope_profile *profile; /* borrowed */
	struct memory_event *items; /* owned; by (device, ts, as they were counted) */
	size_t n, cap;
	struct memory_device *devices; /* owned; by (type, index) */
	size_t ndevices, devices_cap;
	struct memory_step *steps; /* owned; by id */
	size_t nsteps, steps_cap;
};

/* The profile is borrowed.  memory_events_release() in both cases. */
int memory_events_load(struct store *store, const struct scope_profile *profile,
		       struct memory_events *out, struct err *err);
/* Accepts a zeroed one. */
void memory_events_release(struct memory_events *m);

/* What it adds to the level: 0 when it is not told, or was refused. */
int64_t memory_event_bytes(const struct memory_event *e);
/* By --step and --time. */
bool memory_event_is_wanted(const struct memory_events *m, const struct memory_event *e,
			    const struct filter *filter);
/* The level just before event i of the device, and before a time. */
int64_t memory_level_before(const struct memory_events *m, const struct memory_device *d,
			    size_t i);
int64_t memory_level_at(const struct memory_events *m, const struct memory_device *d,
			int64_t ts_ns);

/*
 * Threads that allocate in the same moment stand in the order of the store, which need
 * not be that of the allocator; its totals tell that.
 */

/* So many events of one moment are put in order together. */
#define MEMORY_TIES_MAX ((size_t)64)

/*
 * Puts e[0, n), which are of one moment, in an order in which each total follows from
 * the one before it, the first from `level_bytes`: as far as there is one.  Where an
 * event has no total all stay as they are.  n is at most MEMORY_TIES_MAX.
 */
void memory_ties_order(struct memory_event *e, size_t n, int64_t level_bytes);
/*
 * The level that e[0, n) began with, where nothing stands before them; NUMBER_NONE:
 * not told.
 */
int64_t memory_ties_start(const struct memory_event *e, size_t n);

#endif
