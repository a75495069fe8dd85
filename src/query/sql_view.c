/* Views as tables: see sql_view.h. */
#include "query/sql_view.h"

#include <assert.h>
#include <sqlite3.h>

#include "base/alloc.h"
#include "query/query.h"

struct view_table {
	struct table table;
	struct sqlite3_stmt *stmt; /* owned; NULL at the end */
	int64_t nrows;
};

static int view_next(struct table *t, struct cell *cells, struct err *err)
{
	struct view_table *v = (struct view_table *)t;
	int rc = v->stmt ? sql_step(v->stmt, err) : 0;

	if (rc <= 0) {
		t->total_rows = v->nrows;
		sqlite3_finalize(v->stmt);
		v->stmt = NULL;
		return rc;
	}
	for (size_t i = 0; i < t->ncolumns; i++)
		cells[i] = query_cell(v->stmt, (int)i);
	v->nrows++;
	return 1;
}

static void view_free(struct table *t)
{
	struct view_table *v = (struct view_table *)t;

	sqlite3_finalize(v->stmt);
	free(v);
}

int sql_view_open(struct store *store, const struct sql_view *view,
		  const struct sql_view_arg *args, struct table **out, struct err *err)
{
	struct sqlite3_stmt *stmt;

	*out = NULL;
	if (query_prepare(store, view->sql, &stmt, err) < 0)
		return -1;
	assert((size_t)sqlite3_column_count(stmt) == view->ncolumns);
	for (; args && args->name; args++)
		query_bind(stmt, args->name, args->value);
	struct view_table *v = xcalloc(1, sizeof(*v));
	v->table = (struct table){ .columns = view->columns,
				   .ncolumns = view->ncolumns,
				   .next = view_next,
				   .free = view_free,
				   .total_rows = -1 };
	v->stmt = stmt;
	*out = &v->table;
	return 0;
}
