/* Copying the rows of a store behind those of another: see merge_copy.h. */
#include "store/merge_copy.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/varint.h"
#include "store/bulk_writer.h"
#include "store/columns.h"
#include "store/need.h"
#include "store/parts.h"
#include "store/sql.h"
#include "store/store.h"

/* More ids than this nobody writes. */
#define ID_MAX (INT64_C(1) << 62)
/* 8192 slices of a pack, ten bytes each at most. */
#define PACK_MAX ((size_t)1 << 20)

struct copying {
	struct merge_target *to;
	struct merge_source *from;
	int64_t shift[MERGE_TABLES_MAX]; /* of the ids of each table */
	uint32_t *texts; /* owned; by id: number in to->texts + 1; 0: not yet */
	/* The table that is being copied. */
	const struct merge_table *table;
	bool renumbers;
	struct sqlite3_stmt *rows; /* borrowed */
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

	sqlite3_bind_int64(c->from->text, 1, id);
	if (sql_step(c->from->text, &c->err) > 0)
		number = intern_add(&c->to->texts, sql_bytes(c->from->text, 0)) + 1;
	sqlite3_reset(c->from->text);
	return number;
}

/* Id in the new store of the text that has `id` in the old one. */
static int64_t text_of(struct copying *c, int64_t id)
{
	if (id < 1 || id > c->from->ntexts) {
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
	if (id < 0 || id > c->from->rows[table].most + 1)
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

static struct bulk_cell plain_cell(struct sqlite3_stmt *stmt, int i)
{
	switch (sqlite3_column_type(stmt, i)) {
	case SQLITE_INTEGER:
		return bulk_int(sqlite3_column_int64(stmt, i));
	case SQLITE_FLOAT:
		return bulk_real(sqlite3_column_double(stmt, i));
	case SQLITE_TEXT:
		return bulk_text(sql_bytes(stmt, i));
	case SQLITE_BLOB:
		return bulk_blob(sql_bytes(stmt, i));
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
	if (c->to->wish.need && c->to->tables.table[column->table].is_slices)
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
		return bulk_blob(repack(c, i, sql_bytes(c->rows, i)));
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
	if (!c->to->wish.need && cells[COL_PROFILE_HAS_SLICES].number != 0)
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

static int copy_table(struct copying *c, unsigned place, struct bulk_writer *writer,
		      struct err *err)
{
	const struct merge_rows *rows = &c->from->rows[place];
	const struct merge_table *table = &c->to->tables.table[place];
	const struct bulk bulk = { .table = table->name,
				   .columns = table->columns,
				   .ncolumns = table->ncolumns,
				   .row = copy_row,
				   .failure = &c->err };
	int64_t *last = &c->to->last[place];

	c->table = table;
	c->rows = rows->stmt;
	c->renumbers = rows->renumbers;
	c->err = (struct err)ERR_INIT;
	int rc = bulk_write(writer, &bulk, rows->n, err);
	if (c->err.kind) {
		*err = c->err;
		return -1;
	}
	*last = rows->renumbers ? *last + rows->n : rows->last + c->shift[place];
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
	unsigned grains = fetch_need_grains(c->to->wish.need);
	struct sqlite3_stmt *profiles;
	int rc = sql_prepare(store_db(c->from->store),
			     "SELECT id, has_shapes FROM profile ORDER BY id", &profiles,
			     err),
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

	while (place < tables->n && !merge_adds_up(&c->to->wish, &tables->table[place]))
		place++;
	if (place == tables->n ||
	    sql_prepare(store_db(c->from->store), sql, &c->rows, err) < 0)
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
 * With slices all texts are taken in the order of their ids, which is the order in which one
 * ingest would meet them.
 */
static int load_texts(struct copying *c, struct err *err)
{
	int64_t n = c->from->ntexts;

	c->texts = xcalloc((size_t)n + 1, sizeof(*c->texts));
	for (int64_t id = 1; id <= n && !c->to->wish.need && !c->err.kind; id++)
		text_of(c, id);
	if (!c->err.kind)
		return 0;
	*err = c->err;
	return -1;
}

/* What ids are moved by; the run that is copied gets the id of the one that is made. */
static int find_shifts(struct copying *c, struct err *err)
{
	const struct merge_tables *tables = &c->to->tables;

	for (unsigned i = 0; i < tables->n; i++) {
		int64_t least = c->from->rows[i].least;
		if (c->to->last[i] > ID_MAX)
			return err_set(err, ERR_INPUT,
				       "the store is damaged: it has ids beyond 2^62");
		c->shift[i] = c->to->last[i] - (least > 0 ? least - 1 : 0);
	}
	c->from->rows[tables->run].most = c->from->run;
	c->shift[tables->run] = c->to->run_id - c->from->run;
	return 0;
}

static int copy_tables(struct copying *c, struct bulk_writer *writer, struct err *err)
{
	if (find_shifts(c, err) < 0)
		return -1;
	for (unsigned i = 0; i < c->to->tables.n; i++)
		if (c->from->rows[i].stmt && copy_table(c, i, writer, err) < 0)
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
		    merge_wants(&s->to->wish, &s->to->tables.table[i]))
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
			  merge_wants(&to->wish, &to->tables.table[i]);
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

static int make_parts(struct copying *c, struct err *err)
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
	int rc = to->summarize(c->from->store, to->wish.only_run, &sink.sink, err);
	for (unsigned i = 0; i < to->tables.n && rc == 0 && took; i++)
		if (to->tables.table[i].is_part)
			rc = find_last(to, i, err);
	return rc;
}

int merge_copy(struct merge_target *to, struct merge_source *from, struct err *err)
{
	struct copying *c = xcalloc(1, sizeof(*c));
	const void *row_from = &c;
	struct bulk_team *alone = bulk_team_new(&row_from, 0, NULL);
	/* no table has an index yet: all are written as pages */
	struct bulk_writer writer = bulk_writer(to->db, row_from, alone, 1);

	writer.places = &to->places;
	c->to = to;
	c->from = from;
	for (int i = 0; i < MERGE_COLUMNS_MAX; i++)
		buf_init(&c->packed[i], PACK_MAX);
	int rc = load_texts(c, err);
	if (rc == 0)
		rc = copy_tables(c, &writer, err);
	if (bulk_writer_end(&writer, err) < 0)
		rc = -1;
	if (rc == 0)
		rc = add_ops(c, err);
	if (rc == 0)
		rc = make_parts(c, err);
	bulk_team_free(alone);
	free(c->texts);
	for (int i = 0; i < MERGE_COLUMNS_MAX; i++)
		buf_release(&c->packed[i]);
	free(c);
	return rc;
}
