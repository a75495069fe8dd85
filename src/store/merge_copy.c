/* Copying the rows of a store behind those of another: see merge_copy.h. */
#include "store/merge_copy.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/varint.h"
#include "store/bulk_writer.h"
#include "store/columns.h"
#include "store/parts.h"
#include "store/sql.h"

/* More ids than this nobody writes. */
#define ID_MAX  (INT64_C(1) << 62)
#define SQL_MAX ((size_t)16384)
/* 8192 slices of a pack, ten bytes each at most. */
#define PACK_MAX ((size_t)1 << 20)

struct copying {
	struct merge_target *to;
	struct sqlite3 *from;
	int64_t shift[MERGE_TABLES_MAX]; /* of the ids of each table */
	int64_t most[MERGE_TABLES_MAX];  /* the largest id in `from` */
	int64_t last[MERGE_TABLES_MAX];  /* the largest of those that are copied */
	int64_t only_run;                /* its id; 0: there is no other */
	uint32_t *texts;           /* owned; by id: number in to->texts + 1; 0: not yet */
	struct sqlite3_stmt *text; /* of one id */
	/* The table that is being copied. */
	const struct merge_table *table;
	bool renumbers; /* a part of its rows: ids are given anew */
	struct sqlite3_stmt *rows;
	struct buf packed[MERGE_COLUMNS_MAX];
	struct err err; /* row functions cannot fail: the first failure */
};

static void damaged(struct copying *c, const char *what)
{
	if (!c->err.kind)
		err_set(&c->err, ERR_INPUT, "the store is damaged: %s", what);
}

static uint32_t fetch_text(struct copying *c, int64_t id)
{
	uint32_t number = 0;

	sqlite3_bind_int64(c->text, 1, id);
	if (sql_step(c->text, &c->err) > 0) {
		const char *p = (const char *)sqlite3_column_text(c->text, 0);
		size_t n = (size_t)sqlite3_column_bytes(c->text, 0);
		number = intern_add(&c->to->texts, (struct str){ p ? p : "", n }) + 1;
	}
	sqlite3_reset(c->text);
	return number;
}

/* Id in the new store of the text that has `id` in the old one. */
static int64_t text_of(struct copying *c, int64_t id)
{
	if (id < 1 || id > c->most[c->to->tables.string]) {
		damaged(c, "a text is missing");
		return 1;
	}
	if (c->texts[id] == 0)
		c->texts[id] = fetch_text(c, id);
	if (c->texts[id] == 0)
		damaged(c, "a text is missing");
	return c->texts[id];
}

/* The same of a row; the first id of an empty range may be the one behind the last. */
static int64_t id_of(struct copying *c, unsigned table, int64_t id)
{
	if (id < 0 || id > c->most[table] + 1)
		damaged(c, "an id refers to no row");
	return id + c->shift[table];
}

static int64_t packed_of(struct copying *c, const struct merge_column *column, int64_t id)
{
	if (id == 0)
		return 0;
	return column->kind == MERGE_PACKED_TEXTS ? text_of(c, id)
						  : id_of(c, column->table, id);
}

static void put_packed(struct buf *out, uint64_t code)
{
	uint8_t bytes[VARINT_MAX];
	uint8_t *end = varint_put(bytes, code);

	buf_add(out, (const char *)bytes, (size_t)(end - bytes));
}

/* The ids of a column of slice_pack, moved. */
static struct str repack(struct copying *c, int i, struct str blob)
{
	const struct merge_column *column = &c->table->column[i];
	const uint8_t *p = (const uint8_t *)blob.p, *end = p + blob.n;
	bool is_text = column->kind == MERGE_PACKED_TEXTS;
	struct buf *out = &c->packed[i];
	int64_t id = 0, before = 0;
	uint64_t code;

	buf_clear(out);
	while (p < end && varint_get(&p, end, &code)) {
		id = is_text ? (int64_t)code
			     : (int64_t)((uint64_t)id + (uint64_t)zigzag_value(code));
		int64_t moved = packed_of(c, column, id);
		put_packed(out, is_text ? (uint64_t)moved
					: zigzag_of((int64_t)((uint64_t)moved -
							      (uint64_t)before)));
		before = moved;
	}
	return buf_str(out);
}

