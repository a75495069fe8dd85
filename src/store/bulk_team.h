/*
 * Threads that make records of rows for the one that writes them: stretches of a
 * table, each by whoever has nothing to do, handed over in order.  What is written is
 * the same for any number of threads.
 */
#ifndef PTOOL_STORE_BULK_TEAM_H
#define PTOOL_STORE_BULK_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/bulk.h"
#include "store/record.h"

struct bulk_team;

/*
 * What else is to be done: begin() by one thread, which says how many parts follow; the
 * parts by any threads; end() by one when all parts are done.
 */
struct bulk_job {
	size_t (*begin)(void *to);
	void (*part)(void *to, size_t i);
	void (*end)(void *to);
	void *to;
};

/*
 * `froms`: of the caller's thread, and of n others, which may be fewer; borrowed.
 * `job`, borrowed, is done by the others before they help; by the caller where there are
 * none.  NULL: nothing.
 */
struct bulk_team *bulk_team_new(const void *const *froms, unsigned n,
				const struct bulk_job *job);
/* Waits for the job.  Accepts NULL. */
void bulk_team_free(struct bulk_team *team);
/* Until the job is done; helps with it. */
void bulk_team_wait(struct bulk_team *team);

/* Who takes one record after the other; -1 with err set ends it. */
struct bulk_taker {
	int (*take)(void *to, int64_t id, struct str record, struct err *err);
	void *to;
};

/*
 * All rows of a table to the taker, in order; `first_id` is the next free one.  Rows that
 * have no seek() are made by the caller's thread alone.  0, or -1 with err set.
 */
int bulk_team_rows(struct bulk_team *team, const struct bulk *bulk, int64_t nrows,
		   int64_t first_id, const struct bulk_taker *taker, struct err *err);

#endif
