/* The columns of `ptool comm --ranks`: all that any of its tables has. */
#ifndef PTOOL_QUERY_COMM_RANK_COLUMNS_H
#define PTOOL_QUERY_COMM_RANK_COLUMNS_H

#include "base/table.h"
#include "query/comm/comm.h"
#include "query/pick.h"

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

extern const struct column comm_rank_columns[NRANKS_COLUMNS];

/* What tells the groups of a table apart. */
enum comm_groups {
	COMM_ONE_GROUP,
	COMM_NAMED_GROUPS,
	COMM_LISTED_GROUPS, /* their ranks: two are of one name */
};

/* Which of them this table has; `shown` has a place for each. */
void comm_rank_choose(enum comm_by by, enum comm_groups groups, enum shown *shown);

#endif
