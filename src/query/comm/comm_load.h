/* The collectives of every profile of a scope, with what they are judged against. */
#ifndef PTOOL_QUERY_COMM_LOAD_H
#define PTOOL_QUERY_COMM_LOAD_H

#include "query/comm/comm_calls.h"
#include "query/filter.h"

struct comm_sources {
	struct text_pool texts;
	struct slice_finder finder;
	struct collective_facts facts;
	struct work_filter choice;
	int64_t found, launch_only; /* calls so far, chosen or not; chosen launches */
	int64_t no_group; /* chosen ones that lack but the size of the group for a bus bandwidth */
	bool several_groups; /* a profile's collectives are of several */
};

/* What comm_load() gives of one profile. */
struct comm_profile {
	struct device_work work;
	struct comm_calls calls;
	struct intervals *compute; /* owned; by device, the host's behind them */
};

/* comm_sources_close() in both cases. */
int comm_sources_open(struct store *store, const struct scope *scope,
		      const struct filter *filter, struct comm_sources *out,
		      struct err *err);
void comm_sources_close(struct comm_sources *s);

/*
 * with_compute: fills `compute`, else there is none.  comm_profile_release() in both
 * cases.
 */
int comm_load(struct store *store, struct comm_sources *s,
	      const struct scope_profile *profile, bool with_compute,
	      struct comm_profile *out, struct err *err);
void comm_profile_release(struct comm_profile *p);

#endif
