/* What the exporters of traces share: of one trace, and with its idle time. */
#ifndef PTOOL_CLI_EXPORT_TRACE_H
#define PTOOL_CLI_EXPORT_TRACE_H

#include "base/err.h"
#include "base/spelt.h"
#include "base/str.h"
#include "cli/exporter.h"
#include "query/slices/cut.h"
#include "query/slices/event_rows.h"

/* Where idle time is shown: not a process that was recorded. */
#define EXPORT_IDLE_PROCESS "idle time (ptool)"

/* The slices that the request chooses, and how to read each. */
struct export_trace {
	const struct export_request *request;
	const struct scope_profile *profile;
	struct cut cut;
	struct event_rows *rows;
	struct export_losses *losses; /* borrowed */
	struct spelt args;            /* that were written */
};

/*
 * ERR_USAGE when there are several profiles, ERR_EMPTY when it is no trace or nothing is
 * chosen.  export_trace_close() in both cases.
 */
int export_trace_open(const struct export_request *request, struct export_trace *t,
		      struct export_losses *losses, struct err *err);
void export_trace_close(struct export_trace *t);

/*
 * event_rows_at(), but texts that events share in a store are left out of args, once they
 * are out of proportion; told as a loss.
 */
int export_trace_at(struct export_trace *t, int64_t id, struct event_row *row,
		    struct err *err);

/* A gap of a device; texts are borrowed. */
struct export_gap {
	struct str device;        /* its number, or what it is called for want of one */
	int64_t start_ns, dur_ns; /* from the profile's first event */
	struct str cause, blamed; /* the second: what to look at; n = 0: nothing */
};

/*
 * Idle time of the steps and times that were chosen, none where no device work was
 * recorded.  `each` returns 0 to go on, 1 for enough, -1 with err set.
 */
int export_trace_gaps(const struct export_trace *t,
		      int (*each)(void *to, const struct export_gap *gap,
				  struct err *err),
		      void *to, struct err *err);

#endif
