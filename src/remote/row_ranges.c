/* Rows of profiles in tables without an index: see row_ranges.h. */
#include "remote/row_ranges.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "store/sql.h"

#define SQL_MAX ((size_t)4 << 10)

enum { COLUMN_PROFILE, COLUMN_FIRST, COLUMN_LAST };

static int next_range(struct row_range *range, struct err *err)
{
	int rc = sql_step(range->stmt, err);

	range->is_at_row = rc > 0;
	if (rc <= 0)
		return rc;
	range->profile_id = sqlite3_column_int64(range->stmt, COLUMN_PROFILE);
	range->first = sqlite3_column_int64(range->stmt, COLUMN_FIRST);
	range->last = sqlite3_column_int64(range->stmt, COLUMN_LAST);
	return 0;
}

static int open_range(const struct remote_table *table, struct sqlite3 *db,
		      struct row_range *out, struct err *err)
{
	struct buf sql;

	buf_init(&sql, SQL_MAX);
	buf_addf(&sql,
		 "SELECT profile_id, min(%s), max(%s) FROM %s GROUP BY profile_id "
		 "ORDER BY profile_id",
		 table->key, table->key, table->name);
	int rc = sql_prepare(db, sql.p, &out->stmt, err);
	buf_release(&sql);
	return rc < 0 ? -1 : next_range(out, err);
}

int row_ranges_open(const struct remote_tables *tables, struct sqlite3 *db,
		    struct row_ranges *out, struct err *err)
{
	int rc = 0;

	*out = (struct row_ranges){ tables, xcalloc(tables->n, sizeof(*out->items)) };
	for (size_t i = 0; rc == 0 && i < tables->n; i++)
		if (!tables->items[i].has_index && !tables->items[i].is_part)
			rc = open_range(&tables->items[i], db, &out->items[i], err);
	return rc;
}

void row_ranges_close(struct row_ranges *ranges)
{
	for (size_t i = 0; ranges->items && i < ranges->tables->n; i++)
		sqlite3_finalize(ranges->items[i].stmt);
	free(ranges->items);
	*ranges = (struct row_ranges){ 0 };
}

int row_ranges_seek(struct row_ranges *ranges, int64_t profile_id, struct err *err)
{
	for (size_t i = 0; i < ranges->tables->n; i++) {
		struct row_range *range = &ranges->items[i];
		while (range->is_at_row && range->profile_id < profile_id)
			if (next_range(range, err) < 0)
				return -1;
	}
	return 0;
}

static void bind_id(struct sqlite3_stmt *stmt, const char *what, const char *table,
		    int64_t id)
{
	char name[64];

	snprintf(name, sizeof(name), ":%s_%s", what, table);
	int at = sqlite3_bind_parameter_index(stmt, name);
	if (at)
		sqlite3_bind_int64(stmt, at, id);
}

void row_ranges_bind(const struct row_ranges *ranges, int64_t profile_id,
		     struct sqlite3_stmt *stmt)
{
	for (size_t i = 0; i < ranges->tables->n; i++) {
		const struct row_range *range = &ranges->items[i];
		if (!range->is_at_row || range->profile_id != profile_id)
			continue; /* NULL */
		bind_id(stmt, "first", ranges->tables->items[i].name, range->first);
		bind_id(stmt, "last", ranges->tables->items[i].name, range->last);
	}
}
