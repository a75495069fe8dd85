/* Collectives as rows of a table: what `ptool comm` prints, and no profile is added to another. */
#ifndef PTOOL_QUERY_COMM_ROWS_H
#define PTOOL_QUERY_COMM_ROWS_H

#include "query/comm/comm.h"
#include "query/comm/comm_load.h"

struct comm_row;

struct comm_rows {
	struct comm_row *items; /* owned */
	size_t n, cap;
	enum comm_by by;
};

/* Bits for struct view_request's `asked`. */
unsigned comm_rows_columns(enum comm_by by);

/*
 * Rows of a profile: for each group, for each device those that took longest first; or
 * for each call, in the order in which they started on their device.
 */
void comm_rows_add(struct comm_rows *to, const struct scope_profile *profile,
		   const struct comm_profile *from);
/* By axes: when all profiles are there, puts the rows of each place together. */
void comm_rows_fold(struct comm_rows *rows);
void comm_rows_release(struct comm_rows *rows);

struct memtable *comm_rows_table(const struct comm_rows *rows,
				 const struct comm_sources *s, const struct scope *scope,
				 const struct view_request *show);

#endif
