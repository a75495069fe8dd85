/*
 * ptool comm: the collectives of a scope: summed up or one by one, no profile added to
 * another; or put side by side across the ranks of a run.
 */
#ifndef PTOOL_QUERY_COMM_H
#define PTOOL_QUERY_COMM_H

#include <stdbool.h>

#include "base/table.h"
#include "query/filter.h"
#include "query/scope.h"
#include "query/view.h"

enum comm_by {
	COMM_BY_COLLECTIVE, /* a row for each collective, type and group */
	COMM_BY_SIZE,       /* and size of the message */
	COMM_BY_RANK,       /* one for all of a rank's device */
	COMM_SINGLE,        /* one for each */
	COMM_BY_AXES        /* one for the ranks of a place; by enum axis from here on */
};

struct comm_request {
	const struct filter *filter; /* borrowed */
	enum comm_by by;
	bool across_ranks, imbalance;
	struct view_request show; /* `asked`: comm_columns() */
};

extern const struct view comm_view, comm_ranks_view;
const struct view *comm_view_of(bool across_ranks);
/* Bits for struct view_request's `asked`. */
unsigned comm_columns(enum comm_by by, bool across_ranks);

/*
 * 0 and *out, which table_free() frees, or -1: ERR_EMPTY when there are no collectives,
 * or none that two ranks took part in, where that was asked for.
 */
int comm_open(struct store *store, const struct scope *scope,
	      const struct comm_request *request, struct table **out, struct err *err);

/* What a profile of a rank did in the collectives that several ranks took part in. */
struct comm_rank {
	const struct scope_profile *profile; /* of the scope */
	int64_t calls, total_ns, wait_ns, transfer_ns;
	int64_t late_calls, late_ns; /* it came last, and by how much */
	int64_t blocking_ns;         /* it kept another one waiting */
	int64_t error_ns; /* of its clock; NUMBER_NONE: the others are aligned with it */
};

/* *n of them, for the caller to free(); -1 as comm_open(), across ranks. */
int comm_ranks_load(struct store *store, const struct scope *scope,
		    const struct filter *filter, struct comm_rank **out, size_t *n,
		    struct err *err);

#endif
