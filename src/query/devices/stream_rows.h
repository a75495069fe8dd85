/*
 * Rows of `ptool streams`: one for each stream of each device of each profile that did
 * work, or one for each part of the time of each.
 */
#ifndef PTOOL_QUERY_STREAM_ROWS_H
#define PTOOL_QUERY_STREAM_ROWS_H

#include "base/memtable.h"
#include "base/table.h"
#include "query/filter.h"
#include "query/scope.h"
#include "query/view.h"

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
	STREAM_CURVE,
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

/*
 * The time of all of a profile's streams, queues included, in nparts equal parts; fewer
 * when it has not as many nanoseconds.
 */
int stream_part_rows(struct store *store, const struct scope *scope,
		     const struct filter *filter, int64_t nparts, struct memtable *out,
		     struct err *err);

/* ptool streams: what each stream did, and how much work waited in it. */
struct streams_request {
	const struct filter *filter; /* borrowed */
	int64_t nparts; /* 0: a row for each stream; else so many of equal times each */
	struct view_request show;
};

/* What is shown of streams, or of so many parts of their time. */
extern const struct view streams_view, stream_parts_view;
const struct view *streams_view_of(int64_t nparts);

/* 0 and *out, or -1: ERR_EMPTY when there is no device work, or none that matches. */
int streams_open(struct store *store, const struct scope *scope,
		 const struct streams_request *request, struct table **out,
		 struct err *err);

#endif
