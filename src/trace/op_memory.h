/*
 * Memory events as torch's table sees them: running sums by time, so that the bytes
 * within an interval are a difference.  There are as many as operators, or more, so
 * that here they are numbers; what hangs on them stays where the caller has it.
 */
#ifndef PTOOL_TRACE_OP_MEMORY_H
#define PTOOL_TRACE_OP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/fact.h"
#include "trace/optree.h"

struct spill;

struct op_memory_event {
	int64_t ts_ns;
	int64_t bytes;  /* or NUMBER_NONE */
	uint64_t order; /* breaks ties: the caller's */
	uint32_t row;   /* the caller's */
	bool is_cpu, out_of_memory;
};

/* Who has the events. */
struct op_memory_source {
	const void *from; /* borrowed, for the life of the op_memory */
	struct op_memory_event (*event)(const void *from, uint32_t number);
	int64_t (*ts_ns)(const void *from, uint32_t number); /* the same, quickly */
	int64_t base_ns; /* absolute time of their clock's 0, for the float window */
};

struct op_memory {
	struct op_memory_source source;
	uint32_t *numbers; /* owned; by (ts, order) */
	size_t n;
	size_t last;                     /* where the newest interval began */
	int64_t *cpu_sums, *device_sums; /* owned; n + 1 of them, or NULL for all 0 */
	uint8_t *covers;                 /* owned; a bit an event: an interval holds it */
	size_t cover_first, cover_end;   /* of the newest run of those */
	bool float_window; /* torch 2.4 to 2.10: compared in float64 microseconds */
	bool is_finished;
	struct spill *spill; /* borrowed, or NULL: whose arrays these are */
};

/* Takes the numbers, which are the spill's, over; they are sorted in place. */
void op_memory_init(struct op_memory *m, const struct op_memory_source *source,
		    uint32_t *numbers, size_t n, const struct op_rules *rules,
		    struct spill *spill);
void op_memory_release(struct op_memory *m);

/* The i-th by time. */
static inline struct op_memory_event op_memory_at(const struct op_memory *m, size_t i)
{
	return m->source.event(m->source.from, m->numbers[i]);
}

/* Bytes that it allocates: 0 when they are not told, or were refused. */
static inline int64_t op_memory_bytes(const struct op_memory_event *e)
{
	return e->out_of_memory || e->bytes == NUMBER_NONE ? 0 : e->bytes;
}

/* Sets cpu_bytes and device_bytes; before op_memory_finish() notes the interval as covered. */
void op_memory_charge(struct op_memory *m, struct op_node *node);
/*
 * Behind all intervals: is this event in torch's table as a row of its own,
 * because no interval holds it?
 */
void op_memory_finish(struct op_memory *m);
bool op_memory_is_row(const struct op_memory *m, size_t event);

/*
 * c10::DeviceType values whose memory counts as the CPU's: CPU, MKLDNN, IDEEP; and
 * where none is told, as in the table allocation.
 */
static inline bool op_memory_is_cpu(int64_t device_type)
{
	return device_type == NUMBER_NONE || device_type == 0 || device_type == 2 ||
	       device_type == 5;
}

#endif
