/* Named statements: see statements.h. */
#include "store/statements.h"

#include <assert.h>
#include <sqlite3.h>

#include "base/asset.h"
#include "base/str.h"
#include "store/sql.h"

#define MARK "-- name: "

/* Behind the next "-- name: ", or NULL. */
static const char *next_name(const char *p)
{
	p = strstr(p, MARK);
	return p ? p + sizeof(MARK) - 1 : NULL;
}

static struct str name_at(const char *p)
{
	return (struct str){ p, strcspn(p, "\n") };
}

int statement_prepare(struct sqlite3 *db, const char *name, struct sqlite3_stmt **out,
		      struct err *err)
{
	const char *p = (const char *)asset_store_statements_sql;

	while ((p = next_name(p)))
		if (str_is(name_at(p), name))
			return sql_prepare(db, p + name_at(p).n, out, err);
	assert(p); /* a test prepares every statement */
	return err_set(err, ERR_IO, "no statement '%s'", name);
}

/* Ends the statement. */
static int run_one(struct sqlite3_stmt *stmt, const char *run, struct err *err)
{
	sqlite3_bind_text(stmt, sqlite3_bind_parameter_index(stmt, ":run"), run, -1,
			  SQLITE_STATIC);
	int rc = sql_step(stmt, err);
	sqlite3_finalize(stmt);
	return rc;
}

int statement_run(struct sqlite3 *db, const char *name, const char *run, struct err *err)
{
	struct sqlite3_stmt *stmt;

	return statement_prepare(db, name, &stmt, err) < 0 ? -1 : run_one(stmt, run, err);
}

int statements_run(struct sqlite3 *db, const char *prefix, const char *run,
		   struct err *err)
{
	const char *p = (const char *)asset_store_statements_sql;
	struct sqlite3_stmt *stmt;

	while ((p = next_name(p)))
		if (str_starts_with(name_at(p), str_of(prefix)) &&
		    (sql_prepare(db, p + name_at(p).n, &stmt, err) < 0 ||
		     run_one(stmt, run, err) < 0))
			return -1;
	return 0;
}
