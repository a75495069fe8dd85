/* The temporary store: see temp_store.h. */
#include "remote/temp_store.h"

#include <sqlite3.h>
#include <string.h>

#include "base/buf.h"
#include "store/sql.h"
#include "store/statements.h"
#include "store/store.h"
#include "store/write.h"

#define SQL_MAX ((size_t)64 << 10)

/* Bytes of different texts, which are in memory. */
#define TEXTS_MAX ((size_t)1 << 30)

/* Nobody else knows of it, and nobody wants it after a crash. */
static const char pragmas[] = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
			      "PRAGMA locking_mode = NORMAL; PRAGMA cache_size = -8192;"
			      "BEGIN";

int temp_store_reopen(const char *path, struct temp_store *out, struct err *err)
{
	*out = (struct temp_store){ .table = NULL };
	intern_init(&out->texts);
	if (sqlite3_open_v2(path, &out->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
			    NULL) != SQLITE_OK)
		return sql_error(out->db, err);
	return sql_exec(out->db, pragmas, err);
}

int temp_store_create(const char *path, struct temp_store *out, struct err *err)
{
	struct buf sql;

	if (temp_store_reopen(path, out, err) < 0 || write_schema(out->db, err) < 0)
		return -1;
	buf_init(&sql, SQL_MAX);
	buf_addf(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %d",
		 STORE_APPLICATION_ID, STORE_SCHEMA_VERSION);
	int rc = sql_exec(out->db, sql.p, err);
	buf_release(&sql);
	return rc;
}

static int write_strings(struct temp_store *t, struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc = 0;

	if (sql_prepare(t->db, "INSERT INTO string (id, text) VALUES (?, ?)", &stmt,
			err) < 0)
		return -1;
	for (uint32_t i = 0; rc == 0 && i < t->texts.n; i++) {
		struct str text = intern_str(&t->texts, i);
		sqlite3_bind_int64(stmt, 1, (int64_t)i + 1);
		int bound = 0;
		sql_bind_bytes(stmt, 2, text, true, &bound);
		rc = sql_step_bound(stmt, bound, err);
	}
	sqlite3_finalize(stmt);
	return rc;
}

int temp_store_finish(struct temp_store *t, struct err *err)
{
	int rc = write_strings(t, err);

	sqlite3_finalize(t->insert);
	t->insert = NULL;
	if (rc == 0)
		rc = sql_exec(t->db, "COMMIT", err);
	temp_store_close(t);
	return rc;
}

void temp_store_close(struct temp_store *t)
{
	sqlite3_finalize(t->insert);
	sqlite3_close(t->db);
	intern_release(&t->texts);
	*t = (struct temp_store){ .table = NULL };
}

int temp_store_add_run(struct temp_store *t, int64_t id, const char *name,
		       struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (sql_prepare(t->db, "INSERT INTO run (id, name) VALUES (?, ?)", &stmt, err) <
	    0)
		return -1;
	sqlite3_bind_int64(stmt, 1, id);
	int bound = 0;
	sql_bind_bytes(stmt, 2, str_of(name), true, &bound);
	int rc = sql_step_bound(stmt, bound, err);
	sqlite3_finalize(stmt);
	return rc;
}

/* rc: see sql_bind_bytes(). */
static void bind_value(const struct remote_column *c, const struct rowbinary_cell *cell,
		       struct sqlite3_stmt *stmt, int at, int *rc)
{
	if (cell->is_null)
		sqlite3_bind_null(stmt, at);
	else if (c->type.kind == ROWBINARY_INT)
		sqlite3_bind_int64(stmt, at, cell->number);
	else if (c->type.kind == ROWBINARY_REAL)
		sqlite3_bind_double(stmt, at, cell->real);
	else
		sql_bind_bytes(stmt, at, cell->text, !c->is_bytes, rc);
}

/* INSERT INTO table (first, columns) VALUES (?, ?, ...) */
static int prepare_insert(struct temp_store *t, const struct remote_table *table,
			  const char *first, struct err *err)
{
	struct buf sql;
	size_t n = 1;

	buf_init(&sql, SQL_MAX);
	buf_addf(&sql, "INSERT INTO %s (%s", table->name, first);
	for (const char *at = first; *at; at++)
		n += *at == ',';
	for (size_t i = 0; i < table->n; i++) {
		const struct remote_column *c = &table->columns[i];
		if (c->role == ROLE_SEQ || c->role == ROLE_NUMBER)
			continue;
		buf_addf(&sql, ", %s", c->column);
		n++;
	}
	buf_add_text(&sql, ") VALUES (?");
	while (--n)
		buf_add_text(&sql, ", ?");
	buf_add_char(&sql, ')');
	sqlite3_finalize(t->insert);
	t->insert = NULL;
	t->table = table;
	int rc = sql_prepare(t->db, sql.p, &t->insert, err);
	buf_release(&sql);
	return rc;
}

