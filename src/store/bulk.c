/* Bulk insertion: see bulk.h (sqlite.org/vtab.html, eponymous-only tables). */
#include "store/bulk.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "store/sql.h"

#define SQL_MAX 8192

/* The columns that rows come from, and behind them what the rows are made of. */
#define EIGHT(d) \
	"c" #d "0, c" #d "1, c" #d "2, c" #d "3, c" #d "4, c" #d "5, c" #d "6, c" #d "7, "
#define COLUMNS       EIGHT(0) EIGHT(1) EIGHT(2) EIGHT(3) EIGHT(4) EIGHT(5) EIGHT(6) EIGHT(7)
#define COLUMN_BYTES  5
#define COLUMNS_MAX   64
#define COLUMN_SOURCE COLUMNS_MAX
#define SOURCE_TYPE   "ptool_bulk" /* of the pointer that is bound to it */

struct source {
	const struct bulk *bulk;
	const void *from;
	int64_t nrows;
};

struct bulk_cursor {
	sqlite3_vtab_cursor base;    /* first: SQLite casts */
	const struct source *source; /* NULL: none was bound, and there are no rows */
	int64_t row;
	struct bulk_cell cells[COLUMNS_MAX]; /* of that row */
};

static int bulk_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
			sqlite3_vtab **out, char **message)
{
	(void)aux;
	(void)argc;
	(void)argv;
	(void)message;
	int rc = sqlite3_declare_vtab(db, "CREATE TABLE x(" COLUMNS "source HIDDEN)");
	if (rc == SQLITE_OK)
		*out = xcalloc(1, sizeof(**out));
	return rc;
}

static int bulk_disconnect(sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

/* Rows are read from first to last, once it is known what they are made of. */
static int bulk_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	for (int i = 0; i < info->nConstraint; i++) {
		if (info->aConstraint[i].iColumn != COLUMN_SOURCE ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ ||
		    !info->aConstraint[i].usable)
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->aConstraintUsage[i].omit = 1;
		return SQLITE_OK;
	}
	return SQLITE_CONSTRAINT;
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

static bool is_over(const struct bulk_cursor *cursor)
{
	return !cursor->source || cursor->row >= cursor->source->nrows;
}

static int fill(struct bulk_cursor *cursor)
{
	const struct source *source = cursor->source;
	struct err err = ERR_INIT;

	if (is_over(cursor))
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
	cursor->source = sqlite3_value_pointer(argv[0], SOURCE_TYPE);
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
	return is_over((const struct bulk_cursor *)cursor);
}

static int bulk_column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int column)
{
	const struct bulk_cell *cell = &((struct bulk_cursor *)cursor)->cells[column];

	if (column == COLUMN_SOURCE)
		return SQLITE_OK;
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

/*
 * A connection gets the module with its first rows and keeps it: SQLite prepares all of a
 * connection's statements anew when one is taken away.
 */
static int prepare(struct sqlite3 *db, const char *sql, struct sqlite3_stmt **stmt,
		   struct err *err)
{
	if (sqlite3_prepare_v2(db, sql, -1, stmt, NULL) == SQLITE_OK)
		return 0;
	if (sqlite3_create_module(db, "ptool_bulk", &bulk_module, NULL) != SQLITE_OK)
		return sql_error(db, err);
	return sql_prepare(db, sql, stmt, err);
}

int bulk_insert(struct sqlite3 *db, const struct bulk *bulk, const void *from,
		int64_t nrows, struct err *err)
{
	struct source source = { bulk, from, nrows };
	struct sqlite3_stmt *stmt;
	struct buf sql;

	assert(bulk->ncolumns <= COLUMNS_MAX);
	if (nrows == 0)
		return 0;
	buf_init(&sql, SQL_MAX);
	buf_addf(&sql, "INSERT INTO %s (%s) SELECT %.*s FROM ptool_bulk(?1)", bulk->table,
		 bulk->columns, bulk->ncolumns * COLUMN_BYTES - 2, COLUMNS);
	int rc = prepare(db, sql.p, &stmt, err);
	buf_release(&sql);
	if (rc < 0)
		return -1;
	sqlite3_bind_pointer(stmt, 1, &source, SOURCE_TYPE, NULL);
	rc = sql_step(stmt, err);
	sqlite3_finalize(stmt);
	return rc;
}
