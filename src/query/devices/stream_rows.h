/*
 * Rows of `ptool streams`: one for each stream of each device of each profile that did
 * work, or one for each part of the time of each.
 */
#ifndef PTOOL_QUERY_STREAM_ROWS_H
#define PTOOL_QUERY_STREAM_ROWS_H

#include "base/memtable.h"
#include "query/filter.h"
#include "query/scope.h"

/* The cells of a row. */
enum stream_column {
	STREAM_PROFILE,
	STREAM_RANK,
	STREAM_DEVICE,
	STREAM_NUMBER,
	STREAM_EVENTS,
	STREAM_KERNELS,
	STREAM_COPIES,
	STREAM_SPAN,
	STREAM_BUSY,
	STREAM_IDLE,
	STREAM_COMPUTE,
	STREAM_COMMUNICATION,
	STREAM_MEMORY,
	STREAM_OVERLAP,
	STREAM_EXPOSED_COMM,
	STREAM_EXPOSED_COPY,
	STREAM_SUM,
	STREAM_START,
	STREAM_LAUNCHED,
	STREAM_QUEUE_MAX,
	STREAM_QUEUE_MEAN,
	STREAM_QUEUE_WAIT,
	STREAM_QUEUE,
	STREAM_BUSY_SHARE,
	NSTREAM_COLUMNS
};

/* The cells of a row for a part of the time. */
enum stream_part_column {
	PART_PROFILE,
	PART_RANK,
	PART_DEVICE,
	PART_STREAM,
	PART_START,
	PART_DUR,
	PART_BUSY,
	PART_QUEUE_MEAN,
	PART_QUEUE_MAX,
	PART_QUEUE_WAIT,
	PART_BUSY_SHARE,
	NPART_COLUMNS
};

/* `out` has room for these cells.  -1, with ERR_EMPTY when there is no row. */
int stream_rows(struct store *store, const struct scope *scope,
		const struct filter *filter, struct memtable *out, struct err *err);
/*
 * The time of all of a profile's streams, queues included, in nparts equal parts; fewer
 * when it has not as many nanoseconds.
 */
int stream_part_rows(struct store *store, const struct scope *scope,
		     const struct filter *filter, int64_t nparts, struct memtable *out,
		     struct err *err);

#endif
