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
	NRANKS_COLUMNS
};

extern const struct column comm_rank_columns[NRANKS_COLUMNS];

/* Which of them this table has; several_groups: people see which. */
const enum shown *comm_rank_shown(enum comm_by by, bool several_groups);

#endif
