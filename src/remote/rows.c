/* Rows that are pushed: see rows.h. */
#include "remote/rows.h"

#include <sqlite3.h>
#include <string.h>

#include "store/sql.h"

#define SQL_MAX     ((size_t)64 << 10)
#define PIECE_BYTES ((size_t)1 << 20)

/* What the ids of a table's rows of a profile count from. */
static void add_base(const struct remote_tables *tables, const char *of, const char *key,
		     struct buf *sql)
{
	size_t i = remote_table_find(tables, of);

	if (strcmp(of, "slice_row") == 0)
		buf_add_text(sql, "p.first_slice_id");
	else if (strcmp(of, "op_detail") == 0)
		buf_add_text(sql, "p.first_op_detail_id");
	else if (i < tables->n && !tables->items[i].has_index)
		buf_addf(sql, ":first_%s", of);
	else
		/* not of p.id, for which SQLite would look at all of them for each row */
		buf_addf(sql, "(SELECT min(%s) FROM %s WHERE profile_id = :profile)", key,
			 of);
}

static bool is_slices(const struct remote_table *t)
{
	return strcmp(t->name, "slice") == 0;
}

static void add_column(const struct remote_tables *tables, const struct remote_table *t,
		       const struct remote_column *c, struct buf *sql)
{
	switch (c->role) {
	case ROLE_VALUE:
		buf_addf(sql, "t.%s", c->column);
		break;
	case ROLE_SEQ:
		buf_addf(sql, "t.%s - ", t->key);
		add_base(tables, is_slices(t) ? "slice_row" : t->name, t->key, sql);
		break;
	case ROLE_TEXT:
		buf_addf(sql, "(SELECT text FROM string WHERE id = t.%s)", c->column);
		break;
	case ROLE_ROW:
		buf_addf(sql, "t.%s - ", c->column);
		add_base(tables, c->of, c->of_key, sql);
		break;
	case ROLE_NUMBER:
		buf_addf(sql, "(SELECT number FROM %s WHERE %s = t.%s)", c->of, c->of_key,
			 c->column);
		break;
	}
}

static void select_rows(const struct remote_tables *tables, const struct remote_table *t,
			struct buf *sql)
{
	buf_add_text(sql, "SELECT ");
	for (size_t i = 0; i < t->n; i++) {
		buf_add_text(sql, i ? ", " : "");
		add_column(tables, t, &t->columns[i], sql);
	}
	if (is_slices(t)) /* they stand together */
		buf_add_text(sql,
			     " FROM profile p CROSS JOIN slice_row t ON t.id BETWEEN "
			     "p.first_slice_id AND p.first_slice_id + p.slices - 1 ");
	else
		buf_addf(sql, " FROM profile p CROSS JOIN %s t ON t.profile_id = p.id ",
			 t->name);
	if (!is_slices(t) && !t->has_index)
		buf_addf(sql, "AND t.%s BETWEEN :first_%s AND :last_%s ", t->key, t->name,
			 t->name);
	buf_addf(sql, "WHERE p.id = :profile ORDER BY t.%s", t->key);
}

int remote_rows_open(struct remote_rows *rows, struct sqlite3 *db,
		     const struct row_ranges *ranges, int64_t profile_id, struct err *err)
{
	struct buf sql;

	rows->stmt = NULL;
	rows->nrows = 0;
	rows->is_at_row = false;
	buf_init(&sql, SQL_MAX);
	select_rows(ranges->tables, rows->table, &sql);
	int rc = sql_prepare(db, sql.p, &rows->stmt, err);
	buf_release(&sql);
	if (rc < 0)
		return -1;
	sqlite3_bind_int64(rows->stmt,
			   sqlite3_bind_parameter_index(rows->stmt, ":profile"),
			   profile_id);
	row_ranges_bind(ranges, profile_id, rows->stmt);
	rc = sql_step(rows->stmt, err);
	rows->is_at_row = rc > 0;
	return rc < 0 ? -1 : 0;
}

