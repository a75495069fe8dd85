/* Bulk insertion: rows of C structs into a table, ids counting on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "ingest/sink.h"
#include "store/bulk.h"
#include "store/sql.h"

static int db_setup(void **state)
{
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		return -1;
	*state = db;
	return sqlite3_exec(
		db,
		"CREATE TABLE fact (id INTEGER PRIMARY KEY, a INTEGER, b TEXT, c REAL, "
		"d BLOB) STRICT;"
		"CREATE TABLE args (slice_id INTEGER PRIMARY KEY, text TEXT) STRICT;"
		"CREATE TABLE strict_one (id INTEGER PRIMARY KEY, a INTEGER NOT NULL)",
		NULL, NULL, NULL);
}

static int db_teardown(void **state)
{
	return sqlite3_close(*state);
}

static int64_t ask(sqlite3 *db, const char *sql)
{
	struct err err = ERR_INIT;
	int64_t value = -1;

	if (sql_int(db, sql, &value, &err) < 0)
		fail_msg("%s: %s", sql, err.text);
	return value;
}

struct fact {
	int64_t a;
	const char *b;
	double c;
};

static void fact_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct fact *f = (const struct fact *)from + row;

	c[1] = bulk_number(f->a);
	c[2] = f->b ? bulk_text(str_of(f->b)) : bulk_null();
	c[3] = bulk_real(f->c);
	c[4] = bulk_blob((struct str){ "\0\1", 2 });
}

static const struct bulk bulk_fact = {
	"fact", "id, a, b, c, d", 5, fact_row, NULL, NULL
};

static void must_insert(sqlite3 *db, const struct bulk *bulk, const void *from,
			int64_t nrows)
{
	struct err err = ERR_INIT;

	if (bulk_insert(db, bulk, from, nrows, &err) < 0)
		fail_msg("%s", err.text);
}

static void cells_of_every_type_arrive(void **state)
{
	static const struct fact facts[] = { { INT64_MAX, "caf\xc3\xa9", 0.1 },
					     { NUMBER_NONE, NULL, 2.5 } };

	must_insert(*state, &bulk_fact, facts, 2);
	assert_int_equal(1,
			 ask(*state,
			     "SELECT a = 9223372036854775807 AND b = 'café' AND c = 0.1 "
			     "AND d = x'0001' FROM fact WHERE id = 1"));
	assert_int_equal(1, ask(*state,
				"SELECT a IS NULL AND b IS NULL AND c = 2.5 FROM fact "
				"WHERE id = 2"));
}

static void ids_count_on_from_the_largest(void **state)
{
	static const struct fact facts[] = { { 1, "a", 0 }, { 2, "b", 0 } };

	must_insert(*state, &bulk_fact, facts, 2);
	sqlite3_exec(*state, "UPDATE fact SET id = 40 WHERE id = 2", NULL, NULL, NULL);
	must_insert(*state, &bulk_fact, facts, 2);
	assert_int_equal(42, ask(*state, "SELECT max(id) FROM fact"));
	assert_int_equal(4, ask(*state, "SELECT count(*) FROM fact"));
}

static void args_row(const void *from, int64_t row, struct bulk_cell *c)
{
	c[0] = bulk_int(((const int64_t *)from)[row]);
	c[1] = bulk_text(STR_LIT("{}"));
}

static void a_table_may_give_its_ids_itself(void **state)
{
	static const struct bulk bulk_args = { "args", "slice_id, text",
					       2,      args_row,
					       NULL,   NULL };
	static const int64_t ids[] = { 7, 9 };

	must_insert(*state, &bulk_args, ids, 2);
	assert_int_equal(16,
			 ask(*state, "SELECT sum(slice_id) FROM args WHERE text = '{}'"));
}

static void no_rows_are_no_work(void **state)
{
	must_insert(*state, &bulk_fact, NULL, 0);
	assert_int_equal(0, ask(*state, "SELECT count(*) FROM fact"));
}

static void null_row(const void *from, int64_t row, struct bulk_cell *c)
{
	(void)from;
	(void)row;
	c[1] = bulk_null();
}

static void a_table_that_refuses_is_an_error_and_the_next_insert_works(void **state)
{
	static const struct bulk bulk_none = { "nowhere", "id, a, b, c, d",
					       5,         fact_row,
					       NULL,      NULL };
	static const struct bulk bulk_null = { "strict_one", "id, a", 2,
					       null_row,     NULL,    NULL };
	static const struct bulk bulk_moved = { "strict_one", "id, b", 2,
						null_row,     NULL,    NULL };
	static const struct bulk bulk_more = {
		"fact", "id, a, b", 3, null_row, NULL, NULL
	};
	static const struct fact facts[] = { { NUMBER_NONE, "a", 0 } };
	struct err err = ERR_INIT;

	assert_int_equal(-1, bulk_insert(*state, &bulk_none, facts, 1, &err));
	assert_string_equal("no such table: nowhere", err.text);
	assert_int_equal(-1, bulk_insert(*state, &bulk_null, facts, 1, &err));
	assert_string_equal("NOT NULL constraint failed: strict_one.a", err.text);
	assert_int_equal(-1, bulk_insert(*state, &bulk_moved, facts, 1, &err));
	assert_string_equal("table strict_one has no column named b", err.text);
	assert_int_equal(-1, bulk_insert(*state, &bulk_more, facts, 1, &err));
	assert_string_equal("fact: nothing sets column 3 of (id, a, b)", err.text);
	must_insert(*state, &bulk_fact, facts, 1);
	assert_int_equal(1, ask(*state, "SELECT count(*) FROM fact"));
}

/* A profile has rows for twenty tables, and views ask of it with statements that they keep. */
static void statements_of_the_connection_stay_prepared(void **state)
{
	static const struct fact facts[] = { { 1, "a", 0 } };
	sqlite3_stmt *stmt;

	must_insert(*state, &bulk_fact, facts, 1);
	assert_int_equal(
		SQLITE_OK,
		sqlite3_prepare_v2(*state, "SELECT count(*) FROM fact", -1, &stmt, NULL));
	for (int n = 2; n < 5; n++) {
		must_insert(*state, &bulk_fact, facts, 1);
		assert_int_equal(SQLITE_ROW, sqlite3_step(stmt));
		assert_int_equal(n, sqlite3_column_int(stmt, 0));
		sqlite3_reset(stmt);
	}
	assert_int_equal(0, sqlite3_stmt_status(stmt, SQLITE_STMTSTATUS_REPREPARE, 0));
	sqlite3_finalize(stmt);
}

