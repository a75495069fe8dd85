/*
 * Where the rows of a profile are in the tables of a store that have no index for that:
 * each is looked at once, not once for each profile.
 */
#ifndef PTOOL_REMOTE_ROW_RANGES_H
#define PTOOL_REMOTE_ROW_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "remote/tables.h"

struct sqlite3;
struct sqlite3_stmt;

/* Of a table: the rows of the profile that the statement is at. */
struct row_range {
	struct sqlite3_stmt *stmt; /* owned; NULL: the table has an index */
	int64_t profile_id, first, last;
	bool is_at_row;
};

struct row_ranges {
	const struct remote_tables *tables; /* borrowed */
	struct row_range *items;            /* owned; of each table */
};

/* row_ranges_close() in both cases. */
int row_ranges_open(const struct remote_tables *tables, struct sqlite3 *db,
		    struct row_ranges *out, struct err *err);
void row_ranges_close(struct row_ranges *ranges);
/* Goes to this profile, from one with a smaller id or from itself. */
int row_ranges_seek(struct row_ranges *ranges, int64_t profile_id, struct err *err);
/*
 * Gives the statement's parameters ":first_TABLE" and ":last_TABLE" the ids of the first
 * and the last row of the profile that was sought; NULL where it has none.
 */
void row_ranges_bind(const struct row_ranges *ranges, int64_t profile_id,
		     struct sqlite3_stmt *stmt);

#endif
