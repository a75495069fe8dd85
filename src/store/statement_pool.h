/*
 * Prepared statements that are used again: views ask the same question of each profile, and
 * preparing it takes several times as long as reading its few rows.
 */
#ifndef PTOOL_STORE_STATEMENT_POOL_H
#define PTOOL_STORE_STATEMENT_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct sqlite3;
struct sqlite3_stmt;

/* A zeroed one is empty. */
struct statement_pool {
	struct pooled_statement {
		const char *sql; /* borrowed; compared by its address */
		struct sqlite3_stmt *stmt;
		bool is_taken;
	} * items; /* owned */
	size_t n, cap;
};

/*
 * A statement without bindings, before its first row.  The text lives as long as the pool.
 * statement_pool_give() takes it back; on failure *out is NULL.
 */
int statement_pool_take(struct statement_pool *pool, struct sqlite3 *db, const char *sql,
			struct sqlite3_stmt **out, struct err *err);
/* Accepts NULL. */
void statement_pool_give(struct statement_pool *pool, struct sqlite3_stmt *stmt);
/* All must have been given back. */
void statement_pool_release(struct statement_pool *pool);

#endif
