/* Opening a store and asking what it has: see merge_source.h. */
#include "store/merge_source.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <string.h>

#include "base/buf.h"
#include "store/need.h"
#include "store/sql.h"
#include "store/store.h"

/* More ids than this nobody writes. */
#define ID_MAX  (INT64_C(1) << 62)
#define SQL_MAX ((size_t)16384)

struct asking {
	const struct merge_wish *wish;
	struct merge_source *source;
	struct sqlite3 *db;
	int64_t only_run; /* its id; 0: the store holds no other */
};

bool merge_adds_up(const struct merge_wish *wish, const struct merge_table *table)
{
	return wish->adds_up_ops && strcmp(table->name, "op_stat") == 0;
}

bool merge_wants(const struct merge_wish *wish, const struct merge_table *table)
{
	if (table->is_kept || !wish->need)
		return !table->is_kept;
	return !table->is_slices &&
	       (table == &wish->tables->table[wish->tables->profile] ||
		strcmp(table->name, "summary") == 0 ||
		fetch_need_has(wish->need, table->name));
}

/* Of the list of what has rows of its own: that which is copied. */
static void add_where_of_summary(const struct merge_wish *wish, struct buf *sql)
{
	const struct merge_tables *tables = wish->tables;

	buf_add_text(sql, " WHERE part IN (''");
	for (unsigned i = 0; i < tables->n; i++)
		if (tables->table[i].is_part && merge_wants(wish, &tables->table[i]))
			buf_addf(sql, ", '%s'", tables->table[i].name);
	buf_add_text(sql, ")");
}

/* Which grains of op_stat, by their bits; -1 is none. */
static const char *const grain_lists[] = { "-1", "0",    "1",    "0, 1",
					   "2",  "0, 2", "1, 2", "0, 1, 2" };

/* true: rows are left out of the table, whosever they are. */
static bool add_where(const struct merge_wish *wish, const struct merge_table *table,
		      struct buf *sql)
{
	unsigned grains = wish->need ? fetch_need_grains(wish->need) : FETCH_OPS_ALL;
	bool is_part = wish->need && strcmp(table->name, "summary") == 0;
	bool is_grain = strcmp(table->name, "op_stat") == 0 && grains != FETCH_OPS_ALL;

	if (is_part)
		add_where_of_summary(wish, sql);
	if (is_grain)
		buf_addf(
			sql,
			" WHERE profile_id IN (SELECT id FROM profile) AND grain IN (%s)",
			grain_lists[grains & FETCH_OPS_ALL]);
	return is_part || is_grain;
}

/* Whose rows they are: the first column that refers to a row which there must be. */
static int owner_column(const struct merge_tables *t, const struct merge_table *table)
{
	for (int i = 0; i < table->ncolumns; i++) {
		const struct merge_column *column = &table->column[i];
		const struct merge_table *of = &t->table[column->table];
		if (column->kind == MERGE_ID && of != table && !column->is_optional &&
		    !of->is_slices)
			return i;
	}
	return -1;
}

/*
 * Of a store of several runs: rows of the one, by what they belong to, as far as a profile.
 */
static void add_where_of_run(const struct asking *a, const struct merge_table *table,
			     const char *word, struct buf *sql)
{
	const struct merge_tables *t = a->wish->tables;
	int owner = a->only_run ? owner_column(t, table) : -1;

	if (owner < 0)
		return;
	const struct merge_table *of = &t->table[table->column[owner].table];
	const char *name = table->columns, *id = of->columns;
	for (int i = 0; i < owner; i++)
		name += strcspn(name, ",") + 2;
	int n = (int)strcspn(name, ",");
	if (of == &t->table[t->run]) {
		buf_addf(sql, " %s %.*s = %" PRId64, word, n, name, a->only_run);
		return;
	}
	buf_addf(sql, " %s %.*s IN (SELECT %.*s FROM %s", word, n, name,
		 (int)strcspn(id, ","), id, of->name);
	add_where_of_run(a, of, "WHERE", sql);
	buf_add_text(sql, ")");
}

/* The rows of a table that are copied; true: ids of those are given anew. */
static bool add_from(const struct asking *a, const struct merge_table *table,
		     struct buf *sql)
{
	buf_addf(sql, " FROM %s", table->name);
	bool is_part = add_where(a->wish, table, sql);
	add_where_of_run(a, table, is_part ? "AND" : "WHERE", sql);
	return is_part;
}

/* Columns: the least id, the largest, that of the run, rows that are copied. */
static void add_measuring(const struct asking *a, const struct merge_table *table,
			  struct buf *sql)
{
	const char *id = table->has_id ? table->columns : "0";
	int n = (int)strcspn(id, ",");
	struct buf from;

