/*
 * Gaps in which a rank waits for others: when the host was in a collective that still
 * ran when the last rank came to it, what passed until then is that rank's doing.  The
 * nth collective of a process group is the same one on all ranks.  Clocks differ:
 * collectives end together, so that their ends tell by how much.
 */
#ifndef PTOOL_QUERY_GAP_RANKS_H
#define PTOOL_QUERY_GAP_RANKS_H

#include "query/gaps/gap_blame.h"
#include "query/summary/summary.h"

struct gap_collective {
	int64_t start_ns, end_ns; /* from its profile's first event */
	uint32_t members, name;   /* texts */
	bool on_device;
};

/* The collectives of one process group, on the host or on devices. */
struct gap_group {
	size_t first, n; /* items */
	uint32_t class;  /* the same on ranks that have the same collectives in it */
	size_t lasts;    /* place in lasts of the first */
};

struct gap_rank {
	const struct scope_profile *profile;
	struct gap_collective *items; /* owned; by (members, on_device, start) */
	size_t n, cap;
	struct gap_group *groups; /* owned */
	size_t ngroups;
	int64_t clock_ns;    /* what its clock is ahead of the common one */
	uint32_t aligned_to; /* 1 + the place of the rank whose clock that is; 0: none */
};

struct gap_last;

struct gap_ranks {
	struct scope run;       /* all of it, whatever the command is narrowed to */
	struct gap_rank *ranks; /* owned; profiles that tell their rank */
	size_t n;
	struct text_pool *texts; /* borrowed */
	/* In the common clock the farthest that ends of one collective are apart. */
	int64_t error_ns;
	bool is_aligned;        /* some clocks are */
	size_t newest;          /* the rank that was charged last */
	struct gap_last *lasts; /* owned; by group and collective: gap_clocks.h */
};

/* The ranks of the run; none when it has but one.  gap_ranks_close() in both cases. */
int gap_ranks_open(struct store *store, struct text_pool *texts, const char *run,
		   struct gap_ranks *out, struct err *err);
void gap_ranks_close(struct gap_ranks *r);

/*
 * When the profile's host was in a collective and waited for another rank: by start, none
 * touches another's inside.  The caller frees *out.
 */
struct gap_late {
	int64_t from_ns, to_ns; /* from the profile's first event */
	int64_t rank;
};
size_t gap_ranks_late(struct gap_ranks *r, const struct scope_profile *profile,
		      struct gap_late **out);
/* What that is charged to: a text of the pool. */
uint32_t gap_ranks_text(struct gap_ranks *r, int64_t rank);

/* Charges the profile's waits for others to the late rank. */
void gap_ranks_charge(struct gap_ranks *r, const struct scope_profile *profile,
		      struct gap_blame *blame);

#endif
