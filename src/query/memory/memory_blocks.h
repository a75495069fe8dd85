/*
 * Blocks of memory: allocations joined to their frees by device and address.
 */
#ifndef PTOOL_QUERY_MEMORY_BLOCKS_H
#define PTOOL_QUERY_MEMORY_BLOCKS_H

#include "query/memory/memory_events.h"

#define MEMORY_EVENT_NONE UINT32_MAX

enum memory_fate {
	MEMORY_FREED,
	MEMORY_ALIVE,   /* at the end of the recording */
	MEMORY_UNKNOWN, /* freed; where it was allocated is not recorded */
	MEMORY_REUSED   /* its address was allocated again, its free is not recorded */
};

struct memory_block {
	int64_t bytes;   /* allocated; of MEMORY_UNKNOWN freed; 0 or more */
	uint32_t device; /* place in devices */
	uint32_t alloc;  /* event, or MEMORY_EVENT_NONE for MEMORY_UNKNOWN */
	uint32_t end; /* event that freed it or took its place; none for MEMORY_ALIVE */
	uint8_t fate; /* enum memory_fate */
};

struct memory_blocks {
	struct memory_block *items; /* owned; by (device, first event) */
	size_t n, cap;
	size_t nameless; /* events without an address, which are in no block */
};

/* Events without an address and those that were refused make none. */
void memory_blocks_make(const struct memory_events *m, struct memory_blocks *out);
/* Accepts a zeroed one. */
void memory_blocks_release(struct memory_blocks *b);

/* The place of the first block of that device or one behind it. */
size_t memory_blocks_first(const struct memory_blocks *b, size_t device);

/* The allocation, else the free. */
static inline uint32_t memory_block_first(const struct memory_block *b)
{
	return b->alloc != MEMORY_EVENT_NONE ? b->alloc : b->end;
}

/* Is it there just behind the event, which is of its device? */
static inline bool memory_block_is_live(const struct memory_block *b, size_t event)
{
	return b->alloc != MEMORY_EVENT_NONE && b->alloc <= event &&
	       (b->end == MEMORY_EVENT_NONE || b->end > event);
}

/* "freed", "alive", "unknown", "reused" */
const char *memory_fate_name(enum memory_fate fate);

#endif
