/*
 * `ptool timeline`: the rows of src/query/timeline/cell_rows.h as a picture for people, with
 * the causes of idle time below it, and cell by cell for machines.
 */
#ifndef PTOOL_QUERY_CELLS_H
#define PTOOL_QUERY_CELLS_H

#include "base/err.h"
#include "base/table.h"
#include "query/scope.h"
#include "query/timeline/cell_rows.h"
#include "query/view.h"
#include "store/store.h"

extern const struct view cells_view;

/*
 * *out is the caller's, to be freed before the store is closed.  ERR_EMPTY: nothing with a
 * time was recorded, or nothing matches.
 */
int cells_open(struct store *store, const struct scope *scope,
	       const struct cells_request *request, struct table **out, struct err *err);

/* cells_picture.c, for that: the rows are moved. */
struct table *cells_picture(struct cell_rows *rows, const struct cells_request *request);

#endif
