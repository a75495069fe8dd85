/*
 * Stores with a table t, for the tests of publishing: made by SQL, and asked.
 * After cmocka.h.
 */
#ifndef PTOOL_TESTS_PUBLISHING_H
#define PTOOL_TESTS_PUBLISHING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/publish.h"
#include "store/sql.h"
#include "store/store.h"

#define BIG_ROW "INSERT INTO t SELECT i, randomblob(4000) FROM n;"
#define NUMBERS_TO(n)                                                                      \
	"CREATE TEMP VIEW n AS WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 " \
	"FROM n WHERE i < " #n ") SELECT i FROM n;"
#define NEW_TABLE "CREATE TABLE t (a, b);"

/* Begins, runs the SQL and commits; 0 or -1. */
static inline int publish_sql(const char *path, bool keep_old, const char *sql,
			      struct err *err)
{
	struct publish *p;

	if (publish_begin(path, keep_old, &p, err) < 0)
		return -1;
	if (sql_exec(publish_db(p), sql, err) < 0) {
		publish_abort(p);
		return -1;
	}
	return publish_commit(p, err);
}

static inline void must_publish(const char *path, bool keep_old, const char *sql)
{
	struct err err = ERR_INIT;

	if (publish_sql(path, keep_old, sql, &err) < 0)
		fail_msg("%s", err.text);
}

static inline int64_t ask(const char *path, const char *sql)
{
	struct err err = ERR_INIT;
	struct store *store;
	int64_t value = -1;

	if (store_open(path, &store, &err) < 0 ||
	    sql_int(store_db(store), sql, &value, &err) < 0)
		fail_msg("%s", err.text);
	store_close(store);
	return value;
}

static inline int64_t nrows(const char *path)
{
	return ask(path, "SELECT count(*) FROM t");
}

static inline void assert_whole(const char *path)
{
	assert_int_equal(1, ask(path, "SELECT count(*) FROM pragma_integrity_check "
				      "WHERE integrity_check = 'ok'"));
}

#endif
