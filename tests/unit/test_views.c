/* The SQL of src/query/views: it fits the schema, its columns, and big tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "query/findings.h"
#include "query/info.h"
#include "query/query.h"
#include "scratch.h"
#include "store/publish.h"
#include "store/write.h"

#define FOLDER "src/query/views" /* tests run in the root of the sources */

/* Tables that have a row for each slice, call or text: reading all of one must be meant. */
static const char *const big_tables[] = {
	"slice_row",     "kernel",  "copy",    "device_wait",
	"collective",    "flow",    "counter", "allocation",
	"op_detail",     "op_stat", "string",  "slice_args",
	"track",         "step",    "device",  "annotation_stat",
	"kernel_source", NULL,
};

/* Those that are meant. */
static const struct scan {
	const char *view, *table, *why;
} scans[] = {
	{ "string_order.sql", "string", "sorts all names, for `ptool list --sort name`" },
	{ "slice_tracks.sql", "track", "once a command, for all profiles" },
	{ "info.sql", "track", "once a command, for all profiles" },
	{ "info.sql", "step", "once a command, for all profiles" },
	{ "slice_any.sql", "slice_row", "stops at the first slice" },
	{ "transfer_copies.sql", "copy", "no index; as few rows as copies" },
	{ "event_flows.sql", "flow", "no index; all arrows, for an export" },
	{ "event_counters.sql", "counter", "no index; for an export" },
	{ "event_names.sql", "string", "once an export, for those that are long" },
	{ "event_names.sql", "flow", "no index; likewise" },
	{ "event_names.sql", "counter", "likewise, once: how many there are" },
	{ "module_texts.sql", "string", "once a command, up to the first module" },
	{ "counter_spans.sql", "counter", "no index; once a page, for all profiles" },
	{ "memory_samples.sql", "counter", "no index; of files of mprof alone" },
	{ "recorded.sql", "string",
	  "once a start of ptool view or page, up to the first" },
	{ "recorded.sql", "kernel", "likewise" },
	{ "collective_rows.sql", "collective", "no index; as few rows as collectives" },
};
#define NSCANS (sizeof(scans) / sizeof(scans[0]))

struct fixture {
	void *folder; /* scratch_setup()'s */
	struct store *store;
};

static void make_empty_store(const char *path)
{
	struct err err = ERR_INIT;
	struct publish *publish;

	assert_int_equal(0, publish_begin(path, false, &publish, &err));
	assert_int_equal(0, write_schema(publish_db(publish), &err));
	assert_int_equal(0, publish_commit(publish, &err));
}

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct err err = ERR_INIT;

	if (scratch_setup(&f->folder) < 0)
		return -1;
	char *path = scratch_path(&f->folder, "empty.db");
	make_empty_store(path);
	int rc = store_open(path, &f->store, &err);
	free(path);
	*state = f;
	return rc;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	store_close(f->store);
	int rc = scratch_teardown(&f->folder);
	free(f);
	return rc;
}

static struct sqlite3 *db_of(void **state)
{
	const struct fixture *f = *state;

	return store_db(f->store);
}

static char *read_file(const char *path)
{
	FILE *in = fopen(path, "r");
	struct stat st;

	assert_non_null(in);
	assert_int_equal(0, fstat(fileno(in), &st));
	char *text = xcalloc((size_t)st.st_size + 1, 1);
	assert_int_equal((size_t)st.st_size, fread(text, 1, (size_t)st.st_size, in));
	fclose(in);
	return text;
}

/* Calls the function for each .sql file; how many there are. */
static size_t each_file(void **state,
			void (*check)(void **state, const char *name, const char *sql))
{
	DIR *dir = opendir(FOLDER);
	struct dirent *entry;
	size_t n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		const char *dot = strrchr(entry->d_name, '.');
		if (!dot || strcmp(dot, ".sql") != 0)
			continue;
		char *path = xasprintf(FOLDER "/%s", entry->d_name);
		char *sql = read_file(path);
		check(state, entry->d_name, sql);
		free(sql);
		free(path);
		n++;
	}
	closedir(dir);
	return n;
}

/* One statement, and a comment that says what it gives. */
static void prepares(void **state, const char *name, const char *sql)
{
	struct sqlite3_stmt *stmt;
	const char *rest;

	if (sqlite3_prepare_v2(db_of(state), sql, -1, &stmt, &rest) != SQLITE_OK)
		fail_msg("%s: %s", name, sqlite3_errmsg(db_of(state)));
	if (!stmt || *rest || strncmp(sql, "-- ", 3) != 0)
		fail_msg("%s: wants a comment and one statement", name);
	if (!sqlite3_stmt_readonly(stmt))
		fail_msg("%s writes", name);
	sqlite3_finalize(stmt);
}

static void every_view_prepares_on_an_empty_store(void **state)
{
	assert_true(each_file(state, prepares) > 5);
}

/* Views whose rows are the cells of one statement: their fields are its columns. */
static const struct whole {
	const struct view *view;
	const char *name;
	const unsigned char *sql;
} wholes[] = {
	{ &info_view, "info", asset_query_views_info_sql },
	{ &findings_view, "finding", asset_query_views_finding_sql },
};
#define NWHOLES (sizeof(wholes) / sizeof(wholes[0]))

/* The field that gets its cell there has the column's name; people's may be called otherwise. */
static void has_column(const struct view *view, int place, const char *name)
{
	bool has = false;

	for (const struct field *f = view->fields; f->name; f++)
		has |= f->get == view_cell && f->arg == place &&
		       strcmp(f->name, name) == 0;
	if (!has)
		fail_msg("%s: column %d is no %s", view->name, place, name);
}

