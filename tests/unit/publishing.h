/*
 * Stores with ptool's schema, for the tests of publishing: made by SQL, and asked.
 * Rows are those of quarantine.  After cmocka.h.
 */
#ifndef PTOOL_TESTS_PUBLISHING_H
#define PTOOL_TESTS_PUBLISHING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/asset.h"
#include "base/err.h"
#include "store/publish.h"
#include "store/sql.h"
#include "store/store.h"

/* Where in an SQL text ptool's schema is made. */
#define NEW_STORE "-- ptool's schema\n"
#define BIG_ROW   "INSERT INTO quarantine SELECT NULL, i, hex(randomblob(2000)), 0 FROM n;"
#define SMALL_ROW "INSERT INTO quarantine VALUES (NULL, 1, '', 0);"
#define NUMBERS_TO(n)                                                                      \
	"CREATE TEMP VIEW n AS WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 " \
	"FROM n WHERE i < " #n ") SELECT i FROM n;"

static inline int run_sql(struct sqlite3 *db, const char *sql, struct err *err)
{
	const char *schema = strstr(sql, NEW_STORE);

	if (!schema)
		return sql_exec(db, sql, err);
	char *before = xstrndup(sql, (size_t)(schema - sql));
	int rc = sql_exec(db, before, err);
	free(before);
	if (rc < 0 || sql_exec(db, (const char *)asset_store_schema_sql, err) < 0)
		return -1;
	return sql_exec(db, schema, err);
}

/* Begins, runs the SQL and commits; 0 or -1. */
static inline int publish_sql(const char *path, bool keep_old, const char *sql,
			      struct err *err)
{
	struct publish *p;

	if (publish_begin(path, keep_old, &p, err) < 0)
		return -1;
	if (run_sql(publish_db(p), sql, err) < 0) {
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
	return ask(path, "SELECT count(*) FROM quarantine");
}

static inline void assert_whole(const char *path)
{
	assert_int_equal(1, ask(path, "SELECT count(*) FROM pragma_integrity_check "
				      "WHERE integrity_check = 'ok'"));
}

#endif