	buf_init(&from, SQL_MAX);
	bool is_part = add_from(a, table, &from);
	if (!is_part && !a->only_run) /* one pass, as all rows are to be read anyway */
		buf_addf(sql,
			 "SELECT min(%.*s), max(%.*s), max(%.*s), count(*)" STR_FMT
			 " NOT INDEXED",
			 n, id, n, id, n, id, STR_ARG(buf_str(&from)));
	else {
		buf_addf(sql, "SELECT (SELECT min(%.*s) FROM %s", n, id, table->name);
		add_where_of_run(a, table, "WHERE", sql);
		buf_addf(sql, "), (SELECT max(%.*s) FROM %s), (SELECT max(%.*s) FROM %s",
			 n, id, table->name, n, id, table->name);
		add_where_of_run(a, table, "WHERE", sql);
		buf_addf(sql, "), (SELECT count(*)" STR_FMT ")", STR_ARG(buf_str(&from)));
	}
	buf_release(&from);
}

static int measure(struct asking *a, unsigned place, struct err *err)
{
	struct merge_rows *rows = &a->source->rows[place];
	struct sqlite3_stmt *stmt;
	struct buf sql;

	buf_init(&sql, SQL_MAX);
	add_measuring(a, &a->wish->tables->table[place], &sql);
	int rc = sql_prepare(a->db, sql.p, &stmt, err);
	buf_release(&sql);
	if (rc < 0)
		return -1;
	rc = sql_step(stmt, err) < 0 ? -1 : 0;
	rows->least = sqlite3_column_int64(stmt, 0);
	rows->most = sqlite3_column_int64(stmt, 1);
	rows->last = sqlite3_column_int64(stmt, 2);
	rows->n = sqlite3_column_int64(stmt, 3);
	sqlite3_finalize(stmt);
	if (rc == 0 && (rows->least < 0 || rows->most > ID_MAX))
		return err_set(err, ERR_INPUT,
			       "the store is damaged: it has ids beyond 2^62");
	return rc;
}

static int prepare(struct asking *a, unsigned place, struct err *err)
{
	const struct merge_table *table = &a->wish->tables->table[place];
	struct merge_rows *rows = &a->source->rows[place];
	struct buf sql;

	buf_init(&sql, SQL_MAX);
	buf_addf(&sql, "SELECT %s", table->columns);
	rows->renumbers = add_from(a, table, &sql);
	buf_add_text(&sql, table->has_id ? " ORDER BY 1" : " ORDER BY 1, 2");
	int rc = sql_prepare(a->db, sql.p, &rows->stmt, err);
	buf_release(&sql);
	return rc;
}

static int find_run(struct asking *a, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (sql_prepare(a->db,
			"SELECT max(id), (SELECT count(*) FROM run) FROM run "
			"WHERE ?1 IS NULL OR name = ?1",
			&stmt, err) < 0)
		return -1;
	sqlite3_bind_text(stmt, 1, a->wish->only_run, -1, SQLITE_STATIC);
	int rc = sql_step(stmt, err) < 0 ? -1 : 0;
	a->source->run = sqlite3_column_int64(stmt, 0);
	if (a->wish->only_run && sqlite3_column_int64(stmt, 1) > 1)
		a->only_run = a->source->run;
	sqlite3_finalize(stmt);
	return rc;
}

/* Ids of texts are dense, as write_load_texts() wants them. */
static int find_texts(struct asking *a, int64_t bytes, struct err *err)
{
	int64_t n = 0, most = 0;

	/* of a part, a text that is missing shows when it is looked up */
	if (sql_int(a->db, "SELECT coalesce(max(id), 0) FROM string", &most, err) < 0)
		return -1;
	n = most;
	if (!a->wish->need && sql_int(a->db, "SELECT count(*) FROM string", &n, err) < 0)
		return -1;
	if (n != most || most < 0 || most > bytes)
		return err_set(err, ERR_INPUT,
			       "the store's texts are out of order; ingest again");
	a->source->ntexts = n;
	return sql_prepare(a->db, "SELECT text FROM string WHERE id = ?1",
			   &a->source->text, err);
}

static int ask(struct asking *a, int64_t bytes, struct err *err)
{
	const struct merge_tables *tables = a->wish->tables;

	if (find_texts(a, bytes, err) < 0 || find_run(a, err) < 0)
		return -1;
	for (unsigned i = 0; i < tables->n; i++)
		if (merge_wants(a->wish, &tables->table[i]) &&
		    !merge_adds_up(a->wish, &tables->table[i]) &&
		    (measure(a, i, err) < 0 ||
		     (a->source->rows[i].n && prepare(a, i, err) < 0)))
			return -1;
	return 0;
}

void merge_source_open(const struct merge_wish *wish, const char *path, int64_t bytes,
		       struct merge_source *out)
{
	*out = (struct merge_source){ .store = NULL };
	int rc = wish->need ? store_open_in_part(path, &out->store, &out->err)
			    : store_open(path, &out->store, &out->err);
	if (rc < 0)
		return;
	struct asking asking = { .wish = wish,
				 .source = out,
				 .db = store_db(out->store) };
	ask(&asking, bytes, &out->err);
}

void merge_source_close(struct merge_source *source)
{
	for (unsigned i = 0; i < MERGE_TABLES_MAX; i++)
		sqlite3_finalize(source->rows[i].stmt);
	sqlite3_finalize(source->text);
	store_close(source->store);
	*source = (struct merge_source){ .store = NULL };
}
