/* Tables of collectives across ranks: what comm_ranks.c chooses from. */
#ifndef PTOOL_QUERY_COMM_RANKS_ROWS_H
#define PTOOL_QUERY_COMM_RANKS_ROWS_H

#include "base/memtable.h"
#include "query/comm/comm_judge.h"
#include "query/comm/comm_ranks.h"

/* The cells of a row: all that any of the tables has. */
enum comm_rank_column {
	RANKS_PROFILE,
	RANKS_RANK,
	RANKS_NUMBER,
	RANKS_START,
	RANKS_COLLECTIVE,
	RANKS_SIDE,
	RANKS_DTYPE,
	RANKS_GROUP,
	RANKS_GROUP_RANKS,
	RANKS_GROUP_SIZE,
	RANKS_RANKS,
	RANKS_MISSING,
	RANKS_CALLS,
	RANKS_MESSAGE,
	RANKS_TOTAL,
	RANKS_WAIT,
	RANKS_TRANSFER,
	RANKS_SHORTEST,
	RANKS_BUSBW,
	RANKS_MEAN_SKEW,
	RANKS_SKEW,
	RANKS_END_SKEW,
	RANKS_LATE_RANK,
	RANKS_LATE_CALLS,
	RANKS_LATE,
	RANKS_CLOCK,
	RANKS_OFFSET,
	RANKS_ERROR,
	RANKS_BLOCKING,
	NRANKS_COLUMNS
};

/* What each participant did, by participant; the caller frees. */
struct comm_rank *comm_ranks_sum(const struct comm_matches *m);
/* By collective or size: those that ranks waited for longest first. */
struct memtable *comm_ranks_kinds(const struct comm_ranks *r);
/* By rank. */
struct memtable *comm_ranks_by_rank(const struct comm_ranks *r);
/* Single ones, in the order in which they started. */
struct memtable *comm_ranks_single(const struct comm_ranks *r);

/* Ranks of the parts of a match, sorted, each once; into `out`, which has room. */
size_t comm_match_ranks(const struct comm_matches *m, const struct comm_match *match,
			int64_t *out);

/*
 * comm_ranks_notes.c: what stands below them: which ranks are missing, from the run or from
 * single collectives, how exact the clocks are, and what was not compared.
 */
void comm_ranks_add_notes(const struct comm_ranks *r, struct memtable *to);

#endif
