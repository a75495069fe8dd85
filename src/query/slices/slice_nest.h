/*
 * The slices of a track as they nest: each opens, then those within it do, then it closes.
 * They come from packed columns, or where a filter asks for their categories from rows;
 * depths and self times are made as the store made those of slice_row (store/nest.h).
 *
 *	while ((event = slice_nest_next(&nest, err)) > 0)
 *		if (event == SLICE_OPENS) ...
 */
#ifndef PTOOL_QUERY_SLICE_NEST_H
#define PTOOL_QUERY_SLICE_NEST_H

#include "query/slices/slice_pack.h"
#include "query/slices/slices.h"

enum { SLICE_ENDS = 0, SLICE_OPENS, SLICE_CLOSES };

struct open_slice {
	struct slice_row row;
	int64_t end_ns; /* no later than that of the slice around it */
};

struct slice_nest {
	/*
	 * Of the newest event.  A row has id, ts_ns, dur_ns, name_id, class and step_id; when it
	 * closes self_ns, too.
	 */
	struct slice_row row;
	size_t depth; /* 0: nothing is around it */

	struct slices *slices; /* borrowed */
	struct slice_pack pack;
	bool is_packed, has_next;
	struct slice_row next;   /* opens next, when has_next */
	struct open_slice *open; /* owned */
	size_t nopen, cap;
};

/* slice_nest_close() in both cases, also of a zeroed one. */
int slice_nest_open(struct store *store, struct slices *slices, struct slice_nest *out,
		    struct err *err);
void slice_nest_close(struct slice_nest *n);
/* Those of the track are next. */
int slice_nest_track(struct slice_nest *n, const struct slices_track *track,
		     struct err *err);
/* SLICE_OPENS, SLICE_CLOSES, SLICE_ENDS behind the last, or -1 with err set. */
int slice_nest_next(struct slice_nest *n, struct err *err);

#endif
