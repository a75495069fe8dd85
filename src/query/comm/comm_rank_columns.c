/* Columns of collectives across ranks: see comm_rank_columns.h. */
#include "query/comm/comm_rank_columns.h"

#include <string.h>

const struct column comm_rank_columns[NRANKS_COLUMNS] = {
	[RANKS_PROFILE] = { "profile", "Profile", UNIT_ID },
	[RANKS_RANK] = { "rank", "Rank", UNIT_ID },
	[RANKS_NUMBER] = { "sequence", "Seq", UNIT_COUNT },
	[RANKS_START] = { "start_ns", "Start", UNIT_TIME },
	[RANKS_COLLECTIVE] = { "collective", "Collective", UNIT_TEXT },
	[RANKS_SIDE] = { "side", "Side", UNIT_TEXT },
	[RANKS_DTYPE] = { "dtype", "Type", UNIT_TEXT },
	[RANKS_GROUP] = { "group", "Group", UNIT_TEXT },
	[RANKS_GROUP_RANKS] = { "group_ranks", "Group ranks", UNIT_TEXT },
	[RANKS_GROUP_SIZE] = { "group_size", "Members", UNIT_COUNT },
	[RANKS_RANKS] = { "ranks", "Ranks", UNIT_COUNT },
	[RANKS_MISSING] = { "missing_ranks", "Missing", UNIT_TEXT },
	[RANKS_CALLS] = { "calls", "Calls", UNIT_COUNT },
	[RANKS_MESSAGE] = { "message_bytes", "Size", UNIT_BYTES },
	[RANKS_TOTAL] = { "total_ns", "Time", UNIT_NS },
	[RANKS_WAIT] = { "wait_ns", "Wait", UNIT_NS },
	[RANKS_TRANSFER] = { "transfer_ns", "Transfer", UNIT_NS },
	[RANKS_SHORTEST] = { "shortest_ns", "Shortest", UNIT_NS },
	[RANKS_BUSBW] = { "busbw_gbps", "Bus GB/s", UNIT_RATIO },
	[RANKS_MEAN_SKEW] = { "mean_skew_ns", "Mean skew", UNIT_NS },
	[RANKS_SKEW] = { "skew_ns", "Skew", UNIT_NS },
	[RANKS_END_SKEW] = { "end_skew_ns", "End skew", UNIT_NS },
	[RANKS_LATE_RANK] = { "late_rank", "Latest", UNIT_ID },
	[RANKS_LATE_CALLS] = { "late_calls", "Last", UNIT_COUNT },
	[RANKS_LATE] = { "late_ns", "Late", UNIT_NS },
	[RANKS_CLOCK] = { "clock", "Clock", UNIT_COUNT },
	[RANKS_OFFSET] = { "clock_offset_ns", "Clock", UNIT_NS },
	[RANKS_ERROR] = { "clock_error_ns", "Error", UNIT_NS },
	[RANKS_BLOCKING] = { "blocking_ns", "Blocking", UNIT_NS },
};

/* By collective; by size, too, which see comm_rank_choose(). */
static const enum shown kind_shown[NRANKS_COLUMNS] = {
	[RANKS_PROFILE] = SHOWN_NEVER,
	[RANKS_RANK] = SHOWN_NEVER,
	[RANKS_NUMBER] = SHOWN_NEVER,
	[RANKS_START] = SHOWN_NEVER,
	[RANKS_SIDE] = SHOWN_TO_MACHINES,
	[RANKS_DTYPE] = SHOWN_NEVER,
	[RANKS_GROUP] = SHOWN_TO_MACHINES,
	[RANKS_GROUP_RANKS] = SHOWN_TO_MACHINES,
	[RANKS_GROUP_SIZE] = SHOWN_TO_MACHINES,
	[RANKS_MISSING] = SHOWN_TO_MACHINES,
	[RANKS_MESSAGE] = SHOWN_NEVER,
	[RANKS_TOTAL] = SHOWN_TO_MACHINES,
	[RANKS_SHORTEST] = SHOWN_NEVER,
	[RANKS_BUSBW] = SHOWN_TO_MACHINES,
	[RANKS_MEAN_SKEW] = SHOWN_TO_MACHINES,
	[RANKS_END_SKEW] = SHOWN_NEVER,
	[RANKS_LATE_CALLS] = SHOWN_TO_MACHINES,
	[RANKS_LATE] = SHOWN_TO_MACHINES,
	[RANKS_CLOCK] = SHOWN_NEVER,
	[RANKS_OFFSET] = SHOWN_NEVER,
	[RANKS_ERROR] = SHOWN_NEVER,
	[RANKS_BLOCKING] = SHOWN_NEVER,
};

