/* Prepared statements that are used again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/err.h"
#include "store/sql.h"
#include "store/statement_pool.h"

static const char numbers[] = "SELECT value, ?1 FROM json_each('[1, 2, 3]')";

static sqlite3_stmt *take(struct statement_pool *pool, sqlite3 *db)
{
	struct err err = ERR_INIT;
	sqlite3_stmt *stmt;

	assert_int_equal(0, statement_pool_take(pool, db, numbers, &stmt, &err));
	return stmt;
}

static void a_statement_that_was_given_back_begins_anew(void **state)
{
	struct statement_pool pool = { .n = 0 };
	struct err err = ERR_INIT;
	sqlite3 *db;

	(void)state;
	assert_int_equal(SQLITE_OK, sqlite3_open(":memory:", &db));
	sqlite3_stmt *first = take(&pool, db);
	sqlite3_bind_int64(first, 1, 42);
	assert_int_equal(1, sql_step(first, &err));
	assert_int_equal(1, sql_step(first, &err));
	assert_int_equal(2, sqlite3_column_int64(first, 0));
	assert_int_equal(42, sqlite3_column_int64(first, 1));
	statement_pool_give(&pool, first);

	sqlite3_stmt *again = take(&pool, db);
	assert_ptr_equal(first, again);
	assert_int_equal(1, sql_step(again, &err));
	assert_int_equal(1, sqlite3_column_int64(again, 0));
	assert_int_equal(SQLITE_NULL, sqlite3_column_type(again, 1));
	statement_pool_give(&pool, again);
	statement_pool_give(&pool, NULL);
	statement_pool_release(&pool);
	assert_int_equal(SQLITE_OK, sqlite3_close(db)); /* none is left */
}

static void one_that_is_in_use_is_not_shared(void **state)
{
	struct statement_pool pool = { .n = 0 };
	sqlite3 *db;

	(void)state;
	assert_int_equal(SQLITE_OK, sqlite3_open(":memory:", &db));
	sqlite3_stmt *outer = take(&pool, db), *inner = take(&pool, db);
	assert_ptr_not_equal(outer, inner);
	statement_pool_give(&pool, inner);
	statement_pool_give(&pool, outer);
	assert_int_equal(2, pool.n);
	statement_pool_release(&pool);
	assert_int_equal(SQLITE_OK, sqlite3_close(db));
}

static void what_cannot_be_prepared_is_not_kept(void **state)
{
	struct statement_pool pool = { .n = 0 };
	struct err err = ERR_INIT;
	sqlite3_stmt *stmt;
	sqlite3 *db;

	(void)state;
	assert_int_equal(SQLITE_OK, sqlite3_open(":memory:", &db));
	assert_int_equal(-1, statement_pool_take(&pool, db, "SELECT x", &stmt, &err));
	assert_null(stmt);
	assert_int_equal(0, pool.n);
	statement_pool_release(&pool);
	assert_int_equal(SQLITE_OK, sqlite3_close(db));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_statement_that_was_given_back_begins_anew),
		cmocka_unit_test(one_that_is_in_use_is_not_shared),
		cmocka_unit_test(what_cannot_be_prepared_is_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
