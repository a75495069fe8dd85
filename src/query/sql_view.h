/*
 * A view: one SELECT of views/<name>.sql with its columns, as a struct table.
 * The head of each .sql file says what it gives; tests hold `columns` to it.
 */
#ifndef PTOOL_QUERY_SQL_VIEW_H
#define PTOOL_QUERY_SQL_VIEW_H

#include <stddef.h>

#include "base/err.h"
#include "base/table.h"
#include "store/store.h"

struct sql_view {
	const char *name;
	const unsigned char *sql; /* embedded */
	const struct column *columns;
	size_t ncolumns;
};

/* NULL-terminated: every view that is opened by sql_view_open(). */
extern const struct sql_view *const sql_views[];

/* ":run" and what it is bound to; a list ends with name NULL. */
struct sql_view_arg {
	const char *name;
	struct cell value;
};

/*
 * *out is the caller's, to be freed before the store is closed; NULL on failure.
 * Rows stream.  `args` may be NULL; their texts are copied.
 */
int sql_view_open(struct store *store, const struct sql_view *view,
		  const struct sql_view_arg *args, struct table **out, struct err *err);

#endif
