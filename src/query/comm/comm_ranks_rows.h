/* Tables of collectives across ranks: what comm_ranks.c chooses from. */
#ifndef PTOOL_QUERY_COMM_RANKS_ROWS_H
#define PTOOL_QUERY_COMM_RANKS_ROWS_H

#include "base/memtable.h"
#include "query/comm/comm_judge.h"
#include "query/comm/comm_ranks.h"

/* A row of any of the tables; numbers are NUMBER_NONE in those that have none. */
struct comm_ranks_row {
	const struct comm_call *call; /* NULL: of a rank */
	const char *missing;          /* ranks; NULL: none, or not known */
	double busbw_gbps;            /* or negative */
	int64_t profile, rank, clock, offset_ns, error_ns, blocking_ns;
	int64_t number, start_ns, message_bytes;
	int64_t ranks, calls, late_rank, late_calls, late_ns;
	int64_t total_ns, wait_ns, transfer_ns, shortest_ns;
	int64_t mean_skew_ns, skew_ns, end_skew_ns;
	int64_t prefill_wait_ns, prefill_rank;
	struct axes axes; /* the place of a row of several ranks */
};

struct comm_ranks_rows {
	struct comm_ranks_row *items; /* the caller frees */
	size_t n;
};

/* What each participant did, by participant; the caller frees. */
struct comm_rank *comm_ranks_sum(const struct comm_matches *m);
/* By collective or size, texts in the arena: those that ranks waited for longest first. */
struct comm_ranks_rows comm_ranks_kinds(const struct comm_ranks *r, struct arena *arena);
/* By rank. */
struct comm_ranks_rows comm_ranks_by_rank(const struct comm_ranks *r);
/* By the place of ranks in an axis. */
struct comm_ranks_rows comm_ranks_by_axis(const struct comm_ranks *r);
/* Single ones, in the order in which they started. */
struct comm_ranks_rows comm_ranks_single(const struct comm_ranks *r, struct arena *arena);

/*
 * comm_ranks_notes.c: what stands below them: which ranks are missing, from the run or from
 * single collectives, how exact the clocks are, and what was not compared.
 */
void comm_ranks_add_notes(const struct comm_ranks *r, struct memtable *to);

#endif
