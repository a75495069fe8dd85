/*
 * Which time of each profile a timeline in cells shows: what --time and --step leave, else
 * the step whose length, in the profile where it is longest, is nearest to the median of
 * all (with --phase alone, of all of that phase), else all of the recording.
 */
#ifndef PTOOL_QUERY_CELL_SPAN_H
#define PTOOL_QUERY_CELL_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "query/filter.h"
#include "query/scope.h"
#include "store/store.h"

struct cell_span {
	/* from < to, and to - from is an int64; both 0: nothing of the profile is shown */
	int64_t from_ns, to_ns;
};

struct cell_spans {
	struct cell_span *items; /* owned; by place of the profile in the scope */
	int64_t *step_slices;    /* owned; what the steps are, by id */
	size_t nstep_slices, step_slices_cap;
	const char *phase; /* borrowed; --phase, or NULL */
	int64_t nsteps;    /* with --phase those of it; numbers when is_nearest */
	int64_t first_step, last_step; /* shown, when has_steps */
	int64_t median_ns;             /* when is_nearest */
	int64_t longest_ns;            /* of the windows of the steps that are shown */
	bool has_times;                /* --time was given */
	bool has_steps;                /* the span is of steps */
	bool is_nearest;               /* of one that was chosen for its length */
	bool is_aligned;               /* all begin at the same time of their profile */
};

/* cell_spans_release() in both cases; ERR_EMPTY: nothing is left. */
int cell_spans_load(struct store *store, const struct scope *scope,
		    const struct filter *filter, struct cell_spans *out, struct err *err);
void cell_spans_release(struct cell_spans *s);
/* Is the slice a step's own? */
bool cell_spans_has_step(const struct cell_spans *s, int64_t slice_id);

#endif
