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

#include "base/sparse.h"
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

/* What a slice is charged as. */
struct gap_charge {
	int64_t slice_id, dur_ns;
	uint32_t blamed; /* text */
	uint8_t cause;   /* enum gap_cause */
};

/* Each frame holds what is known of it and all around it. */
struct gap_frame {
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

/* A slice that begins; all before it that have ended were popped. */
struct gap_slice {
	int64_t id, start_ns, end_ns;
	uint32_t name;
	enum slice_class class;
};

struct gap_open {
	struct gap_slice slice;
	int64_t end_ns; /* its own, or that of a slice around it */
};

struct gap_stack {
	struct gap_open *open; /* owned; what runs, the outermost first */
	size_t nopen, open_cap;
	/* owned; of the outer ones of these, as many as anybody has asked for */
	struct gap_frame *frames;
	size_t n, cap;
	/* uint8_t by text and class: enum gap_cause + 1; 0: not asked yet; owned */
	struct sparse causes;
	/* uint8_t by text: what the name of a call says; 0: not asked; owned */
	struct sparse calls;
	const struct gap_blame_request *request;
	const struct gap_blame *blame; /* borrowed; knows the launches */
	struct gap_slow slow;          /* owned; found when a call may be one: */
	bool has_slow;
	int rc;          /* -1: that went wrong, and err is set */
	struct err *err; /* borrowed */
};

void gap_stack_push(struct gap_stack *s, const struct gap_slice *slice);
/* When the innermost ends; INT64_MAX: the thread runs nothing. */
int64_t gap_stack_end(const struct gap_stack *s);
/* Leaves the innermost.  True: the host waited for the device in it, charged to that. */
bool gap_stack_pop(struct gap_stack *s, struct gap_charge *waited);
void gap_stack_clear(struct gap_stack *s);
/* NULL when the thread runs nothing. */
const struct gap_frame *gap_stack_top(struct gap_stack *s);
/* Does the name say that a stream is to wait for an event? */
bool gap_stack_tells_wait(struct gap_stack *s, uint32_t name);
void gap_stack_release(struct gap_stack *s);

#endif
