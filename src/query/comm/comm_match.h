/*
 * Which calls of several ranks are one collective: of each group and kind those with
 * the same sequence number, where every rank tells one; else the k-th of each rank.
 * A profile takes part once; the second profile of a rank (a later span) is matched
 * with the second ones of the others, or where ranks have not equally many and clocks
 * are absolute, with those that were recorded at the same time.
 */
#ifndef PTOOL_QUERY_COMM_MATCH_H
#define PTOOL_QUERY_COMM_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/intervals.h"
#include "query/comm/comm_calls.h"

/* A profile that has a rank. */
struct comm_participant {
	const struct scope_profile *profile;
	int64_t origin_ns; /* of its times, on its own clock */
	uint32_t first;    /* the first participant of its rank */
	uint32_t span;     /* it is matched within; from 0 */
	uint32_t clock;    /* participants with one number here can be compared */
	int64_t offset_ns; /* its clock less that of the clock's first participant */
	int64_t error_ns;  /* half of the ends lie within so much of the offset */
	int64_t shared;    /* collectives that tell the offset; 0: the first one's */
	bool has_matches;  /* set by comm_matches_choose() */
	struct intervals exposed; /* owned; comm_blocking.h: on its own clock */
};

/* What one rank did of a collective; times are its own clock's, origin_ns added. */
struct comm_part {
	int64_t start_ns, end_ns;
	int64_t number; /* sequence, or k from 0 */
	struct comm_call call;
	uint32_t participant;
	bool is_numbered; /* by sequence */
};

struct comm_match {
	size_t first, n; /* parts, by participant; no participant is there twice */
};

struct comm_matches {
	struct comm_participant *participants; /* owned; by (rank, profile) */
	size_t nparticipants;
	struct comm_part *parts; /* owned; by match */
	size_t nparts, parts_cap;
	struct comm_match *matches; /* owned: of two ranks or more */
	size_t nmatches, matches_cap;
	int64_t unmatched; /* wanted parts that are in none */
	int64_t unranked;  /* profiles that have no rank */
	int64_t direct;    /* wanted sends and receives, which are not matched */
	/* Wanted matches that only their order put together, and it need not be right. */
	int64_t guessed; /* set by comm_matches_choose() */
};

/* Takes the profiles of a scope, which is borrowed; comm_matches_release() frees. */
void comm_matches_init(const struct scope *scope, struct comm_matches *out);
/* NULL: it has no rank. */
struct comm_participant *comm_matches_who(struct comm_matches *m,
					  const struct scope_profile *profile);
/* What the profile at this place of the scope took part in. */
void comm_matches_add(struct comm_matches *m, const struct scope_profile *profile,
		      const struct comm_calls *calls);
/* When all are there: finds the matches. */
void comm_matches_find(struct comm_matches *m);
/* When clocks are aligned: only matches stay of which a part is wanted. */
void comm_matches_choose(struct comm_matches *m);
void comm_matches_release(struct comm_matches *m);
/* Are the matches at two places of one group, kind, side and span? */
bool comm_matches_are_alike(const struct comm_matches *m, size_t a, size_t b);

/* Are they of one group, kind and side?  By it, and by bytes where `by_size`: -1, 0, 1. */
int comm_part_compare(const struct comm_part *a, const struct comm_part *b, bool by_size);

#endif
