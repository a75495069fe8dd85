/*
 * Who waited for whom in one collective: on aligned clocks, a rank waits from its own
 * start to that of the last rank, and transfers for the rest of its time.
 */
#ifndef PTOOL_QUERY_COMM_JUDGE_H
#define PTOOL_QUERY_COMM_JUDGE_H

#include "base/arena.h"
#include "query/comm/comm_match.h"

struct comm_verdict {
	int64_t start_ns;             /* of the first rank, on the aligned clock */
	int64_t skew_ns, end_skew_ns; /* from the first to the last start, and end */
	int64_t total_ns, wait_ns,
		transfer_ns; /* of all ranks; wait + transfer = total */
	int64_t shortest_ns; /* of the rank that was shortest in it */
	int64_t late_ns;     /* from the start of the last but one to that of the last */
	uint32_t late;       /* the last participant; of several the first */
	double bus_bytes;    /* bytes times the factor of bus bandwidth; < 0: not known */
};

/* The participants are aligned. */
struct comm_verdict comm_judge(const struct comm_matches *m,
			       const struct comm_match *match);
/* What a part of that match waited. */
int64_t comm_part_wait(const struct comm_matches *m, const struct comm_verdict *verdict,
		       const struct comm_part *part);

/*
 * The ranks of a call's group that are not among `present` (sorted, each once) as
 * "[2, 3]", in the arena; NULL when the recording does not say who the group is.
 * `world_size` is that of the job, or NUMBER_NONE.
 */
const char *comm_missing_ranks(struct str group_ranks, int64_t group_size,
			       int64_t world_size, const int64_t *present, size_t n,
			       struct arena *arena);

#endif
