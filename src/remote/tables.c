/* The tables that are pushed: see tables.h.  SQLite itself says what their columns are. */
#include "remote/tables.h"

#include <assert.h>
#include <sqlite3.h>
#include <string.h>

#include "base/array.h"
#include "base/asset.h"
#include "store/sql.h"

/* Besides the summaries. */
static const char *const pushed[] = {
	"process", "thread",  "track",   "step",
	"device",  "finding", "op_stat", "annotation_stat"
};

/* Of `profile`: ids in the one store. */
static const char *const own_ids[] = { "id", "run_id", "first_slice_id",
				       "first_op_detail_id" };

static bool is_among(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

#define IS_AMONG(name, names) is_among(name, names, sizeof(names) / sizeof(*(names)))

static bool is_summary(const char *name)
{
	static const char ending[] = "_part";
	size_t n = strlen(name), end = sizeof(ending) - 1;

	return (n > end && strcmp(name + n - end, ending) == 0) ||
	       strcmp(name, "comm_call") == 0;
}

static enum rowbinary_kind kind_of(const char *type)
{
	if (strcmp(type, "REAL") == 0)
		return ROWBINARY_REAL;
	return strcmp(type, "INTEGER") == 0 ? ROWBINARY_INT : ROWBINARY_TEXT;
}

struct loading {
	struct remote_tables *tables;
	sqlite3 *db;
	struct remote_table *table; /* the one that is being made */
	size_t cap;                 /* of its columns */
	int place;                  /* of the column that is read */
};

static const char *text_at(struct loading *l, struct sqlite3_stmt *stmt, int column)
{
	return arena_strdup(&l->tables->arena,
			    (const char *)sqlite3_column_text(stmt, column));
}

/* What a column refers to. */
struct reference {
	const char *table, *key; /* NULL: nothing */
};

static int find_reference(struct loading *l, const char *column, struct reference *out,
			  struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	*out = (struct reference){ NULL, NULL };
	/* of the slices of a profile it says which are a track's */
	if (strcmp(column, "first_slice_id") == 0)
		*out = (struct reference){ "slice_row", "id" };
	if (sql_prepare(l->db,
			"SELECT \"table\", \"to\", \"from\" "
			"FROM pragma_foreign_key_list(:t)",
			&stmt, err) < 0)
		return -1;
	sqlite3_bind_text(stmt, 1, l->table->name, -1, SQLITE_STATIC);
	while ((rc = sql_step(stmt, err)) > 0)
		if (strcmp((const char *)sqlite3_column_text(stmt, 2), column) == 0)
			*out = (struct reference){ text_at(l, stmt, 0),
						   text_at(l, stmt, 1) };
	sqlite3_finalize(stmt);
	return rc;
}

static void push_column(struct loading *l, struct remote_column column)
{
	column.place = l->place;
	*ARRAY_PUSH(l->table->columns, l->table->n, l->cap) = column;
}

/* "name_id" of `string` is "name" there. */
static const char *without_id(struct loading *l, const char *name)
{
	size_t n = strlen(name);

	if (n > 3 && strcmp(name + n - 3, "_id") == 0)
		n -= 3;
	return arena_copy(&l->tables->arena, (struct str){ name, n }).p;
}

static void add_reference(struct loading *l, const char *name, struct reference to,
			  bool nullable)
{
	const char *bare = without_id(l, name);
	struct remote_column column = { .name = bare,
					.column = name,
					.role = ROLE_TEXT,
					.type = { ROWBINARY_TEXT, nullable } };

	if (strcmp(to.table, "string") == 0) {
		push_column(l, column);
		return;
	}
	/* rows of a summary are pushed as they are made, which knows no other row's place */
	assert(!l->table->is_part);
	column.name = arena_printf(&l->tables->arena, "%s_seq", bare);
	column.of = to.table;
	column.of_key = to.key;
	column.role = ROLE_ROW;
	column.type.kind = ROWBINARY_INT;
	push_column(l, column);
	if (strcmp(to.table, "step") != 0)
		return;
	column.name = bare;
	column.role = ROLE_NUMBER;
	push_column(l, column);
}

/* A row of pragma_table_info(). */
static int add_column(struct loading *l, struct sqlite3_stmt *stmt, struct err *err)
{
	const char *name = text_at(l, stmt, 0), *type = text_at(l, stmt, 1);
	bool nullable = !sqlite3_column_int(stmt, 2);
	bool is_profile = strcmp(l->table->name, "profile") == 0;
	bool is_key = sqlite3_column_int(stmt, 3) != 0;
	struct reference to;

	l->place = sqlite3_column_int(stmt, 4);
	if (is_profile && IS_AMONG(name, own_ids))
		return 0;
	if (is_key) {
		l->table->key = name;
		push_column(l,
			    (struct remote_column){ .name = "seq",
						    .column = name,
						    .role = ROLE_SEQ,
						    .type = { ROWBINARY_INT, false } });
		return 0;
	}
	if (find_reference(l, name, &to, err) < 0)
		return -1;
	if (to.table && strcmp(to.table, "profile") == 0)
		return 0;
	/* the classes of slices are the same numbers in every store */
	if (to.table && strcmp(to.table, "slice_class") != 0) {
		add_reference(l, name, to, nullable);
		return 0;
	}
	push_column(l, (struct remote_column){ .name = name,
					       .column = name,
					       .role = ROLE_VALUE,
					       .type = { kind_of(type), nullable },
					       .is_bytes = strcmp(type, "BLOB") == 0 });
	return 0;
}

static int find_index(struct loading *l, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (sql_prepare(l->db,
			"SELECT 1 FROM pragma_index_list(:t) l "
			"JOIN pragma_index_info(l.name) c "
			"WHERE c.seqno = 0 AND c.name = 'profile_id'",
			&stmt, err) < 0)
		return -1;
	sqlite3_bind_text(stmt, 1, l->table->name, -1, SQLITE_STATIC);
	int rc = sql_step(stmt, err);
	l->table->has_index = rc > 0;
	sqlite3_finalize(stmt);
	return rc < 0 ? -1 : 0;
}

static int load_table(struct loading *l, const char *name, struct remote_table *out,
		      struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	*out = (struct remote_table){ .name = arena_strdup(&l->tables->arena, name),
				      .is_part = is_summary(name) };
	l->table = out;
	l->cap = 0;
	if (sql_prepare(
		    l->db,
		    "SELECT name, type, \"notnull\", pk, cid FROM pragma_table_info(:t)",
		    &stmt, err) < 0)
		return -1;
	sqlite3_bind_text(stmt, 1, out->name, -1, SQLITE_STATIC);
	while ((rc = sql_step(stmt, err)) > 0) {
		rc = add_column(l, stmt, err);
		if (rc < 0)
			break;
	}
	sqlite3_finalize(stmt);
	return rc < 0 ? -1 : find_index(l, err);
}

/* In the order of the schema, where what is referred to comes first. */
static int load_all(struct loading *l, struct err *err)
{
	struct remote_tables *tables = l->tables;
	struct sqlite3_stmt *stmt;
	size_t cap = 0;
	int rc = load_table(l, "profile", &tables->profile, err);

	if (rc < 0 || sql_prepare(l->db,
				  "SELECT name FROM sqlite_schema WHERE type = 'table' "
				  "ORDER BY rowid",
				  &stmt, err) < 0)
		return -1;
	while ((rc = sql_step(stmt, err)) > 0) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);
		if (!is_summary(name) && !IS_AMONG(name, pushed))
			continue;
		struct remote_table *table = ARRAY_PUSH(tables->items, tables->n, cap);
		rc = load_table(l, name, table, err);
		if (rc < 0)
			break;
	}
	sqlite3_finalize(stmt);
	return rc;
}

