/* Tables of collectives across ranks: what comm_ranks.c chooses from. */
#ifndef PTOOL_QUERY_COMM_RANKS_ROWS_H
#define PTOOL_QUERY_COMM_RANKS_ROWS_H

#include "base/memtable.h"
#include "query/comm/comm_judge.h"
#include "query/comm/comm_ranks.h"

/* By collective or size: those that ranks waited for longest first. */
struct memtable *comm_ranks_kinds(const struct comm_ranks *r);
/* By rank. */
struct memtable *comm_ranks_by_rank(const struct comm_ranks *r);
/* Single ones, in the order in which they started. */
struct memtable *comm_ranks_single(const struct comm_ranks *r);

/* Ranks of the parts of a match, sorted, each once; into `out`, which has room. */
size_t comm_match_ranks(const struct comm_matches *m, const struct comm_match *match,
			int64_t *out);

#endif
