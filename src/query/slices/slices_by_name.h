/*
 * Slices in the order of their names, for a user's query that groups or sorts them by it.
 * SQLite would sort the texts, millions of which are equal: here numbers are sorted.
 *
 * While it is offered, the virtual table temp.slice stands before the store's view `slice`,
 * with the same columns.  It takes part in a statement only where that wants slices in the
 * order of names, and of other columns only those that slice_row has for each slice as the
 * view shows them (dur, self_ns, track_id, ...); SQLite refuses to prepare any other
 * statement on it, which then is for the view.
 */
#ifndef PTOOL_QUERY_SLICES_BY_NAME_H
#define PTOOL_QUERY_SLICES_BY_NAME_H

#include <stdbool.h>
#include <stdint.h>

struct sqlite3;

struct slices_by_name {
	struct sqlite3 *db;   /* borrowed; NULL: nothing is offered */
	int64_t memory_bytes; /* of which it may take half; 0: no limit */
	bool is_used;         /* SQLite has found a use for it since then */
};

/*
 * Offers it, if the store has so many slices that it helps, and if there are no large gaps
 * between ids, for which room would be allocated.  `out` must live until
 * slices_by_name_withdraw(), which is called before the connection is closed.  Both are
 * called while no statement runs and no authorizer (sql_guard.h) forbids them.
 */
void slices_by_name_offer(struct sqlite3 *db, int64_t memory_bytes,
			  struct slices_by_name *out);
/* The name `slice` is the view's again.  Accepts what is not offered. */
void slices_by_name_withdraw(struct slices_by_name *s);

#endif
