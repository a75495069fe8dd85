/* Bulk insertion: see bulk.h (sqlite.org/vtab.html, eponymous-only tables). */
#include "store/bulk.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "store/sql.h"
#include "trace/fact.h"

#define SQL_MAX 8192

struct source {
	const struct bulk *bulk;
	const void *from;
	int64_t nrows;
};

struct bulk_table {
	sqlite3_vtab base; /* first: SQLite casts */
	const struct source *source;
};

struct bulk_cursor {
	sqlite3_vtab_cursor base; /* first */
	int64_t row;
};

static const struct source *source_of(sqlite3_vtab_cursor *cursor)
{
	return ((struct bulk_table *)cursor->pVtab)->source;
}

static int bulk_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
			sqlite3_vtab **out, char **message)
{
	const struct source *source = aux;
	struct buf sql;

	(void)argc;
	(void)argv;
	(void)message;
	buf_init(&sql, SQL_MAX);
	buf_add_text(&sql, "CREATE TABLE x(c0");
	for (int i = 1; i < source->bulk->ncolumns; i++)
		buf_addf(&sql, ", c%d", i);
	buf_add_char(&sql, ')');
	int rc = sqlite3_declare_vtab(db, sql.p);
	buf_release(&sql);
	if (rc != SQLITE_OK)
		return rc;
	struct bulk_table *table = xcalloc(1, sizeof(*table));
	table->source = source;
	*out = &table->base;
	return SQLITE_OK;
}

static int bulk_disconnect(sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

static int bulk_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	info->estimatedRows = ((struct bulk_table *)table)->source->nrows;
	return SQLITE_OK;
}

static int bulk_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	struct bulk_cursor *cursor = xcalloc(1, sizeof(*cursor));

	(void)table;
	*out = &cursor->base;
	return SQLITE_OK;
}

static int bulk_close(sqlite3_vtab_cursor *cursor)
{
	free(cursor);
	return SQLITE_OK;
}

static int bulk_filter(sqlite3_vtab_cursor *cursor, int number, const char *text,
		       int argc, sqlite3_value **argv)
{
	(void)number;
	(void)text;
	(void)argc;
	(void)argv;
	((struct bulk_cursor *)cursor)->row = 0;
	return SQLITE_OK;
}

static int bulk_next(sqlite3_vtab_cursor *cursor)
{
	((struct bulk_cursor *)cursor)->row++;
	return SQLITE_OK;
}

static int bulk_eof(sqlite3_vtab_cursor *cursor)
{
	return ((struct bulk_cursor *)cursor)->row >= source_of(cursor)->nrows;
}

static int bulk_column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int column)
{
	const struct source *source = source_of(cursor);

	source->bulk->cell(source->from, ((struct bulk_cursor *)cursor)->row, column, to);
	return SQLITE_OK;
}

static int bulk_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
	*out = ((struct bulk_cursor *)cursor)->row;
	return SQLITE_OK;
}

static const sqlite3_module bulk_module = {
	.xConnect = bulk_connect,
	.xBestIndex = bulk_best_index,
	.xDisconnect = bulk_disconnect,
	.xOpen = bulk_open,
	.xClose = bulk_close,
	.xFilter = bulk_filter,
	.xNext = bulk_next,
	.xEof = bulk_eof,
	.xColumn = bulk_column,
	.xRowid = bulk_rowid,
};

int bulk_insert(struct sqlite3 *db, const struct bulk *bulk, const void *from,
		int64_t nrows, struct err *err)
{
	struct source source = { bulk, from, nrows };
	struct buf sql;

	if (nrows == 0)
		return 0;
	if (sqlite3_create_module(db, "ptool_bulk", &bulk_module, &source) != SQLITE_OK)
		return sql_error(db, err);
	buf_init(&sql, SQL_MAX);
	buf_addf(&sql, "INSERT INTO %s SELECT %s", bulk->table,
		 bulk->gives_id ? "c0" : "NULL, c0");
	for (int i = 1; i < bulk->ncolumns; i++)
		buf_addf(&sql, ", c%d", i);
	buf_add_text(&sql, " FROM ptool_bulk");
	int rc = sql_exec(db, sql.p, err);
	buf_release(&sql);
	/* Dropped before the source goes out of scope. */
	sqlite3_create_module(db, "ptool_bulk", NULL, NULL);
	return rc;
}

void bulk_int(struct sqlite3_context *to, int64_t value)
{
	sqlite3_result_int64(to, value);
}

void bulk_number(struct sqlite3_context *to, int64_t value)
{
	if (value != NUMBER_NONE)
		sqlite3_result_int64(to, value);
}

void bulk_real(struct sqlite3_context *to, double value)
{
	sqlite3_result_double(to, value);
}

void bulk_text(struct sqlite3_context *to, struct str text)
{
	sqlite3_result_text64(to, text.p, text.n, SQLITE_STATIC, SQLITE_UTF8);
}

void bulk_blob_copy(struct sqlite3_context *to, struct str bytes)
{
	sqlite3_result_blob64(to, bytes.p, bytes.n, SQLITE_TRANSIENT);
}
