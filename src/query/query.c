/* Statements of views: see query.h. */
#include "query/query.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"

int query_damaged(const char *what_do, struct err *err)
{
	return err_set(err, ERR_INPUT, "the store's %s not fit together; ingest again",
		       what_do);
}

int query_prepare(struct store *store, const unsigned char *sql,
		  struct sqlite3_stmt **out, struct err *err)
{
	return sql_prepare(store_db(store), (const char *)sql, out, err);
}

static int parameter(struct sqlite3_stmt *stmt, const char *name)
{
	int index = sqlite3_bind_parameter_index(stmt, name);

	assert(index > 0);
	return index;
}

void query_bind_int(struct sqlite3_stmt *stmt, const char *name, int64_t value)
{
	sqlite3_bind_int64(stmt, parameter(stmt, name), value);
}

void query_bind_text(struct sqlite3_stmt *stmt, const char *name, const char *text)
{
	sqlite3_bind_text(stmt, parameter(stmt, name), text, -1, SQLITE_STATIC);
}

struct cell query_cell(struct sqlite3_stmt *stmt, int column)
{
	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_INTEGER:
		return cell_int(sqlite3_column_int64(stmt, column));
	case SQLITE_FLOAT:
		return cell_real(sqlite3_column_double(stmt, column));
	case SQLITE_NULL:
		return cell_null();
	default:
		break;
	}
	/* the text first: it may convert what the length is then of */
	const char *text = (const char *)sqlite3_column_text(stmt, column);
	int n = sqlite3_column_bytes(stmt, column);
	return cell_text((struct str){ text, (size_t)n });
}

int64_t query_number(struct sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL
		       ? NUMBER_NONE
		       : sqlite3_column_int64(stmt, column);
}

int query_rows(struct store *store, const unsigned char *sql, const char *profiles,
	       struct memtable *to, struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	if (query_prepare(store, sql, &stmt, err) < 0)
		return -1;
	query_bind_text(stmt, ":profiles", profiles);
	int n = sqlite3_column_count(stmt);
	assert((size_t)n <= to->table.ncolumns);
	struct cell *cells = xcalloc(to->table.ncolumns, sizeof(*cells));
	while ((rc = sql_step(stmt, err)) > 0) {
		for (int i = 0; i < n; i++)
			cells[i] = query_cell(stmt, i);
		memtable_add_row(to, cells);
	}
	free(cells);
	sqlite3_finalize(stmt);
	return rc;
}
