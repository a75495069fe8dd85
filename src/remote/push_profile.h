/* The row of `profile` of a push, which is sent last: with it the push is seen. */
#ifndef PTOOL_REMOTE_PUSH_PROFILE_H
#define PTOOL_REMOTE_PUSH_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "remote/http.h"
#include "remote/push_file.h"
#include "remote/tables.h"

struct sqlite3;

/* The columns of DDL_PROFILE_OWN, and those of the store's table behind them. */
struct push_profile {
	char *run; /* owned */
	uint64_t run_id, key, push_id, store_key;
	int64_t place, largest_sum;
	bool is_deleted;
	struct push_file file;
	struct buf counts; /* "op_stat=17 step=3 " */
	struct buf cells;  /* of the other columns; none where it is deleted */
	uint64_t nrows;    /* of all tables */
	bool is_too_large; /* not all counts are there: it cannot be pushed */
};

/* Zeroed: copies the name.  push_profile_release() frees what is in it. */
void push_profile_init(struct push_profile *p, const char *run);
void push_profile_release(struct push_profile *p);
/* So many rows of `what`. */
void push_profile_count(struct push_profile *p, const char *what, uint64_t nrows);
/* So many of the rows of `what` that were counted, of one grain: "op_stat.0=17". */
void push_profile_count_grain(struct push_profile *p, const char *what, int64_t grain,
			      int64_t nrows);
/* The same of a summary, whose rows were made by those rules. */
void push_profile_count_part(struct push_profile *p, const char *what, uint64_t nrows,
			     int rules);
/* What the store says of the profile: largest_sum and the cells of `table`. */
int push_profile_read(struct push_profile *p, const struct remote_table *table,
		      struct sqlite3 *db, int64_t id, struct err *err);
/* Gives the next one, borrowed until it is asked again; NULL: that was the last. */
struct push_profile_source {
	const struct push_profile *(*next)(void *from);
	void *from;
};
/*
 * All in one INSERT, a piece at a time.  `table`: the other columns that each has cells of.
 * -1 with an ERR_INPUT, and nothing is seen: one of them is too large.
 */
int push_profiles(struct http *http, const struct remote_table *table,
		  const struct push_profile_source *source, struct err *err);
/* Nanoseconds since 1970. */
int64_t push_clock_ns(void);

#endif
