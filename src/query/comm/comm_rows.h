/* The collectives of a profile as rows of a table: what `ptool comm` prints. */
#ifndef PTOOL_QUERY_COMM_ROWS_H
#define PTOOL_QUERY_COMM_ROWS_H

#include "base/memtable.h"
#include "query/comm/comm.h"
#include "query/comm/comm_calls.h"

enum comm_column {
	COMM_PROFILE,
	COMM_RANK,
	COMM_DEVICE,
	COMM_STREAM,
	COMM_START,
	COMM_DUR,
	COMM_COLLECTIVE,
	COMM_SIDE,
	COMM_DTYPE,
	COMM_GROUP,
	COMM_GROUP_RANKS,
	COMM_GROUP_SIZE,
	COMM_SEQUENCE,
	COMM_STEP,
	COMM_CALLS,
	COMM_MESSAGE, /* bytes of one, when all are alike */
	COMM_BYTES,
	COMM_TOTAL,
	COMM_BUSY,
	COMM_ALGBW,
	COMM_BUSBW,
	COMM_EXPOSED,
	COMM_OVERLAP,
	COMM_ALGORITHM,
	COMM_PROTOCOL,
	COMM_NAME,
	COMM_ID,
	NCOMM_COLUMNS
};

/* Of one profile; all borrowed. */
struct comm_rows {
	const struct scope_profile *profile;
	const struct text_pool *texts;
	const struct device_work *work;
	const struct comm_calls *calls;
	/*
	 * By device, and behind them for the host: when it computed.
	 */
	const struct intervals *compute;
	enum comm_by by;
};

/* A row for each group, for each device those that took longest first. */
void comm_add_sums(const struct comm_rows *r, struct memtable *to);
/* A row for each call, in the order in which they started on their device. */
void comm_add_single(const struct comm_rows *r, struct memtable *to);

#endif
