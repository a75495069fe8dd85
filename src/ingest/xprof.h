/*
 * The traces of TensorFlow and JAX (plugins/profile/RUN/HOST.trace.json.gz):
 * events without a category, whose rows tell by their names what is on them
 * (openxla/xla: xplane_to_trace_events.cc, xplane_schema.cc, cupti_collector.cc).
 * The writer puts all names before the events; of events that stand before the
 * names of their rows nothing is known.
 */
#ifndef PTOOL_INGEST_XPROF_H
#define PTOOL_INGEST_XPROF_H

#include <stddef.h>

#include "ingest/sink.h"

struct chrome;
struct kineto_facts;
struct xprof_named;

/* Zeroed is empty. */
struct xprof {
	bool seen;               /* a process has a name that xprof gives */
	struct xprof_named *all; /* processes and rows by hash; owned */
	size_t n, nslots;        /* a power of two */
};

/* Empty again. */
void xprof_release(struct xprof *x);
/*
 * A process or a thread has this name; others than xprof's are passed over.  False: so many
 * have one that it is not kept.
 */
bool xprof_process_name(struct xprof *x, struct ident pid, struct str name);
bool xprof_thread_name(struct xprof *x, struct ident pid, struct ident tid,
		       struct str name);

enum xprof_row_kind {
	XPROF_UNKNOWN,    /* no row of xprof's */
	XPROF_HOST,       /* a thread */
	XPROF_STREAM,     /* work of a GPU */
	XPROF_OPERATIONS, /* work of an accelerator that has no streams */
	XPROF_DERIVED     /* made from the work of the device: steps, modules, scopes */
};

struct xprof_row {
	enum xprof_row_kind kind;
	int64_t device, stream; /* or NUMBER_NONE */
};

/*
 * Class of the current event, whose slice has CLASS_OTHER, and what its args
 * tell.  To be called only when `seen`.
 */
void xprof_slice(struct chrome *c, struct slice_fact *slice, struct kineto_facts *facts);
/* Name i of the args that are read; NULL after the last. */
const char *xprof_arg_at(size_t i);

#endif
