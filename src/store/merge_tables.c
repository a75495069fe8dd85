/* What the tables of the schema refer to: see merge_tables.h. */
#include "store/merge_tables.h"

#include <assert.h>
#include <sqlite3.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "store/slice_tables.h"
#include "store/sql.h"

#define COLUMNS_BYTES_MAX 8192

/* Ids that the schema cannot declare: first ones of a range, and those in blobs. */
static const struct {
	const char *table, *column, *of;
	enum merge_kind kind;
} undeclared[] = {
	{ "profile", "first_slice_id", "slice_row", MERGE_ID },
	{ "profile", "first_op_detail_id", "op_detail", MERGE_ID },
	{ "track", "first_slice_id", "slice_row", MERGE_ID },
	{ "sample_series", "first_node_id", "sample_node", MERGE_ID },
	{ "sample_series", "first_sum_id", "sample_sum", MERGE_ID },
	{ "sample_series", "first_sample_id", "sample_row", MERGE_ID },
	{ "slice_pack", "id", "slice_row", MERGE_ID },
	{ "slice_pack", "name_id", "string", MERGE_PACKED_TEXTS },
	{ "slice_pack", "step_id", "step", MERGE_PACKED_IDS },
	{ "slice_pack", "launch_id", "slice_row", MERGE_PACKED_IDS },
	{ "slice_pack", "op_id", "slice_row", MERGE_PACKED_IDS },
	{ "slice_pack", "op_detail_id", "op_detail", MERGE_PACKED_IDS },
	{ "summary", "first_row_id", "summary", MERGE_PART_ID },
};

/* Those that every store has, and those that are made for the run. */
static const char *const not_copied[] = { "slice_class", "run", "string" };

static unsigned place_of(const struct merge_tables *t, const char *name)
{
	unsigned i = 0;

	while (i < t->n && strcmp(t->table[i].name, name) != 0)
		i++;
	assert(i < t->n);
	return i;
}

static const char *text(struct sqlite3_stmt *stmt, int column)
{
	const unsigned char *p = sqlite3_column_text(stmt, column);

	return p ? (const char *)p : "";
}

/* Calls row() for each row of a PRAGMA that takes the table's name. */
static int each(struct sqlite3 *db, const char *pragma, struct merge_tables *t,
		struct merge_table *table,
		void (*row)(struct merge_tables *, struct merge_table *,
			    struct sqlite3_stmt *),
		struct err *err)
{
	char *sql = xasprintf("PRAGMA %s(%s)", pragma, table->name);
	struct sqlite3_stmt *stmt;
	int rc = sql_prepare(db, sql, &stmt, err);

	free(sql);
	if (rc < 0)
		return -1;
	while ((rc = sql_step(stmt, err)) > 0)
		row(t, table, stmt);
	sqlite3_finalize(stmt);
	return rc;
}

/* table_info: cid, name, type, notnull, default, place in the key from 1. */
static void add_column(struct merge_tables *t, struct merge_table *table,
		       struct sqlite3_stmt *stmt)
{
	const char *name = text(stmt, 1);
	bool is_key = sqlite3_column_int(stmt, 5) != 0;
	struct buf names;

	assert(table->ncolumns < MERGE_COLUMNS_MAX);
	buf_init(&names, COLUMNS_BYTES_MAX);
	if (table->columns)
		buf_addf(&names, "%s, ", table->columns);
	buf_add_text(&names, name);
	struct merge_column *column = &table->column[table->ncolumns++];
	column->is_optional = sqlite3_column_int(stmt, 3) == 0 && !is_key;
	if (!column->is_optional && strcmp(text(stmt, 2), "INTEGER") == 0)
		column->kind = MERGE_NUMBER;
	table->columns = arena_strdup(&t->arena, names.p);
	buf_release(&names);
	if (is_key && table->ncolumns == 1) {
		table->has_id = true;
		*column = (struct merge_column){ .kind = MERGE_ID,
						 .table = place_of(t, table->name) };
	} else if (is_key) {
		table->has_id = false; /* a key of several columns */
		table->column[0].kind = MERGE_PLAIN;
	}
}

static struct merge_column *column_of(struct merge_table *table, const char *name)
{
	const char *p = table->columns;
	size_t n = strlen(name);

	for (int i = 0; i < table->ncolumns; i++) {
		if (strncmp(p, name, n) == 0 && (p[n] == ',' || p[n] == '\0'))
			return &table->column[i];
		p += strcspn(p, ",") + 2;
	}
	return NULL;
}

static void refer(struct merge_tables *t, struct merge_column *column, const char *of,
		  enum merge_kind kind)
{
	column->kind = kind;
	column->table = place_of(t, of);
}

/* foreign_key_list: id, seq, table, from, to. */
static void add_reference(struct merge_tables *t, struct merge_table *table,
			  struct sqlite3_stmt *stmt)
{
	const char *of = text(stmt, 2);

	if (strcmp(of, "slice_class") != 0) /* the same numbers in every store */
		refer(t, column_of(table, text(stmt, 3)), of,
		      strcmp(of, "string") == 0 ? MERGE_TEXT : MERGE_ID);
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcmp(name + n - m, end) == 0;
}

static int list_tables(struct sqlite3 *db, struct merge_tables *t, struct err *err)
{
	static const char sql[] =
		"SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid";
	struct sqlite3_stmt *stmt;
	int rc;

	if (sql_prepare(db, sql, &stmt, err) < 0)
		return -1;
	while ((rc = sql_step(stmt, err)) > 0) {
		assert(t->n < MERGE_TABLES_MAX);
		struct merge_table *table = &t->table[t->n++];
		table->name = arena_strdup(&t->arena, text(stmt, 0));
		table->is_slices = slice_table_is(table->name);
		table->is_part = strcmp(table->name, "summary") == 0 ||
				 ends_with(table->name, "_part");
	}
	sqlite3_finalize(stmt);
	return rc;
}

int merge_tables_read(struct sqlite3 *db, struct merge_tables *t, struct err *err)
{
	*t = (struct merge_tables){ .n = 0 };
	if (list_tables(db, t, err) < 0)
		return -1;
	for (unsigned i = 0; i < t->n; i++)
		if (each(db, "table_info", t, &t->table[i], add_column, err) < 0 ||
		    each(db, "foreign_key_list", t, &t->table[i], add_reference, err) < 0)
			return -1;
	for (size_t i = 0; i < sizeof(undeclared) / sizeof(*undeclared); i++)
		refer(t,
		      column_of(&t->table[place_of(t, undeclared[i].table)],
				undeclared[i].column),
		      undeclared[i].of, undeclared[i].kind);
	for (size_t i = 0; i < sizeof(not_copied) / sizeof(*not_copied); i++)
		t->table[place_of(t, not_copied[i])].is_kept = true;
	t->run = place_of(t, "run");
	t->profile = place_of(t, "profile");
	return 0;
}

void merge_tables_release(struct merge_tables *tables)
{
	arena_release(&tables->arena);
	*tables = (struct merge_tables){ .n = 0 };
}
