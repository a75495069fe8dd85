/*
 * Why a device was idle: the causes, what they are called, and what usually removes
 * them.  One table, which the command, its messages and its tests read.
 */
#ifndef PTOOL_QUERY_GAP_CAUSE_H
#define PTOOL_QUERY_GAP_CAUSE_H

#include <stdbool.h>

#include "base/str.h"
#include "base/sum.h"
#include "trace/fact.h"

enum gap_cause {
	GAP_NONE, /* of a name: it tells no cause */
	/* The host had not launched yet, and did something that has a name of its own ... */
	GAP_SYNC,
	GAP_READ,
	GAP_COPY,
	GAP_MALLOC,
	GAP_LOADER,
	GAP_COMMUNICATION,
	GAP_COMPILE,
	GAP_COLLECTION,
	GAP_OPTIMIZER,
	GAP_OVERHEAD,
	GAP_SLOW,
	/* ... or something else: what is innermost is charged, ... */
	GAP_OPERATOR,
	GAP_ANNOTATION,
	GAP_PYTHON,
	GAP_CALL,
	GAP_UNTRACED, /* ... or nothing that was recorded. */
	/* The launch was made: the device had not begun. */
	GAP_EVENT,
	GAP_ENGINE,
	GAP_ORDER,
	GAP_GRAPH_LAUNCH,
	GAP_GRAPH_START,
	GAP_GRAPH_BETWEEN,
	GAP_GRAPH_NODES,
	GAP_GRAPH_END,
	GAP_LATENCY,
	GAP_EARLIER,
	GAP_UNKNOWN, /* the launch is not in the trace */
	GAP_LATE_RANK,
	NGAP_CAUSES
};

struct gap_cause_row {
	const char *code;   /* machine spelling */
	const char *title;  /* in people's tables */
	const char *remedy; /* what usually removes it: ends a sentence */
	const char *few;    /* the same when most of it is in long gaps; NULL: no other */
	const char *xprof;  /* the same in JAX and TensorFlow; NULL: no other */
};

#define GAP_LONG_NS INT64_C(1000000) /* a gap of another kind than the many short */

/* Idle time of one cause, as its remedy depends on it. */
struct gap_loss {
	int64_t ns;
	int64_t long_ns;         /* of that, in gaps in which it is GAP_LONG_NS or more */
	struct str blamed;       /* what is charged most of it; may be empty */
	const int64_t *cause_ns; /* by enum gap_cause: what else there is */
	bool is_xprof;           /* JAX or TensorFlow recorded it */
	bool is_pipeline;        /* it is a timeline of StragglerAnalysis */
	bool has_stacks;         /* Python frames were recorded */
	bool is_fused;           /* the optimizer is */
	bool lacks_graphs;       /* the device has none, as an XPU */
};

#define GAP_TRY_FUSED                                                             \
	"the optimizer is fused already: torch.compile its step, or take fewer, " \
	"larger steps"
#define GAP_TRY_WITHOUT_GRAPHS "launch less often: torch.compile, or larger batches"
/* A compiled model. */
#define GAP_TRY_LARGER \
	"launch less often: larger batches, or fuse small operators by hand"

/* By enum gap_cause. */
extern const struct gap_cause_row gap_causes[NGAP_CAUSES];

/*
 * What usually removes that idle time.  It is judged by where most of the time is, not
 * by how many gaps there are: many short gaps may take less than one long gap.
 */
const char *gap_cause_remedy(enum gap_cause cause, const struct gap_loss *loss);
/*
 * Of long waits for an event: does the recording not say whose it is?  What is blamed is
 * then the work that waited, not a stream.
 */
bool gap_event_is_unknown(const struct gap_loss *loss);

/* What long_ns grows by when a gap that has has_ns of a cause gets ns more of it. */
static inline int64_t gap_long_ns(int64_t has_ns, int64_t ns)
{
	if (has_ns >= GAP_LONG_NS)
		return ns;
	return ns >= GAP_LONG_NS - has_ns ? sum_add(has_ns, ns) : 0;
}

/* Of a host slice, by its class and name: one up to GAP_OVERHEAD, or GAP_NONE. */
enum gap_cause gap_cause_of(enum slice_class class, struct str name);
/* Does a synchronisation within it wait for other ranks?  It says no cause of its own. */
bool gap_name_is_collective(enum slice_class class, struct str name);
/* Does the call copy memory? */
bool gap_call_copies(struct str name);
/* A call that neither waits for the device nor copies has no reason to take long. */
bool gap_call_may_be_slow(struct str name);
/*
 * Did the host wait for the device then, so that its queue was empty behind?  Allocations
 * mostly do: cudaFree does, and cudaMalloc where the cache is emptied for it.
 */
static inline bool gap_cause_drains(enum gap_cause cause)
{
	return cause >= GAP_SYNC && cause <= GAP_MALLOC;
}
/* Only what the host did beside waiting: what --root charges to what drained the queue. */
static inline bool gap_cause_is_burst(enum gap_cause cause)
{
	return cause == GAP_OPTIMIZER ||
	       (cause >= GAP_OPERATOR && cause <= GAP_UNTRACED) || cause == GAP_LATENCY ||
	       cause == GAP_GRAPH_LAUNCH;
}

/* Is it a step's own annotation, which covers everything and says nothing? */
bool gap_name_is_step(struct str name);
/* An operator that moves values between host and device, or within either. */
bool gap_name_is_copy_op(struct str name);

/* What a copy's name says. */
struct gap_copy {
	bool is_read, is_pageable;
};
struct gap_copy gap_copy_of(struct str name);

#endif