/* The rows are nobody's but bulk_insert()'s. */
static void its_table_has_no_rows_for_others(void **state)
{
	must_insert(*state, &bulk_fact, (const struct fact[]){ { 1, "a", 0 } }, 1);
	assert_int_equal(0, ask(*state, "SELECT count(*) FROM ptool_bulk(1)"));
	assert_int_equal(SQLITE_ERROR, sqlite3_exec(*state, "SELECT * FROM ptool_bulk",
						    NULL, NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(cells_of_every_type_arrive, db_setup,
						db_teardown),
		cmocka_unit_test_setup_teardown(ids_count_on_from_the_largest, db_setup,
						db_teardown),
		cmocka_unit_test_setup_teardown(a_table_may_give_its_ids_itself, db_setup,
						db_teardown),
		cmocka_unit_test_setup_teardown(no_rows_are_no_work, db_setup,
						db_teardown),
		cmocka_unit_test_setup_teardown(
			a_table_that_refuses_is_an_error_and_the_next_insert_works,
			db_setup, db_teardown),
		cmocka_unit_test_setup_teardown(
			statements_of_the_connection_stay_prepared, db_setup,
			db_teardown),
		cmocka_unit_test_setup_teardown(its_table_has_no_rows_for_others,
						db_setup, db_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