static const enum shown rank_shown[NRANKS_COLUMNS] = {
	[RANKS_PROFILE] = SHOWN_TO_MACHINES,  [RANKS_NUMBER] = SHOWN_NEVER,
	[RANKS_START] = SHOWN_NEVER,          [RANKS_COLLECTIVE] = SHOWN_NEVER,
	[RANKS_SIDE] = SHOWN_NEVER,           [RANKS_DTYPE] = SHOWN_NEVER,
	[RANKS_GROUP] = SHOWN_NEVER,          [RANKS_GROUP_RANKS] = SHOWN_NEVER,
	[RANKS_GROUP_SIZE] = SHOWN_NEVER,     [RANKS_RANKS] = SHOWN_NEVER,
	[RANKS_MISSING] = SHOWN_NEVER,        [RANKS_MESSAGE] = SHOWN_NEVER,
	[RANKS_TOTAL] = SHOWN_TO_MACHINES,    [RANKS_SHORTEST] = SHOWN_NEVER,
	[RANKS_BUSBW] = SHOWN_NEVER,          [RANKS_MEAN_SKEW] = SHOWN_NEVER,
	[RANKS_SKEW] = SHOWN_NEVER,           [RANKS_END_SKEW] = SHOWN_NEVER,
	[RANKS_LATE_RANK] = SHOWN_NEVER,      [RANKS_CLOCK] = SHOWN_TO_MACHINES,
	[RANKS_BLOCKING] = SHOWN_TO_MACHINES,
};

static const enum shown single_shown[NRANKS_COLUMNS] = {
	[RANKS_PROFILE] = SHOWN_NEVER,
	[RANKS_RANK] = SHOWN_NEVER,
	[RANKS_NUMBER] = SHOWN_TO_MACHINES,
	[RANKS_SIDE] = SHOWN_TO_MACHINES,
	[RANKS_DTYPE] = SHOWN_TO_MACHINES,
	[RANKS_GROUP] = SHOWN_TO_MACHINES,
	[RANKS_GROUP_RANKS] = SHOWN_TO_MACHINES,
	[RANKS_GROUP_SIZE] = SHOWN_TO_MACHINES,
	[RANKS_RANKS] = SHOWN_TO_MACHINES,
	[RANKS_MISSING] = SHOWN_TO_MACHINES,
	[RANKS_CALLS] = SHOWN_NEVER,
	[RANKS_MESSAGE] = SHOWN_TO_MACHINES,
	[RANKS_TOTAL] = SHOWN_TO_MACHINES,
	[RANKS_SHORTEST] = SHOWN_TO_MACHINES,
	[RANKS_BUSBW] = SHOWN_TO_MACHINES,
	[RANKS_MEAN_SKEW] = SHOWN_NEVER,
	[RANKS_END_SKEW] = SHOWN_TO_MACHINES,
	[RANKS_LATE_CALLS] = SHOWN_NEVER,
	[RANKS_CLOCK] = SHOWN_TO_MACHINES,
	[RANKS_OFFSET] = SHOWN_NEVER,
	[RANKS_ERROR] = SHOWN_NEVER,
	[RANKS_BLOCKING] = SHOWN_NEVER,
};

/* What tells rows apart takes the place of how many ranks took part. */
static void tell_apart(enum comm_rank_column column, enum shown *shown)
{
	shown[column] = SHOWN_ALWAYS;
	shown[RANKS_RANKS] = SHOWN_TO_MACHINES;
}

void comm_rank_choose(enum comm_by by, enum comm_groups groups, enum shown *shown)
{
	const enum shown *from = by == COMM_BY_RANK  ? rank_shown
				 : by == COMM_SINGLE ? single_shown
						     : kind_shown;

	memcpy(shown, from, sizeof(kind_shown));
	if (from != kind_shown)
		return;
	if (by == COMM_BY_SIZE)
		tell_apart(RANKS_MESSAGE, shown);
	if (by == COMM_BY_SIZE && groups != COMM_ONE_GROUP) /* 80 columns */
		shown[RANKS_SKEW] = SHOWN_TO_MACHINES;
	if (groups == COMM_NAMED_GROUPS)
		tell_apart(RANKS_GROUP, shown);
	if (groups == COMM_LISTED_GROUPS)
		tell_apart(RANKS_GROUP_RANKS, shown);
}
