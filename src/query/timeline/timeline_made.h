/*
 * Tracks that a timeline makes of what is known of a profile: idle time of each device by
 * cause, collectives on devices, counters.
 */
#ifndef PTOOL_QUERY_TIMELINE_MADE_H
#define PTOOL_QUERY_TIMELINE_MADE_H

#include "query/gaps/gap_ranks.h"
#include "query/timeline/timeline_read.h"

/* A track's slices or samples are a stretch of these. */
struct timeline_made_track {
	struct timeline_track track;
	size_t first, n;
};

struct timeline_made {
	struct timeline_made_track *tracks; /* owned */
	size_t ntracks, tracks_cap, next;
	struct timeline_slice *slices; /* owned */
	size_t n, cap;
	struct timeline_sample *samples; /* owned */
	size_t nsamples, samples_cap;
};

/* One more track without slices or samples yet: those that are added next are its own. */
struct timeline_made_track *timeline_made_add(struct timeline_made *m,
					      const struct timeline_reader *r,
					      enum timeline_kind kind);
/* Adds the tracks of the profile's counters.  0, or -1 with err set. */
int timeline_counters_load(struct timeline_reader *r, struct timeline_made *m,
			   struct err *err);

/* The reader has read all its tracks.  timeline_made_release() in both cases. */
int timeline_made_load(struct timeline_reader *reader, struct gap_ranks *ranks,
		       struct timeline_made *out, struct err *err);
/* Accepts a zeroed one. */
void timeline_made_release(struct timeline_made *m);
/* False: there is no more. */
bool timeline_made_next(struct timeline_made *m, struct timeline_shared *shared,
			struct timeline_track *out);

#endif
