/* Memory events of a test for op_memory_init(). */
#ifndef PTOOL_TESTS_MEMORY_EVENTS_H
#define PTOOL_TESTS_MEMORY_EVENTS_H

#include "base/alloc.h"
#include "trace/op_memory.h"

static inline struct op_memory_event memory_event_of(const void *from, uint32_t number)
{
	const struct op_memory_event *events = from;

	return events[number];
}

static inline int64_t memory_ts_of(const void *from, uint32_t number)
{
	const struct op_memory_event *events = from;

	return events[number].ts_ns;
}

/* `events` is borrowed. */
static inline struct op_memory_source memory_source(const struct op_memory_event *events,
						    int64_t base_ns)
{
	return (struct op_memory_source){ events, memory_event_of, memory_ts_of,
					  base_ns };
}

/* 0 to n - 1; the caller's. */
static inline uint32_t *memory_numbers(size_t n)
{
	uint32_t *numbers = xcalloc(n, sizeof(*numbers));

	for (uint32_t i = 0; i < n; i++)
		numbers[i] = i;
	return numbers;
}

#endif
