/*
 * A user's own SQL on a store: statements one after another, parameters by
 * name, each result a struct table.  Nothing in it can change the store.
 */
#ifndef PTOOL_QUERY_USER_SQL_H
#define PTOOL_QUERY_USER_SQL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "base/table.h"
#include "store/store.h"

struct user_sql;

struct user_sql_limits {
	/*
	 * That the query may take, the rows of a result for people included, for they are
	 * collected; 0: as many as there are.  ERR_IO then, as when the machine has no more.
	 */
	int64_t memory_bytes;
	bool keeps_results; /* the rows of one are collected still when the next is */
	/* That SQLite may write to files without a name; 0: no limit.  ERR_IO then. */
	int64_t file_bytes;
	/* From user_sql_open() on; 0: as long as it takes.  ERR_USAGE then. */
	int64_t seconds;
	/*
	 * Borrowed, or NULL: set while SQLite runs, which looks at the clock between its
	 * steps, but not while it reads a statement or is within one call of a function.
	 */
	volatile sig_atomic_t *is_running;
};

/*
 * Prepares every statement of the text, which must outlive *out.  ERR_USAGE, at
 * the byte of the text where SQLite says so: a mistake in it, a statement that
 * would write, a function or pragma that is not allowed (sql_guard.h), or no
 * statement at all.  *out is NULL on failure.  It takes memory and time from here on.
 */
int user_sql_open(struct store *store, const char *text,
		  const struct user_sql_limits *limits, struct user_sql **out,
		  struct err *err);
/* Accepts NULL; before the store is closed. */
void user_sql_close(struct user_sql *q);

/*
 * Binds :name, @name and $name in all statements, as a number where the value
 * looks like one.  ERR_USAGE when no statement has it.
 */
int user_sql_bind(struct user_sql *q, struct str name, const char *value,
		  struct err *err);
/* ERR_USAGE names a parameter that has no value yet. */
int user_sql_check_bound(const struct user_sql *q, struct err *err);

/* How many statements give a result. */
size_t user_sql_nresults(const struct user_sql *q);
/*
 * Runs on to the first result: 1, and a table (the caller's), which has the next as its
 * `more` when all its rows were pulled; 0 when all has run; -1.  `units`: columns named
 * *_ns, *_bytes and *_pct carry their unit, which for people would scale the numbers; and
 * rows are not collected.
 */
int user_sql_next(struct user_sql *q, bool units, struct table **out, struct err *err);

#endif