static void the_columns_of_each_view_are_those_of_its_sql(void **state)
{
	for (size_t v = 0; v < NWHOLES; v++) {
		struct sqlite3_stmt *stmt;
		assert_int_equal(SQLITE_OK,
				 sqlite3_prepare_v2(db_of(state),
						    (const char *)wholes[v].sql, -1,
						    &stmt, NULL));
		for (int i = 0; i < sqlite3_column_count(stmt); i++)
			has_column(wholes[v].view, i, sqlite3_column_name(stmt, i));
		sqlite3_finalize(stmt);
	}
}

/* The head of the file names each column at the beginning of a line, or in a list of some. */
static void every_column_is_explained_in_the_head_of_its_file(void **state)
{
	for (size_t v = 0; v < NWHOLES; v++) {
		char *path = xasprintf(FOLDER "/%s.sql", wholes[v].name);
		char *sql = read_file(path);
		char *select = strstr(sql, "\nSELECT");
		struct sqlite3_stmt *stmt;
		assert_non_null(select);
		*select = '\0';
		assert_int_equal(SQLITE_OK,
				 sqlite3_prepare_v2(db_of(state),
						    (const char *)wholes[v].sql, -1,
						    &stmt, NULL));
		for (int i = 0; i < sqlite3_column_count(stmt); i++)
			if (!strstr(sql, sqlite3_column_name(stmt, i)))
				fail_msg("%s: nothing about %s", path,
					 sqlite3_column_name(stmt, i));
		sqlite3_finalize(stmt);
		free(sql);
		free(path);
	}
}

static bool is_big(const char *table, size_t n)
{
	for (size_t i = 0; big_tables[i]; i++)
		if (strlen(big_tables[i]) == n && strncmp(big_tables[i], table, n) == 0)
			return true;
	return false;
}

static bool is_meant(const char *view, const char *table, size_t n)
{
	for (size_t i = 0; i < NSCANS; i++)
		if (strcmp(scans[i].view, view) == 0 && strlen(scans[i].table) == n &&
		    strncmp(scans[i].table, table, n) == 0)
			return true;
	return false;
}

/* The table that an alias stands for, as "FROM slice_row s" or "JOIN kernel k ON" say. */
static void resolve(const char *sql, const char **name, size_t *n)
{
	for (size_t i = 0; big_tables[i]; i++) {
		char *declared = xasprintf(" %s %.*s", big_tables[i], (int)*n, *name);
		const char *at = strstr(sql, declared);
		if (at && strchr(" \n)", at[strlen(declared)])) {
			*name = big_tables[i];
			*n = strlen(*name);
		}
		free(declared);
	}
}

static void scans_what_it_may(void **state, const char *name, const char *sql)
{
	char *explain = xasprintf("EXPLAIN QUERY PLAN %s", sql);
	struct sqlite3_stmt *stmt;

	assert_int_equal(SQLITE_OK,
			 sqlite3_prepare_v2(db_of(state), explain, -1, &stmt, NULL));
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *plan = (const char *)sqlite3_column_text(stmt, 3);
		if (strncmp(plan, "SCAN ", 5) != 0)
			continue;
		const char *table = plan + 5;
		size_t n = strcspn(table, " ");
		resolve(sql, &table, &n);
		if (is_big(table, n) && !is_meant(name, table, n))
			fail_msg("%s reads every row: %s", name, plan);
	}
	sqlite3_finalize(stmt);
	free(explain);
}

static void no_view_reads_all_of_a_big_table_unless_that_is_meant(void **state)
{
	each_file(state, scans_what_it_may);
}

static void rows_are_read_into_cells_and_the_rest_is_null(void **state)
{
	static const unsigned char sql[] =
		"SELECT value, 'text' FROM json_each(:profiles)";
	const struct fixture *f = *state;
	struct memtable *m = memtable_new(NULL, 3);
	struct err err = ERR_INIT;

	assert_int_equal(0, query_rows(f->store, sql, "[7,8]", m, &err));
	assert_int_equal(2, m->nrows);
	assert_int_equal(8, memtable_row(m, 1)[0].as.integer);
	assert_true(str_is(memtable_row(m, 1)[1].as.text, "text"));
	assert_int_equal(CELL_NULL, memtable_row(m, 1)[2].type);
	table_free(&m->table);
}

static void a_statement_that_fails_half_way_is_told(void **state)
{
	static const unsigned char sql[] = "SELECT CASE value WHEN 2 THEN "
					   "abs(-9223372036854775808) ELSE value END "
					   "FROM json_each(:profiles)";
	const struct fixture *f = *state;
	struct memtable *m = memtable_new(NULL, 1);
	struct err err = ERR_INIT;

	assert_int_equal(-1, query_rows(f->store, sql, "[1,2]", m, &err));
	assert_string_equal("integer overflow", err.text);
	table_free(&m->table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_view_prepares_on_an_empty_store),
		cmocka_unit_test(the_columns_of_each_view_are_those_of_its_sql),
		cmocka_unit_test(every_column_is_explained_in_the_head_of_its_file),
		cmocka_unit_test(no_view_reads_all_of_a_big_table_unless_that_is_meant),
		cmocka_unit_test(rows_are_read_into_cells_and_the_rest_is_null),
		cmocka_unit_test(a_statement_that_fails_half_way_is_told),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
