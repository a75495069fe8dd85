/* Prepared statements that are used again: see statement_pool.h. */
#include "store/statement_pool.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "store/sql.h"

int statement_pool_take(struct statement_pool *pool, struct sqlite3 *db, const char *sql,
			struct sqlite3_stmt **out, struct err *err)
{
	for (size_t i = 0; i < pool->n; i++) {
		struct pooled_statement *item = &pool->items[i];
		if (item->sql != sql || item->is_taken)
			continue;
		item->is_taken = true;
		*out = item->stmt;
		return 0;
	}
	if (sql_prepare(db, sql, out, err) < 0)
		return -1;
	*ARRAY_PUSH(pool->items, pool->n, pool->cap) =
		(struct pooled_statement){ .sql = sql, .stmt = *out, .is_taken = true };
	return 0;
}

void statement_pool_give(struct statement_pool *pool, struct sqlite3_stmt *stmt)
{
	size_t i = 0;

	if (!stmt)
		return;
	while (i < pool->n && pool->items[i].stmt != stmt)
		i++;
	assert(i < pool->n && pool->items[i].is_taken);
	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt); /* texts are borrowed from who bound them */
	pool->items[i].is_taken = false;
}

void statement_pool_release(struct statement_pool *pool)
{
	for (size_t i = 0; i < pool->n; i++)
		sqlite3_finalize(pool->items[i].stmt);
	free(pool->items);
	*pool = (struct statement_pool){ .n = 0 };
}