int temp_store_add_profile(struct temp_store *t, const struct remote_table *table,
			   const struct temp_profile *ids,
			   const struct rowbinary_cell *cells, struct err *err)
{
	const int64_t own[] = { ids->id, ids->run_id, ids->first_slice_id,
				ids->first_op_detail_id };
	int at = 1;

	if (t->table != table &&
	    prepare_insert(t, table, "id, run_id, first_slice_id, first_op_detail_id",
			   err) < 0)
		return -1;
	int bound = 0;
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		sqlite3_bind_int64(t->insert, at++, own[i]);
	for (size_t i = 0; i < table->n; i++, at++) {
		bind_value(&table->columns[i], &cells[i], t->insert, at, &bound);
		/* whatever the store has that was pushed: its slices are not here */
		if (strcmp(table->columns[i].name, "has_slices") == 0)
			sqlite3_bind_int64(t->insert, at, 0);
	}
	return sql_step_bound(t->insert, bound, err);
}

int temp_store_begin_table(struct temp_store *t, const struct remote_table *table,
			   struct err *err)
{
	return prepare_insert(t, table, "profile_id", err);
}

/* The id of the row that a column refers to. */
static void bind_reference(const struct remote_table *table, size_t i,
			   const struct temp_bases *bases,
			   const struct rowbinary_cell *cells, struct sqlite3_stmt *stmt,
			   int at)
{
	const struct remote_column *c = &table->columns[i];
	bool by_number = bases->step_of && strcmp(c->of, "step") == 0;
	/* the step's number is in the column after it */
	const struct rowbinary_cell *cell = &cells[by_number ? i + 1 : i];
	size_t of = remote_table_find(bases->tables, c->of);
	int64_t first =
		of < bases->tables->n ? bases->first_ids[of] : bases->first_slice_id;
	int64_t id = 0;
	bool is_null = cell->is_null;

	if (!is_null && by_number)
		id = bases->step_of(bases->from, cell->number);
	else if (!is_null)
		is_null = __builtin_add_overflow(first, cell->number, &id);
	if (is_null)
		sqlite3_bind_null(stmt, at);
	else
		sqlite3_bind_int64(stmt, at, id);
}

int temp_store_add_row(struct temp_store *t, const struct temp_bases *bases,
		       const struct rowbinary_cell *cells, struct err *err)
{
	const struct remote_table *table = t->table;
	int at = 1;

	if (t->texts.text.total > TEXTS_MAX)
		return err_set(err, ERR_IO, "the server's answer has too many texts");
	int bound = 0;
	sqlite3_bind_int64(t->insert, at++, bases->profile_id);
	for (size_t i = 0; i < table->n; i++) {
		const struct remote_column *c = &table->columns[i];
		if (c->role == ROLE_SEQ || c->role == ROLE_NUMBER)
			continue;
		if (c->role == ROLE_ROW)
			bind_reference(table, i, bases, cells, t->insert, at);
		else if (c->role == ROLE_TEXT && !cells[i].is_null)
			sqlite3_bind_int64(t->insert, at,
					   (int64_t)intern_add(&t->texts, cells[i].text) +
						   1);
		else
			bind_value(c, &cells[i], t->insert, at, &bound);
		at++;
	}
	return sql_step_bound(t->insert, bound, err);
}

int temp_store_add_part(struct temp_store *t, const struct remote_table *table,
			const struct temp_part *part, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (statement_prepare(t->db, "insert_summary", &stmt, err) < 0)
		return -1;
	sqlite3_bind_int64(stmt, sqlite3_bind_parameter_index(stmt, ":profile_id"),
			   part->profile_id);
	sqlite3_bind_text(stmt, sqlite3_bind_parameter_index(stmt, ":part"), table->name,
			  -1, SQLITE_STATIC);
	sqlite3_bind_int64(stmt, sqlite3_bind_parameter_index(stmt, ":first_row_id"),
			   part->first_id);
	sqlite3_bind_int(stmt, sqlite3_bind_parameter_index(stmt, ":rules"), part->rules);
	sqlite3_bind_int64(stmt, sqlite3_bind_parameter_index(stmt, ":row_count"),
			   part->nrows);
	int rc = sql_step(stmt, err);
	sqlite3_finalize(stmt);
	return rc;
}
