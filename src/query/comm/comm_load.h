/* The collectives of every profile of a scope, with what they are judged against. */
#ifndef PTOOL_QUERY_COMM_LOAD_H
#define PTOOL_QUERY_COMM_LOAD_H

#include "query/comm/comm_calls.h"
#include "query/filter.h"
#include "query/summary/summary.h"

struct comm_sources {
	struct store *store;     /* borrowed */
	struct text_pool *texts; /* borrowed */
	struct summary_reader summaries;
	struct slice_finder finder;
	struct work_filter choice; /* its names are those of collectives */
	/*
	 * NULL: what the choice does not want is left out.  Else all is there, to be
	 * matched, and marked where it is not wanted or not of these profiles; borrowed.
	 */
	const struct scope *across;
	int64_t found, launch_only; /* calls so far, chosen or not; chosen launches */
	int64_t no_group; /* chosen ones that lack but the size of the group for a bus bandwidth */
	bool several_groups; /* a profile's collectives are of several */
};

/* What comm_load() gives of one profile. */
struct comm_profile {
	/* Owned: numbers, and names in the texts, alone; the host is not there. */
	struct work_device *devices;
	size_t ndevices;
	struct comm_calls calls;
	struct intervals *compute; /* owned; by device, the host's behind them */
};

/* `filter` and `texts` are borrowed.  comm_sources_close() in both cases. */
int comm_sources_open(struct store *store, const struct scope *scope,
		      const struct filter *filter, struct text_pool *texts,
		      struct comm_sources *out, struct err *err);
/* The same without the store's summaries, for comm_load_slices() alone. */
int comm_slices_open(struct store *store, const struct scope *scope,
		     const struct filter *filter, struct text_pool *texts,
		     struct comm_sources *out, struct err *err);
void comm_sources_close(struct comm_sources *s);

/*
 * Those that the choice wants, or all: `across`.  with_compute: fills `compute`, else there is none.
 * comm_profile_release() in both cases.
 */
int comm_load(struct comm_sources *s, const struct scope_profile *profile,
	      bool with_compute, struct comm_profile *out, struct err *err);
/* All of them, of the profile's work and slices. */
int comm_load_slices(struct comm_sources *s, const struct scope_profile *profile,
		     const struct device_work *work, bool with_compute,
		     struct comm_profile *out, struct err *err);
void comm_profile_release(struct comm_profile *p);

#endif
