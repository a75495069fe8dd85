/*
 * Single slices as a table: what `ptool list` shows.
 */
#ifndef PTOOL_QUERY_SLICE_LIST_H
#define PTOOL_QUERY_SLICE_LIST_H

#include "query/filter.h"
#include "query/view.h"

extern const struct view slice_list_view;

struct slice_list_request {
	const struct filter *filter; /* NULL: all slices */
	struct view_request show;    /* sort, limit and for_people count */
};

/*
 * By start slices stream; other orders look at every slice first.  Scope and filter
 * are borrowed; *out is the caller's, to be freed before they and the store end.
 */
int slice_list_open(struct store *store, const struct scope *scope,
		    const struct slice_list_request *request, struct table **out,
		    struct err *err);

#endif
