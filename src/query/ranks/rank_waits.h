/*
 * Who waited for whom, and why that one was late.
 *
 * A rank waits in a collective until the last one comes.  The last one is late by what
 * it did more of than the waiting one since they left the collective before that they
 * share: it computed longer, was idle longer for a cause of `ptool gaps`, or itself
 * waited for a third rank; what that was late by is followed in the same way.  So all
 * waiting ends in what some rank did.
 */
#ifndef PTOOL_QUERY_RANK_WAITS_H
#define PTOOL_QUERY_RANK_WAITS_H

#include "query/comm/comm_match.h"
#include "query/ranks/rank_facts.h"

/* What lateness ends in: idle time by its cause, and what is none. */
enum {
	RANK_WHY_COMPUTE = NGAP_CAUSES, /* it computed longer */
	RANK_WHY_COPY,                  /* it copied longer */
	RANK_WHY_TRANSFER,              /* other collectives took it longer */
	RANK_WHY_OUTSIDE,               /* it was longer outside of steps */
	RANK_WHY_UNKNOWN,               /* nothing that it did took longer */
	NRANK_WHYS
};

/* As gap_causes[].code and .title, of all of them. */
const char *rank_why_code(int why);
const char *rank_why_title(int why);

struct rank_root {
	uint32_t rank; /* participant */
	uint8_t why;
	int64_t ns;
};

/* Of one rank in one collective. */
struct rank_wait {
	uint32_t rank, late; /* participants */
	uint32_t step;       /* place in the rank's steps */
	size_t match;
	int64_t start_ns, ns; /* on its own clock, as its parts */
	int64_t came_ns;      /* when the late one came, on the aligned clock */
	size_t first_root, nroots;
};

struct rank_waits {
	struct rank_wait *items; /* owned; by (rank, start_ns) */
	size_t n, cap;
	size_t *first; /* owned; by participant, and one behind: places in items */
	struct rank_root *roots; /* owned; those of a wait add up to it */
	size_t nroots, roots_cap;
};

/*
 * facts: by participant; `m` is aligned.  What a part waits is rank_waits_of().
 * rank_waits_release() frees.
 */
void rank_waits_find(const struct comm_matches *m, const struct rank_facts *facts,
		     struct rank_waits *out);
void rank_waits_release(struct rank_waits *w);

#endif