static struct str bytes_at(struct sqlite3_stmt *stmt, int i)
{
	const char *p = sqlite3_column_blob(stmt, i); /* the length behind it */

	return (struct str){ p ? p : "", (size_t)sqlite3_column_bytes(stmt, i) };
}

static struct bulk_cell plain_cell(struct sqlite3_stmt *stmt, int i)
{
	switch (sqlite3_column_type(stmt, i)) {
	case SQLITE_INTEGER:
		return bulk_int(sqlite3_column_int64(stmt, i));
	case SQLITE_FLOAT:
		return bulk_real(sqlite3_column_double(stmt, i));
	case SQLITE_TEXT:
		return bulk_text(bytes_at(stmt, i));
	case SQLITE_BLOB:
		return bulk_blob(bytes_at(stmt, i));
	default:
		return bulk_null();
	}
}

/* An id of a table that is left out is NULL, and where there must be one, 1. */
static struct bulk_cell id_cell(struct copying *c, int i)
{
	const struct merge_column *column = &c->table->column[i];
	int64_t id = sqlite3_column_int64(c->rows, i);

	if (id == 0 && sqlite3_column_type(c->rows, i) == SQLITE_NULL)
		return bulk_null();
	if (column->kind == MERGE_TEXT)
		return bulk_int(text_of(c, id));
	if (c->to->need && c->to->tables.table[column->table].is_slices)
		return column->is_optional ? bulk_null() : bulk_int(1);
	return bulk_int(id_of(c, column->table, id));
}

/* Which table it is of says the column before it. */
static struct bulk_cell part_id_cell(struct copying *c, int i)
{
	const struct merge_tables *tables = &c->to->tables;
	const char *part = (const char *)sqlite3_column_text(c->rows, i - 1);
	unsigned t = 0;

	while (t < tables->n && !(part && strcmp(tables->table[t].name, part) == 0))
		t++;
	if (t < tables->n)
		return bulk_int(id_of(c, t, sqlite3_column_int64(c->rows, i)));
	damaged(c, "a summary is of no table");
	return bulk_int(1);
}

static struct bulk_cell cell_of(struct copying *c, int i)
{
	switch (c->table->column[i].kind) {
	case MERGE_TEXT:
	case MERGE_ID:
		return id_cell(c, i);
	case MERGE_PACKED_TEXTS:
	case MERGE_PACKED_IDS:
		if (sqlite3_column_type(c->rows, i) != SQLITE_BLOB)
			return bulk_null();
		return bulk_blob(repack(c, i, bytes_at(c->rows, i)));
	case MERGE_PART_ID:
		return part_id_cell(c, i);
	case MERGE_NUMBER:
		return bulk_int(sqlite3_column_int64(c->rows, i));
	case MERGE_PLAIN:
		break;
	}
	return plain_cell(c->rows, i);
}

/* A profile whose slices are left out, here or before. */
static void leave_out(struct copying *c, struct bulk_cell *cells)
{
	if (!c->to->need && cells[COL_PROFILE_HAS_SLICES].number != 0)
		return;
	cells[COL_PROFILE_HAS_SLICES] = bulk_int(0);
	cells[COL_PROFILE_FIRST_SLICE_ID] = bulk_int(1);
	cells[COL_PROFILE_FIRST_OP_DETAIL_ID] = bulk_int(1);
	cells[COL_PROFILE_OP_DETAILS] = bulk_int(0);
}

static void copy_row(const void *from, int64_t row, struct bulk_cell *cells)
{
	struct copying *c = *(struct copying *const *)from;
	bool is_profile = c->table == &c->to->tables.table[c->to->tables.profile];

	(void)row;
	if (c->err.kind == ERR_NONE && sql_step(c->rows, &c->err) <= 0)
		damaged(c, "a table has fewer rows than it says");
	/* of those without slices some ids refer to what is no more */
	struct err before = c->err;
	for (int i = 0; i < c->table->ncolumns; i++)
		cells[i] = cell_of(c, i);
	if (c->renumbers)
		cells[0] = (struct bulk_cell){ .kind = BULK_UNSET };
	if (c->to->ops && strcmp(c->table->name, "step") == 0)
		merge_ops_add_step(c->to->ops, cells[COL_STEP_ID].number,
				   cells[COL_STEP_NUMBER].number);
	if (!is_profile)
		return;
	if (cells[COL_PROFILE_HAS_SLICES].number == 0)
		c->err = before;
	leave_out(c, cells);
}

