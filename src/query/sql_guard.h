/*
 * What a user's query may use of SQLite: listed functions and pragmas, and
 * nothing that writes; and for how long it may run.
 */
#ifndef PTOOL_QUERY_SQL_GUARD_H
#define PTOOL_QUERY_SQL_GUARD_H

#include <stdbool.h>
#include <stdint.h>

struct sqlite3;

struct sql_guard {
	const char
		*kind; /* "function" or "PRAGMA" that was refused last; NULL: none was */
	char name[64]; /* its name, cut */
	int64_t limit_s, deadline_ns; /* 0: no limit */
	bool is_late;                 /* the deadline ended a statement */
};

/*
 * From now on SQLite asks `g`, which must live until sql_guard_remove(), of
 * each statement that the connection prepares.
 */
void sql_guard_set(struct sql_guard *g, struct sqlite3 *db);
/* Statements end with SQLITE_INTERRUPT when `limit_s` seconds from now have passed. */
void sql_guard_limit(struct sql_guard *g, struct sqlite3 *db, int64_t limit_s);
void sql_guard_remove(struct sqlite3 *db);

#endif