/* Details of operators are not there. */
static int load_slices(struct loading *l, struct err *err)
{
	struct remote_table *t = &l->tables->slices;
	size_t kept = 0;

	if (load_table(l, "slice_row", t, err) < 0)
		return -1;
	for (size_t i = 0; i < t->n; i++)
		if (!t->columns[i].of || strcmp(t->columns[i].of, "op_detail") != 0)
			t->columns[kept++] = t->columns[i];
	t->n = kept;
	t->name = "slice";
	return 0;
}

int remote_tables_load(struct remote_tables *out, struct err *err)
{
	struct loading l = { .tables = out };
	int rc;

	*out = (struct remote_tables){ 0 };
	if (sqlite3_open(":memory:", &l.db) != SQLITE_OK)
		rc = sql_error(l.db, err);
	else
		rc = sql_exec(l.db, (const char *)asset_store_schema_sql, err);
	if (rc == 0)
		rc = load_all(&l, err);
	if (rc == 0)
		rc = load_slices(&l, err);
	sqlite3_close(l.db);
	return rc;
}

void remote_tables_release(struct remote_tables *tables)
{
	free(tables->profile.columns);
	free(tables->slices.columns);
	for (size_t i = 0; i < tables->n; i++)
		free(tables->items[i].columns);
	free(tables->items);
	arena_release(&tables->arena);
	*tables = (struct remote_tables){ 0 };
}

size_t remote_table_find(const struct remote_tables *tables, const char *name)
{
	size_t i = 0;

	while (i < tables->n && strcmp(tables->items[i].name, name) != 0)
		i++;
	return i;
}

void remote_columns_list(const struct remote_table *table, struct buf *to)
{
	for (size_t i = 0; i < table->n; i++)
		buf_addf(to, "%s%s", i ? ", " : "", table->columns[i].name);
}

void remote_insert_into(const struct remote_table *table, const char *first,
			struct buf *sql)
{
	buf_addf(sql, "INSERT INTO %s (%s", table->name, first);
	if (table->n)
		buf_add_text(sql, ", ");
	remote_columns_list(table, sql);
	buf_add_text(sql, ") FORMAT RowBinary");
}
