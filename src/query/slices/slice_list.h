/*
 * Single slices as a table: what `ptool list` shows.
 */
#ifndef PTOOL_QUERY_SLICE_LIST_H
#define PTOOL_QUERY_SLICE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/table.h"
#include "query/filter.h"
#include "query/scope.h"

enum slice_list_order { LIST_BY_START, LIST_BY_DUR, LIST_BY_SELF, LIST_BY_NAME };

struct slice_list_request {
	const struct filter *filter; /* NULL: all slices */
	enum slice_list_order order;
	int64_t limit; /* 0: none */
	bool for_people;
};

/*
 * LIST_BY_START streams; the others look at every slice first.  Scope and filter
 * are borrowed; *out is the caller's, to be freed before they and the store end.
 */
int slice_list_open(struct store *store, const struct scope *scope,
		    const struct slice_list_request *request, struct table **out,
		    struct err *err);

#endif
