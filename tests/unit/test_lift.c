/* What ptool migrate computes when it lifts a store; the rest is in tests/cli/migrate.bats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "store/lift_squares.h"

/* Limbs of lift_squares(arguments), the highest first: "0 0 0 14". */
static void assert_squares(const char *arguments, const char *wanted)
{
	sqlite3 *db;
	sqlite3_stmt *stmt;

	assert_int_equal(SQLITE_OK, sqlite3_open(":memory:", &db));
	assert_int_equal(SQLITE_OK,
			 sqlite3_create_function(db, "lift_squares", 4, SQLITE_UTF8, NULL,
						 lift_squares, NULL, NULL));
	char *sql =
		sqlite3_mprintf("SELECT group_concat(lift_squares(limb, %s), ' ') FROM "
				"(SELECT 3 AS limb UNION ALL SELECT 2 UNION ALL "
				"SELECT 1 UNION ALL SELECT 0)",
				arguments);
	assert_int_equal(SQLITE_OK, sqlite3_prepare_v2(db, sql, -1, &stmt, NULL));
	assert_int_equal(SQLITE_ROW, sqlite3_step(stmt));
	assert_string_equal(wanted, (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
	sqlite3_close(db);
}

static void squares_follow_from_moments(void **state)
{
	(void)state;
	/* 1, 2, 3; and 1, 2, whose mean is no integer */
	assert_squares("3, 6, 2.0", "0 0 0 14");
	assert_squares("2, 3, 0.5", "0 0 0 5");
	/* 7 calls that add up to 27330: m2 has lost digits, the squares have not */
	assert_squares("7, 27330, 5079191.42857143", "0 0 0 111783320");
	/* the square of INT64_MAX is 2^126 - 2^64 + 1 */
	assert_squares("1, 9223372036854775807, 0.0", "1073741823 4294967295 0 1");
	assert_squares("1, -3, 0.0", "0 0 0 9");
}

static void moments_that_cannot_be_are_no_crash(void **state)
{
	(void)state;
	assert_squares("0, 5, 0.0", "0 0 0 25");
	assert_squares("1, 2, -7.0", "0 0 0 4");
	assert_squares("1, 0, 9e999", "2147483648 0 0 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(squares_follow_from_moments),
		cmocka_unit_test(moments_that_cannot_be_are_no_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
