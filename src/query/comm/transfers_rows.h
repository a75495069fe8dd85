/* Transfers of a profile as rows of a table: what transfers_table.c is made of. */
#ifndef PTOOL_QUERY_TRANSFERS_ROWS_H
#define PTOOL_QUERY_TRANSFERS_ROWS_H

#include "base/memtable.h"
#include "query/comm/transfers.h"
#include "query/comm/transfers_table.h"

/* The cells of a row; those of the other table are null. */
enum transfers_column {
	TRANSFERS_PROFILE,
	TRANSFERS_RANK,
	TRANSFERS_DEVICE,
	TRANSFERS_STREAM,
	TRANSFERS_START,
	TRANSFERS_DUR,
	TRANSFERS_WHAT, /* for people: kind and memory */
	TRANSFERS_KIND,
	TRANSFERS_MEMORY,
	TRANSFERS_STEP,
	TRANSFERS_CALLS,
	TRANSFERS_BYTES,
	TRANSFERS_TOTAL,
	TRANSFERS_BUSY,
	TRANSFERS_BANDWIDTH,
	TRANSFERS_EXPOSED,
	TRANSFERS_HIDDEN,
	TRANSFERS_BLOCKING,
	TRANSFERS_WAIT,
	TRANSFERS_OP,
	TRANSFERS_CALL,
	TRANSFERS_NAME,
	TRANSFERS_ID,
	NTRANSFERS_COLUMNS
};

/* Of one profile; all borrowed. */
struct transfers_rows {
	const struct scope_profile *profile;
	const struct text_pool *texts;
	const struct device_work *work;
	const struct transfers *transfers;
	enum transfers_by by;
};

/* A row for each group, for each device those that took longest first. */
void transfers_add_sums(const struct transfers_rows *r, struct memtable *to);
/* A row for each transfer, in the order in which they started on their device. */
void transfers_add_single(const struct transfers_rows *r, struct memtable *to);

/* bytes / ns is GB/s; null without either. */
struct cell bandwidth_cell(int64_t bytes, int64_t ns);

#endif
