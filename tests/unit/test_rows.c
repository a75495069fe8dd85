/* Rows that are pushed: those of a profile are found without a look at all others'. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <sqlite3.h>
#include <string.h>

#include "base/asset.h"
#include "remote/rows.h"
#include "store/sql.h"

ASSET(asset_remote_push_profiles_sql);

#define NPROFILES 3000
/* Of SQLite's machine, for what should take a few hundred. */
#define STEPS_MOST 2000

/* Each has two processes, three threads and a finding, the last one none. */
static sqlite3 *open_store(void)
{
	static const char fill[] =
		"INSERT INTO run (id, name) VALUES (1, 'r');"
		"CREATE TEMP TABLE n AS WITH RECURSIVE c(i) AS "
		"  (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3000) SELECT i FROM c;"
		"INSERT INTO profile (id, run_id, path, format, rank, start_ns, dur_ns, "
		"  bytes, first_slice_id, slices, first_op_detail_id, op_details, "
		"  has_memory, has_shapes, has_stacks, has_flops, has_slices, all_slices, "
		"  split_annotations, float_memory_window, python_in_tree, "
		"  keep_unfinished, annotation_fudge_ns, metadata) "
		"SELECT i, 1, '/a', 'chrome', CASE WHEN i > 2 THEN i % 2 END, 0, 0, 0, 1, "
		"  0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}' FROM n;"
		"INSERT INTO process (profile_id, pid) SELECT i, k FROM n, "
		"  (SELECT 1 AS k UNION ALL SELECT 2) WHERE i < 3000 ORDER BY i, k;"
		"INSERT INTO thread (profile_id, upid, tid, is_main_thread) "
		"SELECT i, 2 * i, k, 0 FROM n, "
		"  (SELECT 1 AS k UNION ALL SELECT 2 UNION ALL SELECT 3) WHERE i < 3000 "
		"ORDER BY i, k;";
	struct err err = ERR_INIT;
	sqlite3 *db;

	assert_int_equal(SQLITE_OK, sqlite3_open(":memory:", &db));
	assert_int_equal(0, sql_exec(db, (const char *)asset_store_schema_sql, &err));
	int rc = sql_exec(db, fill, &err);
	assert_string_equal("", rc < 0 ? err.text : "");
	return db;
}

static int steps_of(sqlite3_stmt *stmt)
{
	return sqlite3_stmt_status(stmt, SQLITE_STMTSTATUS_VM_STEP, 0);
}

/* How many rows the profile has in the table; the last one refers to that place. */
static uint64_t count_rows(sqlite3 *db, const struct row_ranges *ranges,
			   const char *table, int64_t profile, int64_t *refers)
{
	const struct remote_tables *tables = ranges->tables;
	struct remote_rows rows = {
		.table = &tables->items[remote_table_find(tables, table)]
	};
	struct err err = ERR_INIT;
	struct buf ignored;
	int rc = 1;

	buf_init(&ignored, 4096);
	assert_int_equal(0, remote_rows_open(&rows, db, ranges, profile, &err));
	while (rc > 0 && rows.is_at_row) {
		assert_int_equal(rows.nrows, sqlite3_column_int64(rows.stmt, 0));
		*refers = sqlite3_column_int64(rows.stmt, 1);
		rc = remote_rows_next(&rows, &ignored, &err);
	}
	assert_true(rc >= 0);
	uint64_t n = rows.nrows;
	assert_in_range(steps_of(rows.stmt), 1, STEPS_MOST);
	remote_rows_close(&rows);
	buf_release(&ignored);
	return n;
}

static void rows_of_a_profile_are_found_at_once(void **state)
{
	(void)state;
	sqlite3 *db = open_store();
	struct remote_tables tables;
	struct row_ranges ranges;
	struct err err = ERR_INIT;
	int64_t refers = 0;

	assert_int_equal(0, remote_tables_load(&tables, &err));
	assert_int_equal(0, row_ranges_open(&tables, db, &ranges, &err));
	for (int64_t id = 7; id < NPROFILES; id += 1000) {
		assert_int_equal(0, row_ranges_seek(&ranges, id, &err));
		assert_int_equal(2, count_rows(db, &ranges, "process", id, &refers));
		assert_int_equal(3, count_rows(db, &ranges, "thread", id, &refers));
		assert_int_equal(1, refers); /* the second process */
		assert_int_equal(0, count_rows(db, &ranges, "finding", id, &refers));
	}
	assert_int_equal(0, row_ranges_seek(&ranges, NPROFILES, &err));
	assert_int_equal(0, count_rows(db, &ranges, "process", NPROFILES, &refers));
	row_ranges_close(&ranges);
	remote_tables_release(&tables);
	sqlite3_close(db);
}

static void profiles_of_one_path_are_numbered_in_proportion(void **state)
{
	(void)state;
	static const struct {
		int64_t id;
		const char *what_else;
	} some[] = {
		{ 1, "  0" }, { 2, "  1" }, { 3, "1  0" }, { 4, "0  0" }, { 5, "1  1" }
	};
	sqlite3 *db = open_store();
	struct sqlite3_stmt *stmt;
	struct err err = ERR_INIT;
	int64_t n = 0;

	assert_int_equal(0, sql_prepare(db, (const char *)asset_remote_push_profiles_sql,
					&stmt, &err));
	for (; sql_step(stmt, &err) > 0; n++) {
		if (n < (int64_t)(sizeof(some) / sizeof(*some))) {
			assert_int_equal(some[n].id, sqlite3_column_int64(stmt, 0));
			assert_string_equal(some[n].what_else,
					    sqlite3_column_text(stmt, 3));
		}
		assert_int_equal(n, sqlite3_column_int64(stmt, 4));
	}
	assert_int_equal(NPROFILES, n);
	assert_in_range(steps_of(stmt), NPROFILES, 300 * NPROFILES);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_a_profile_are_found_at_once),
		cmocka_unit_test(profiles_of_one_path_are_numbered_in_proportion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