static bool is_added_up(const struct merge_target *to, const struct merge_table *table)
{
	return to->ops && strcmp(table->name, "op_stat") == 0;
}

static bool is_copied(const struct merge_target *to, const struct merge_table *table)
{
	if (table->is_kept || !to->need)
		return !table->is_kept;
	return !table->is_slices && (table == &to->tables.table[to->tables.profile] ||
				     strcmp(table->name, "summary") == 0 ||
				     fetch_need_has(to->need, table->name));
}

/* Of the list of what has rows of its own: that which is copied. */
static void add_where_of_summary(const struct merge_target *to, struct buf *sql)
{
	buf_add_text(sql, " WHERE part IN (''");
	for (unsigned i = 0; i < to->tables.n; i++)
		if (to->tables.table[i].is_part && is_copied(to, &to->tables.table[i]))
			buf_addf(sql, ", '%s'", to->tables.table[i].name);
	buf_add_text(sql, ")");
}

/* Which grains of op_stat, by their bits; -1 is none. */
static const char *const grain_lists[] = { "-1", "0",    "1",    "0, 1",
					   "2",  "0, 2", "1, 2", "0, 1, 2" };

/* true: rows are left out of the table, whosever they are. */
static bool add_where(const struct merge_target *to, const struct merge_table *table,
		      struct buf *sql)
{
	unsigned grains = to->need ? fetch_need_grains(to->need) : FETCH_OPS_ALL;
	bool is_part = to->need && strcmp(table->name, "summary") == 0;
	bool is_grain = strcmp(table->name, "op_stat") == 0 && grains != FETCH_OPS_ALL;

