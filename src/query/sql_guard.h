/*
 * What a user's query may use of SQLite: listed functions and pragmas, and
 * nothing that writes; for how long it may run, and how much memory it may take.
 */
#ifndef PTOOL_QUERY_SQL_GUARD_H
#define PTOOL_QUERY_SQL_GUARD_H

#include <stdbool.h>
#include <stdint.h>

/* One value may take this part of the memory: it is copied on its way to the output. */
#define SQL_GUARD_VALUE_SHARE 8

struct sqlite3;
struct store;

struct sql_guard {
	struct store *store; /* borrowed: what it has not may not be read */
	const char
		*kind; /* "function" or "PRAGMA" that was refused last; NULL: none was */
	char name[64]; /* its name, cut */
	int64_t limit_s, deadline_ns; /* 0: no limit */
	bool is_late;                 /* the deadline ended a statement */
	int64_t memory_bytes;         /* 0: no limit */
};

/*
 * From now on SQLite asks `g`, which begins as { 0 } and must live until
 * sql_guard_unset() or sql_guard_remove(), of each statement that is prepared.
 */
void sql_guard_set(struct sql_guard *g, struct store *store);
/* It is not asked; limits stay. */
void sql_guard_unset(struct sqlite3 *db);
/* 0: without a limit.  Else statements end with SQLITE_INTERRUPT when `limit_s` seconds from now have passed. */
void sql_guard_limit(struct sql_guard *g, struct sqlite3 *db, int64_t limit_s);
/* Between statements and rows, where SQLite does not ask: has that time passed? */
bool sql_guard_is_late(struct sql_guard *g);
/*
 * SQLite may take so many bytes, in the whole program, and one value a share of them;
 * statements end with SQLITE_NOMEM or SQLITE_TOOBIG when that is not enough.
 */
void sql_guard_limit_memory(struct sql_guard *g, struct sqlite3 *db, int64_t bytes);
void sql_guard_remove(struct sqlite3 *db);

#endif
