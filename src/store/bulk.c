/* Bulk insertion: see bulk.h (sqlite.org/vtab.html, eponymous-only tables). */
#include "store/bulk.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "store/sql.h"

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
	struct bulk_cell cells[]; /* of that row */
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
	buf_addf(&sql, "CREATE TABLE x(%s)", source->bulk->columns);
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
	const struct bulk *bulk = ((struct bulk_table *)table)->source->bulk;
	struct bulk_cursor *cursor = xcalloc(
		1, sizeof(*cursor) + (size_t)bulk->ncolumns * sizeof(*cursor->cells));

	*out = &cursor->base;
	return SQLITE_OK;
}

static int bulk_close(sqlite3_vtab_cursor *cursor)
{
	free(cursor);
	return SQLITE_OK;
}

int bulk_check(const struct bulk *bulk, int64_t row, const struct bulk_cell *cells,
	       struct err *err)
{
	if (bulk->failure && bulk->failure->kind) {
		*err = *bulk->failure;
		return -1;
	}
	for (int i = 1; i < bulk->ncolumns && row == 0; i++)
		if (cells[i].kind == BULK_UNSET)
			return err_set(err, ERR_IO, "%s: nothing sets column %d of (%s)",
				       bulk->table, i + 1, bulk->columns);
	return 0;
}

static int fill(struct bulk_cursor *cursor)
{
	const struct source *source = source_of(&cursor->base);
	struct err err = ERR_INIT;

	if (cursor->row >= source->nrows)
		return SQLITE_OK;
	source->bulk->row(source->from, cursor->row, cursor->cells);
	if (bulk_check(source->bulk, cursor->row, cursor->cells, &err) == 0)
		return SQLITE_OK;
	cursor->base.pVtab->zErrMsg = sqlite3_mprintf("%s", err.text);
	return SQLITE_ERROR;
}

static int bulk_filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
		       sqlite3_value **argv)
{
	struct bulk_cursor *cursor = (struct bulk_cursor *)base;

	(void)number;
	(void)text;
	(void)argc;
	(void)argv;
	cursor->row = 0;
	return fill(cursor);
}

static int bulk_next(sqlite3_vtab_cursor *cursor)
{
	((struct bulk_cursor *)cursor)->row++;
	return fill((struct bulk_cursor *)cursor);
}

static int bulk_eof(sqlite3_vtab_cursor *cursor)
{
	return ((struct bulk_cursor *)cursor)->row >= source_of(cursor)->nrows;
}

static int bulk_column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int column)
{
	const struct bulk_cell *cell = &((struct bulk_cursor *)cursor)->cells[column];

	switch (cell->kind) {
	case BULK_INT:
		sqlite3_result_int64(to, cell->number);
		break;
	case BULK_REAL:
		sqlite3_result_double(to, cell->real);
		break;
	case BULK_TEXT:
		sqlite3_result_text64(to, cell->bytes, cell->n, SQLITE_STATIC,
				      SQLITE_UTF8);
		break;
	case BULK_BLOB:
		sqlite3_result_blob64(to, cell->bytes, cell->n, SQLITE_STATIC);
		break;
	case BULK_UNSET:
	case BULK_NULL:
		break;
	}
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
	buf_addf(&sql, "INSERT INTO %s (%s) SELECT %s FROM ptool_bulk", bulk->table,
		 bulk->columns, bulk->columns);
	int rc = sql_exec(db, sql.p, err);
	buf_release(&sql);
	/* Dropped before the source goes out of scope. */
	sqlite3_create_module(db, "ptool_bulk", NULL, NULL);
	return rc;
}
