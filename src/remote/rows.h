/* Rows of a store's table as RowBinary, a piece at a time: what an INSERT sends. */
#ifndef PTOOL_REMOTE_ROWS_H
#define PTOOL_REMOTE_ROWS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/part_rows.h"
#include "remote/row_ranges.h"
#include "remote/tables.h"

struct sqlite3;
struct sqlite3_stmt;

/* From a statement, or those of a summary. */
struct remote_rows {
	const struct remote_table *table; /* borrowed */
	struct sqlite3_stmt *stmt;     /* owned; its columns are the table's; or NULL: */
	const struct part_rows *parts; /*   these; borrowed */
	uint64_t nrows;                /* that were given */
	bool is_at_row;                /* one is waiting in the statement */
};

/*
 * Those of the profile that the ranges are at, in their order; after it nrows is 0, and is_at_row false where there
 * is none.  remote_rows_close() in both cases.
 */
int remote_rows_open(struct remote_rows *rows, struct sqlite3 *db,
		     const struct row_ranges *ranges, int64_t profile_id,
		     struct err *err);
/* Adds the cells of the next row, one after the other: 1; 0: there is none; -1. */
int remote_rows_next(struct remote_rows *rows, struct buf *to, struct err *err);
void remote_rows_close(struct remote_rows *rows);
/*
 * The cells of the row that the statement is at.  -1 with an ERR_INPUT: the buffer has no
 * room for it.
 */
int remote_rows_put(const struct remote_table *table, struct sqlite3_stmt *stmt,
		    struct buf *to, struct err *err);

/* Those that are sent, each behind the ids of its push. */
struct remote_stream {
	struct remote_rows *rows; /* borrowed */
	uint64_t run_id, push_id;
};
/* As http_request.give of a struct remote_stream. */
int remote_stream_give(void *from, struct buf *piece, struct err *err);

#endif
