/*
 * Segments of a snapshot's pickle, within src/ingest/snapshot*.c: what a device holds at
 * the end of its trace.
 */
#ifndef PTOOL_INGEST_SNAPSHOT_SEGMENT_H
#define PTOOL_INGEST_SNAPSHOT_SEGMENT_H

#include "ingest/snapshot_entry.h"

#define SNAPSHOT_DEVICES_MAX 1024

struct snapshot_segment {
	int64_t device;          /* 0 .. SNAPSHOT_DEVICES_MAX - 1 */
	int64_t total_bytes;     /* that the device reserves for it */
	int64_t requested_bytes; /* of its blocks that are allocated, as asked for */
};

/* Reads one; the budget is of its dict and of each of its blocks. */
int snapshot_segment_read(const struct pickle *p, uint32_t value,
			  struct snapshot_budget *budget, struct snapshot_segment *out,
			  struct err *err);

#endif