	if (is_part)
		add_where_of_summary(to, sql);
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
static void add_where_of_run(const struct copying *c, const struct merge_table *table,
			     const char *word, struct buf *sql)
{
	const struct merge_tables *t = &c->to->tables;
	int owner = c->only_run ? owner_column(t, table) : -1;

	if (owner < 0)
		return;
	const struct merge_table *of = &t->table[table->column[owner].table];
	const char *name = table->columns, *id = of->columns;
	for (int i = 0; i < owner; i++)
		name += strcspn(name, ",") + 2;
	int n = (int)strcspn(name, ",");
	if (of == &t->table[t->run]) {
		buf_addf(sql, " %s %.*s = %" PRId64, word, n, name, c->only_run);
		return;
	}
	buf_addf(sql, " %s %.*s IN (SELECT %.*s FROM %s", word, n, name,
		 (int)strcspn(id, ","), id, of->name);
	add_where_of_run(c, of, "WHERE", sql);
	buf_add_text(sql, ")");
}

/* The rows of a table that are copied; true: ids of those are given anew. */
static bool add_from(const struct copying *c, const struct merge_table *table,
		     struct buf *sql)
{
	buf_addf(sql, " FROM %s", table->name);
	bool is_part = add_where(c->to, table, sql);
	add_where_of_run(c, table, is_part ? "AND" : "WHERE", sql);
	return is_part;
}

/* How many rows, and what their ids are moved by. */
static int measure(struct copying *c, unsigned place, int64_t *rows, struct err *err)
{
	const struct merge_table *table = &c->to->tables.table[place];
	const char *id = table->has_id ? table->columns : "0";
	int n = (int)strcspn(id, ",");
	struct buf sql;
	struct sqlite3_stmt *stmt;

	buf_init(&sql, SQL_MAX);
	buf_addf(&sql, "SELECT (SELECT min(%.*s) FROM %s", n, id, table->name);
	add_where_of_run(c, table, "WHERE", &sql);
	buf_addf(&sql, "), (SELECT max(%.*s) FROM %s", n, id, table->name);
	add_where_of_run(c, table, "WHERE", &sql);
	if (c->only_run)
		buf_addf(&sql, "), (SELECT max(%.*s) FROM %s", n, id, table->name);
	buf_add_text(&sql, "), (SELECT coalesce(sum(1), 0)");
	add_from(c, table, &sql);
	buf_add_text(&sql, ")");
	int rc = sql_prepare(c->from, sql.p, &stmt, err);
	buf_release(&sql);
	if (rc < 0)
		return -1;
	rc = sql_step(stmt, err) < 0 ? -1 : 0;
	int64_t least = sqlite3_column_int64(stmt, 0),
		most = sqlite3_column_int64(stmt, c->only_run ? 2 : 1);
	c->last[place] = sqlite3_column_int64(stmt, 1);
	*rows = sqlite3_column_int64(stmt, c->only_run ? 3 : 2);
	sqlite3_finalize(stmt);
	if (rc == 0 && (least < 0 || most > ID_MAX || c->to->last[place] > ID_MAX))
		return err_set(err, ERR_INPUT,
			       "the store is damaged: it has ids beyond 2^62");
	c->most[place] = most;
	c->shift[place] = c->to->last[place] - (least > 0 ? least - 1 : 0);
	return rc;
}

static int copy_table(struct copying *c, unsigned place, struct bulk_writer *writer,
		      int64_t rows, struct err *err)
{
	const struct merge_table *table = &c->to->tables.table[place];
	const struct bulk bulk = { .table = table->name,
				   .columns = table->columns,
				   .ncolumns = table->ncolumns,
				   .row = copy_row };
	struct buf sql;

	buf_init(&sql, SQL_MAX);
	buf_addf(&sql, "SELECT %s", table->columns);
	c->renumbers = add_from(c, table, &sql);
	buf_add_text(&sql, table->has_id ? " ORDER BY 1" : " ORDER BY 1, 2");
	int rc = sql_prepare(c->from, sql.p, &c->rows, err);
	buf_release(&sql);
	if (rc < 0)
		return -1;
	c->table = table;
	c->err = (struct err)ERR_INIT;
	rc = bulk_write(writer, &bulk, rows, err);
	sqlite3_finalize(c->rows);
	if (c->err.kind) {
		*err = c->err;
		return -1;
	}
	c->to->last[place] = c->renumbers ? c->to->last[place] + rows
					  : c->last[place] + c->shift[place];
	return rc;
}

static void merged_row(const void *from, int64_t row, struct bulk_cell *cells)
{
	merge_ops_row(from, (size_t)row, cells);
}

int merge_copy_ops(struct merge_target *to, struct err *err)
{
	static const struct bulk bulk = BULK(OP_STAT, op_stat, merged_row);
	const void *from = to->ops;

	if (!to->ops)
		return 0;
	struct bulk_team *alone = bulk_team_new(&from, 0, NULL);
	struct bulk_writer writer = bulk_writer(to->db, from, alone, 1);
	int64_t n = (int64_t)merge_ops_count(to->ops);
	int rc = n ? bulk_write(&writer, &bulk, n, err) : 0;
	if (bulk_writer_end(&writer, err) < 0)
		rc = -1;
	bulk_team_free(alone);
	merge_ops_forget(to->ops);
	return rc;
}

/* The row that was read; of no use to an average are those without a call. */
static int add_op(struct copying *c, bool has_shapes, struct err *err)
{
	struct bulk_cell cells[COL_OP_STAT_N] = { { .kind = BULK_UNSET } };

	for (int i = COL_OP_STAT_PROFILE_ID; i < COL_OP_STAT_N; i++)
		cells[i] = cell_of(c, i);
	if (cells[COL_OP_STAT_CALLS].number <= 0 ||
	    merge_ops_add(c->to->ops, cells, has_shapes))
		return 0;
	if (merge_copy_ops(c->to, err) < 0)
		return -1;
	merge_ops_add(c->to->ops, cells, has_shapes);
	return 0;
}

/* Those of one profile and grain, which the index has in order. */
/* `profile`: a row of id and has_shapes. */
static int add_ops_of(struct copying *c, struct sqlite3_stmt *profile, int grain,
		      struct err *err)
{
	bool has_shapes = sqlite3_column_int(profile, 1) != 0;
	int rc = 0, more = 0;

