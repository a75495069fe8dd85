/* ptool graphs: a row for each CUDA or HIP graph that was replayed. */
#ifndef PTOOL_QUERY_GRAPHS_H
#define PTOOL_QUERY_GRAPHS_H

#include "base/table.h"
#include "query/filter.h"
#include "query/scope.h"
#include "query/view.h"

struct graphs_query {
	const struct filter *filter; /* borrowed; it chooses replays */
	struct view_request show;
};

extern const struct view graphs_view;

/* 0 and *out, or -1: ERR_EMPTY when no graph was replayed, or none that matches. */
int graphs_open(struct store *store, const struct scope *scope,
		const struct graphs_query *query, struct table **out, struct err *err);

#endif