static int too_large(const struct remote_table *table, struct err *err)
{
	return err_set(err, ERR_INPUT, "a row of %s is too large to push", table->name);
}

static bool put_cell(const struct remote_column *c, struct sqlite3_stmt *stmt, int i,
		     struct buf *to)
{
	if (c->type.nullable) {
		bool is_null = sqlite3_column_type(stmt, i) == SQLITE_NULL;
		if (!rowbinary_put_null(to, is_null) || is_null)
			return is_null;
	}
	if (c->type.kind == ROWBINARY_INT)
		return rowbinary_put_int(to, sqlite3_column_int64(stmt, i));
	if (c->type.kind == ROWBINARY_REAL)
		return rowbinary_put_real(to, sqlite3_column_double(stmt, i));
	const void *p = sqlite3_column_blob(stmt, i);
	return rowbinary_put_text(
		to, (struct str){ p, (size_t)sqlite3_column_bytes(stmt, i) });
}

int remote_rows_put(const struct remote_table *table, struct sqlite3_stmt *stmt,
		    struct buf *to, struct err *err)
{
	for (size_t i = 0; i < table->n; i++)
		if (!put_cell(&table->columns[i], stmt, (int)i, to))
			return too_large(table, err);
	return 0;
}

/* In place of the ids of texts the rows have texts. */
static bool put_value(const struct remote_column *c, struct cell value, struct buf *to)
{
	if (c->type.nullable) {
		bool is_null = value.type == CELL_NULL;
		if (!rowbinary_put_null(to, is_null) || is_null)
			return is_null;
	}
	if (c->type.kind == ROWBINARY_INT)
		return rowbinary_put_int(to, part_int(value, 0));
	if (c->type.kind == ROWBINARY_REAL)
		return rowbinary_put_real(to, value.type == CELL_REAL
						      ? value.as.real
						      : (double)part_int(value, 0));
	return rowbinary_put_text(to, value.type == CELL_TEXT ? value.as.text
							      : (struct str){ "", 0 });
}

static int put_part(const struct remote_rows *rows, struct buf *to, struct err *err)
{
	const struct remote_table *t = rows->table;
	const struct cell *row = part_rows_at(rows->parts, rows->nrows);

	for (size_t i = 0; i < t->n; i++) {
		const struct remote_column *c = &t->columns[i];
		struct cell value = c->role == ROLE_SEQ ? cell_int((int64_t)rows->nrows)
							: row[c->place];
		if (!put_value(c, value, to))
			return too_large(t, err);
	}
	return 0;
}

int remote_rows_next(struct remote_rows *rows, struct buf *to, struct err *err)
{
	bool is_there = rows->stmt ? rows->is_at_row : rows->nrows < rows->parts->n;
	int rc = 0;

	if (!is_there)
		return 0;
	if (!rows->stmt) {
		rc = put_part(rows, to, err);
	} else if (remote_rows_put(rows->table, rows->stmt, to, err) < 0) {
		rc = -1;
	} else {
		rc = sql_step(rows->stmt, err);
		rows->is_at_row = rc > 0;
	}
	rows->nrows++;
	return rc < 0 ? -1 : 1;
}

int remote_stream_give(void *from, struct buf *piece, struct err *err)
{
	const struct remote_stream *stream = from;
	int rc = 1;

	while (rc > 0 && piece->n < PIECE_BYTES) {
		size_t n = piece->n;
		if (!rowbinary_put_int(piece, (int64_t)stream->run_id) ||
		    !rowbinary_put_int(piece, (int64_t)stream->push_id))
			return too_large(stream->rows->table, err);
		rc = remote_rows_next(stream->rows, piece, err);
		if (rc == 0)
			piece->n = n;
	}
	return rc < 0 ? -1 : 0;
}

void remote_rows_close(struct remote_rows *rows)
{
	sqlite3_finalize(rows->stmt);
	rows->stmt = NULL;
}