	sqlite3_bind_int64(c->rows, 1, sqlite3_column_int64(profile, 0));
	sqlite3_bind_int(c->rows, 2, grain);
	while (rc == 0 && c->err.kind == ERR_NONE && (more = sql_step(c->rows, err)) > 0)
		rc = add_op(c, has_shapes, err);
	sqlite3_reset(c->rows);
	return more < 0 ? -1 : rc;
}

static int add_ops_by_profile(struct copying *c, struct err *err)
{
	unsigned grains = fetch_need_grains(c->to->need);
	struct sqlite3_stmt *profiles;
	int rc = sql_prepare(c->from, "SELECT id, has_shapes FROM profile ORDER BY id",
			     &profiles, err),
	    more = 0;

	while (rc == 0 && (more = sql_step(profiles, err)) > 0)
		for (int grain = 0; grains >> grain && rc == 0; grain++)
			if (grains >> grain & 1)
				rc = add_ops_of(c, profiles, grain, err);
	sqlite3_finalize(profiles);
	return more < 0 ? -1 : rc;
}

/* Adds up the operator table's rows, profile by profile. */
static int add_ops(struct copying *c, struct err *err)
{
	static const char sql[] = "SELECT " OP_STAT_COLUMNS " FROM op_stat "
				  "WHERE profile_id = ?1 AND grain = ?2 ORDER BY id";
	struct merge_tables *tables = &c->to->tables;
	unsigned place = 0;

	while (place < tables->n && !is_added_up(c->to, &tables->table[place]))
		place++;
	if (place == tables->n || sql_prepare(c->from, sql, &c->rows, err) < 0)
		return place == tables->n ? 0 : -1;
	c->table = &tables->table[place];
	c->err = (struct err)ERR_INIT;
	int rc = add_ops_by_profile(c, err);
	sqlite3_finalize(c->rows);
	if (rc == 0 && c->err.kind) {
		*err = c->err;
		rc = -1;
	}
	return rc;
}

/*
 * Ids of texts are dense, as write_load_texts() wants them.  With slices all texts are taken
 * in the order of their ids, which is the order in which one ingest would meet them.
 */
static int load_texts(struct copying *c, int64_t bytes, struct err *err)
{
	int64_t n = 0, most = 0;

	/* of a part, a text that is missing shows when it is looked up */
	if (sql_int(c->from, "SELECT coalesce(max(id), 0) FROM string", &most, err) < 0)
		return -1;
	n = most;
	if (!c->to->need && sql_int(c->from, "SELECT count(*) FROM string", &n, err) < 0)
		return -1;
	if (sql_prepare(c->from, "SELECT text FROM string WHERE id = ?1", &c->text, err) <
	    0)
		return -1;
	if (n != most || most < 0 || most > bytes)
		return err_set(err, ERR_INPUT,
			       "the store's texts are out of order; ingest again");
	c->most[c->to->tables.string] = n;
	c->texts = xcalloc((size_t)n + 1, sizeof(*c->texts));
	for (int64_t id = 1; id <= n && !c->to->need && !c->err.kind; id++)
		text_of(c, id);
	if (!c->err.kind)
		return 0;
	*err = c->err;
	return -1;
}

/* The run that is copied gets the id of the one that is made. */
static int find_run(struct copying *c, struct err *err)
{
	const struct merge_tables *tables = &c->to->tables;
	struct sqlite3_stmt *stmt;
	int64_t run = 0;

	if (sql_prepare(c->from,
			"SELECT max(id), (SELECT count(*) FROM run) FROM run "
			"WHERE ?1 IS NULL OR name = ?1",
			&stmt, err) < 0)
		return -1;
	sqlite3_bind_text(stmt, 1, c->to->only_run, -1, SQLITE_STATIC);
	int rc = sql_step(stmt, err) < 0 ? -1 : 0;
	run = sqlite3_column_int64(stmt, 0);
	if (c->to->only_run && sqlite3_column_int64(stmt, 1) > 1)
		c->only_run = run;
	sqlite3_finalize(stmt);
	c->most[tables->run] = run;
	c->shift[tables->run] = c->to->run_id - run;
	return rc;
}

static int copy_tables(struct copying *c, struct bulk_writer *writer, struct err *err)
{
	const struct merge_tables *tables = &c->to->tables;
	int64_t rows[MERGE_TABLES_MAX] = { 0 };

	if (find_run(c, err) < 0)
		return -1;
	for (unsigned i = 0; i < tables->n; i++)
		if (is_copied(c->to, &tables->table[i]) &&
		    !is_added_up(c->to, &tables->table[i]) &&
		    measure(c, i, &rows[i], err) < 0)
			return -1;
	for (unsigned i = 0; i < tables->n; i++)
		if (rows[i] && copy_table(c, i, writer, rows[i], err) < 0)
			return -1;
	return 0;
}

/* Rows that are made, of profiles that have other ids in the new store. */
struct moved_sink {
	struct part_sink sink;
	struct parts_writer writer;
	const struct merge_target *to;
	int64_t shift;
	bool *took; /* rows that are made, not copied */
};

static int take_moved(const struct part_sink *sink, int64_t profile_id,
		      const struct part_rows *rows, struct err *err)
{
	const struct moved_sink *s = (const struct moved_sink *)sink;

	*s->took = true;
	for (unsigned i = 0; i < s->to->tables.n; i++)
		if (strcmp(s->to->tables.table[i].name, rows->table->name) == 0 &&
		    is_copied(s->to, &s->to->tables.table[i]))
			return s->writer.sink.take(&s->writer.sink, profile_id + s->shift,
						   rows, err);
	return 0;
}

static bool needs_parts(const struct merge_target *to)
{
	bool is_any = false;

	for (unsigned i = 0; i < to->tables.n; i++)
		is_any |= to->tables.table[i].is_part &&
			  strcmp(to->tables.table[i].name, "summary") != 0 &&
			  is_copied(to, &to->tables.table[i]);
	return is_any;
}

static int find_last(struct merge_target *to, unsigned place, struct err *err)
{
	char *sql = xasprintf("SELECT coalesce(max(id), 0) FROM %s",
			      to->tables.table[place].name);
	int rc = sql_int(to->db, sql, &to->last[place], err);

	free(sql);
	return rc;
}

static int make_parts(struct copying *c, struct store *from, struct err *err)
{
	struct merge_target *to = c->to;
	bool took = false;
	struct moved_sink sink = { .sink = { take_moved },
				   .writer = parts_writer(to->db, &to->texts),
				   .to = to,
				   .shift = c->shift[to->tables.profile],
				   .took = &took };

	if (!to->summarize || !needs_parts(to))
		return 0;
	int rc = to->summarize(from, to->only_run, &sink.sink, err);
	for (unsigned i = 0; i < to->tables.n && rc == 0 && took; i++)
		if (to->tables.table[i].is_part)
			rc = find_last(to, i, err);
	return rc;
}

int merge_copy(struct merge_target *to, struct store *from, int64_t bytes,
	       struct err *err)
{
	struct copying *c = xcalloc(1, sizeof(*c));
	const void *row_from = &c;
	struct bulk_team *alone = bulk_team_new(&row_from, 0, NULL);
	/* no table has an index yet: all are written as pages */
	struct bulk_writer writer = bulk_writer(to->db, row_from, alone, 1);

	writer.places = &to->places;
	c->to = to;
	c->from = store_db(from);
	for (int i = 0; i < MERGE_COLUMNS_MAX; i++)
		buf_init(&c->packed[i], PACK_MAX);
	int rc = load_texts(c, bytes, err);
	if (rc == 0)
		rc = copy_tables(c, &writer, err);
	if (bulk_writer_end(&writer, err) < 0)
		rc = -1;
	if (rc == 0)
		rc = add_ops(c, err);
	if (rc == 0)
		rc = make_parts(c, from, err);
	bulk_team_free(alone);
	sqlite3_finalize(c->text);
	free(c->texts);
	for (int i = 0; i < MERGE_COLUMNS_MAX; i++)
		buf_release(&c->packed[i]);
	free(c);
	return rc;
}
