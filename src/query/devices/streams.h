/* ptool streams: what each stream did, and how much work waited in it. */
#ifndef PTOOL_QUERY_STREAMS_H
#define PTOOL_QUERY_STREAMS_H

#include "base/table.h"
#include "query/filter.h"
#include "query/scope.h"
#include "query/view.h"

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
