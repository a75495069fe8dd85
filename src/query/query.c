/* Statements of views: see query.h. */
#include "query/query.h"

#include <assert.h>
#include <sqlite3.h>

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

void query_bind(struct sqlite3_stmt *stmt, const char *name, struct cell value)
{
	int at = parameter(stmt, name);

	switch (value.type) {
	case CELL_NULL:
		sqlite3_bind_null(stmt, at);
		break;
	case CELL_INT:
		sqlite3_bind_int64(stmt, at, value.as.integer);
		break;
	case CELL_REAL:
		sqlite3_bind_double(stmt, at, value.as.real);
		break;
	case CELL_TEXT:
		sqlite3_bind_text64(stmt, at, value.as.text.p, value.as.text.n,
				    SQLITE_TRANSIENT, SQLITE_UTF8);
		break;
	}
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
		/* bytes first would be wrong for text in UTF-16 */
		return cell_text(
			(struct str){ (const char *)sqlite3_column_text(stmt, column),
				      (size_t)sqlite3_column_bytes(stmt, column) });
	}
}

int64_t query_number(struct sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL
		       ? NUMBER_NONE
		       : sqlite3_column_int64(stmt, column);
}
