/*
 * What stands below a comparison of ranks: which are missing, from the run or from
 * single collectives, how exact the clocks are, and what was not compared.
 */
#ifndef PTOOL_QUERY_COMM_RANKS_NOTES_H
#define PTOOL_QUERY_COMM_RANKS_NOTES_H

#include "base/memtable.h"
#include "query/comm/comm_ranks.h"

void comm_ranks_add_notes(const struct comm_ranks *r, struct memtable *to);

#endif
