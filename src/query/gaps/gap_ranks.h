/*
 * Gaps in which a rank waits for others: when the host was in a collective that still
 * ran when the last rank came to it, what passed until then is that rank's doing.  The
 * nth collective of a process group is the same one on all ranks.  Clocks differ:
 * collectives end together, so that their ends tell by how much.
 */
#ifndef PTOOL_QUERY_GAP_RANKS_H
#define PTOOL_QUERY_GAP_RANKS_H

#include "query/gaps/gap_blame.h"

struct gap_collective {
	int64_t slice_id;
	int64_t start_ns, end_ns; /* from its profile's first event */
	uint32_t members, name;   /* texts */
	bool on_device;
};

struct gap_rank {
	const struct scope_profile *profile;
	struct gap_collective *items; /* owned; by (members, on_device, start) */
	size_t n, cap;
};

struct gap_ranks {
	struct scope run;       /* all of it, whatever the command is narrowed to */
	struct gap_rank *ranks; /* owned; profiles that tell their rank */
	size_t n;
	struct text_pool *texts; /* borrowed */
	/* Of all clocks that were aligned: the farthest from its median that ends were. */
	int64_t error_ns;
	size_t naligned; /* collectives */
};

/* The ranks of the run; none when it has but one.  gap_ranks_close() in both cases. */
int gap_ranks_open(struct store *store, struct text_pool *texts, const char *run,
		   struct gap_ranks *out, struct err *err);
void gap_ranks_close(struct gap_ranks *r);

/* Charges the profile's waits for others to the late rank. */
void gap_ranks_charge(struct gap_ranks *r, const struct scope_profile *profile,
		      struct gap_blame *blame);

#endif
