/*
 * The timeline of the profiles of a scope: every slice but memory events, idle time of the
 * devices by cause, collectives, counters and steps, as base/timeline.h has them.
 */
#ifndef PTOOL_QUERY_TIMELINE_H
#define PTOOL_QUERY_TIMELINE_H

#include "base/timeline.h"
#include "query/filter.h"
#include "query/scope.h"
#include "store/store.h"

#define TIMELINE_MOST_SLICES INT64_C(4000000)

struct timeline_request {
	/*
	 * Above so many slices, short ones of the host are bundled but for those in
	 * --step and --time, or in the slowest step and the one nearest the median;
	 * 0: none are.
	 */
	int64_t max_slices;
	const struct filter *filter; /* NULL: none */
};

/* All borrowed; *out is the caller's, to be freed before the store is closed. */
int timeline_open(struct store *store, const struct scope *scope,
		  const struct timeline_request *request, struct timeline **out,
		  struct err *err);
/* Accepts NULL. */
void timeline_free(struct timeline *t);

#endif
