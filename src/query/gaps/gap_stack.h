/*
 * What a thread runs at a moment, as a stack of slices, and what idle time would be
 * charged to then: the innermost slice whose name tells a cause, or that is a slow call,
 * else the innermost operator, annotation or Python frame, else a call of the runtime.  A step's own
 * annotation covers nothing.
 */
#ifndef PTOOL_QUERY_GAP_STACK_H
#define PTOOL_QUERY_GAP_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "query/gaps/gap_blame.h"
#include "query/scope.h"
#include "query/text_pool.h"

/*
 * Slow calls: single calls of the runtime or the driver that take far longer than the
 * others of their name, because they load code or set something up for the first time.
 */

/* Zeroed there are none. */
struct gap_slow {
	int64_t *ids; /* owned; slices, in order */
	size_t n, cap;
};

/*
 * Calls of the profile's threads that take more than 1 ms and more than ten times the
 * median of the other calls of their name; never those that wait for the device or copy.
 * gap_slow_release() in both cases.
 */
int gap_slow_find(struct store *store, const struct scope_profile *profile,
		  struct text_pool *texts, struct gap_slow *out, struct err *err);
void gap_slow_release(struct gap_slow *s);

bool gap_slow_has(const struct gap_slow *s, int64_t slice_id);

/* What a slice is charged as. */
struct gap_charge {
	int64_t slice_id, dur_ns;
	uint32_t blamed; /* text */
	uint8_t cause;   /* enum gap_cause */
};

/* Each frame holds what is known of it and all around it. */
struct gap_frame {
	int64_t end_ns;
	struct gap_charge named;      /* GAP_NONE: no name tells a cause */
	struct gap_charge general;    /* GAP_NONE: nothing covers */
	struct gap_charge collective; /* the outermost; GAP_NONE: in none */
	struct gap_charge
		copying; /* the outermost of the copying operators; or GAP_NONE */
	uint32_t op, frame, annotation; /* innermost; texts, or TEXT_NONE */
	uint32_t op_at;   /* place of the innermost operator; UINT32_MAX: none */
	uint8_t copied;   /* GAP_READ or GAP_COPY: what a copy within that operator was */
	bool is_draining; /* a call in which the host waits for the device */
};

struct gap_stack {
	struct gap_frame *frames; /* owned */
	size_t n, cap;
	uint8_t *
		causes; /* owned; by text and class: enum gap_cause + 1; 0: not asked yet */
	size_t causes_cap;
	const struct gap_blame_request *request;
	const struct gap_blame *blame; /* borrowed; knows the launches */
	struct gap_slow slow;          /* owned */
};

/* A slice that begins; all before it that have ended were popped. */
struct gap_slice {
	int64_t id, start_ns, end_ns;
	uint32_t name;
	enum slice_class class;
};

void gap_stack_push(struct gap_stack *s, const struct gap_slice *slice);
/* NULL when the thread runs nothing. */
static inline const struct gap_frame *gap_stack_top(const struct gap_stack *s)
{
	return s->n ? &s->frames[s->n - 1] : NULL;
}
void gap_stack_release(struct gap_stack *s);

#endif
