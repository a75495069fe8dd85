/* Writing rows of summaries: see parts.h. */
#include "store/parts.h"

#include <sqlite3.h>

#include "base/buf.h"
#include "store/bulk.h"
#include "store/sql.h"
#include "store/statements.h"

#define SQL_MAX 256

/* The first two columns of each of the tables. */
enum { COL_PART_ID, COL_PART_PROFILE_ID, COL_PART_FIRST };

struct row_maker {
	const struct part_rows *rows;
	struct intern *texts;
	int64_t profile_id;
};

static struct bulk_cell cell_of(const struct row_maker *m, struct cell cell, int column)
{
	uint64_t bit = UINT64_C(1) << column;

	if (cell.type == CELL_INT)
		return bulk_int(cell.as.integer);
	if (cell.type == CELL_REAL)
		return bulk_real(cell.as.real);
	if (cell.type != CELL_TEXT)
		return bulk_null();
	if (m->rows->table->texts & bit)
		return bulk_int((int64_t)intern_add(m->texts, cell.as.text) + 1);
	return m->rows->table->blobs & bit ? bulk_blob(cell.as.text)
					   : bulk_text(cell.as.text);
}

static void make_row(const void *from, int64_t row, struct bulk_cell *cells)
{
	const struct row_maker *m = from;
	const struct part_table *table = m->rows->table;
	const struct cell *values = part_rows_at(m->rows, (size_t)row);

	cells[COL_PART_PROFILE_ID] = bulk_int(m->profile_id);
	for (int i = COL_PART_FIRST; i < table->ncolumns; i++)
		cells[i] = cell_of(m, values[i], i);
}

static int last_id(struct sqlite3 *db, const struct part_table *table, int64_t *id,
		   struct err *err)
{
	struct buf sql;

	buf_init(&sql, SQL_MAX);
	buf_addf(&sql, "SELECT coalesce(max(id), 0) FROM %s", table->name);
	int rc = sql_int(db, sql.p, id, err);
	buf_release(&sql);
	return rc;
}

static int write_place(struct sqlite3 *db, const struct row_maker *m, int64_t first_id,
		       struct err *err)
{
	struct sqlite3_stmt *stmt;
	const char *name = m->rows->table->name;

	if (statement_prepare(db, "insert_summary", &stmt, err) < 0)
		return -1;
	sqlite3_bind_int64(stmt, sqlite3_bind_parameter_index(stmt, ":profile_id"),
			   m->profile_id);
	sqlite3_bind_text(stmt, sqlite3_bind_parameter_index(stmt, ":part"), name, -1,
			  SQLITE_STATIC);
	sqlite3_bind_int(stmt, sqlite3_bind_parameter_index(stmt, ":rules"),
			 m->rows->rules);
	sqlite3_bind_int64(stmt, sqlite3_bind_parameter_index(stmt, ":first_row_id"),
			   m->rows->n ? first_id : 0);
	sqlite3_bind_int64(stmt, sqlite3_bind_parameter_index(stmt, ":row_count"),
			   (int64_t)m->rows->n);
	int rc = sql_step(stmt, err) < 0 ? -1 : 0;
	sqlite3_finalize(stmt);
	return rc;
}

static int take_rows(const struct part_sink *sink, int64_t profile_id,
		     const struct part_rows *rows, struct err *err)
{
	const struct parts_writer *w = (const struct parts_writer *)sink;
	const struct part_table *table = rows->table;
	const struct row_maker maker = { rows, w->texts, profile_id };
	const struct bulk bulk = { table->name, table->columns, table->ncolumns,
				   make_row,    NULL,           NULL };
	int64_t last;

	if (last_id(w->db, table, &last, err) < 0 ||
	    bulk_insert(w->db, &bulk, &maker, (int64_t)rows->n, err) < 0)
		return -1;
	return write_place(w->db, &maker, last + 1, err);
}

struct parts_writer parts_writer(struct sqlite3 *db, struct intern *texts)
{
	return (struct parts_writer){ .sink = { take_rows }, .db = db, .texts = texts };
}
