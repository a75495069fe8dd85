/*
 * Running the SQL of views/ on a store: prepared from the embedded file, with
 * parameters bound by name, so that nothing is ever formatted into it.
 */
#ifndef PTOOL_QUERY_QUERY_H
#define PTOOL_QUERY_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/asset.h"
#include "base/err.h"
#include "base/memtable.h"
#include "base/spelt.h"
#include "base/sum.h"
#include "base/table.h"
#include "store/sql.h"
#include "store/store.h"
#include "trace/fact.h"

struct scope_profile;

ASSET(asset_query_views_callgraph_count_sql);
ASSET(asset_query_views_callgraph_edges_sql);
ASSET(asset_query_views_callgraph_functions_sql);
ASSET(asset_query_views_callgraph_jprofile_sql);
ASSET(asset_query_views_callgraph_range_sql);
ASSET(asset_query_views_callgraph_rows_sql);
ASSET(asset_query_views_finding_sql);
ASSET(asset_query_views_info_sql);
ASSET(asset_query_views_run_names_sql);
ASSET(asset_query_views_sample_nodes_sql);
ASSET(asset_query_views_sample_rows_sql);
ASSET(asset_query_views_sample_row_count_sql);
ASSET(asset_query_views_sample_series_sql);
ASSET(asset_query_views_sample_sums_sql);
ASSET(asset_query_views_sample_threads_sql);
ASSET(asset_query_views_scope_sql);
ASSET(asset_query_views_slice_classes_sql);
ASSET(asset_query_views_slice_rows_sql);
ASSET(asset_query_views_slice_steps_sql);
ASSET(asset_query_views_slice_tracks_sql);
ASSET(asset_query_views_string_count_sql);
ASSET(asset_query_views_string_order_sql);
ASSET(asset_query_views_string_text_sql);

/*
 * Whether the store's file has room for n rows of so many bytes each, or more: what is
 * allocated for rows that a store only says it has.  0, or -1 with err set.
 */
int query_rows_fit(struct store *store, int64_t n, int64_t row_bytes, bool *out,
		   struct err *err);

/*
 * Counts the names of a function, where they are long: a store has a text once, and functions
 * that share one of 1 MB are written with it, each.  `is_known`: the function was counted, of
 * another profile, and is only read once more.  ERR_INPUT where all of them have more than
 * LIMITS of ptool-formats(5) allows.
 */
int query_take_names(struct store *store, struct str file, struct str name, bool is_known,
		     struct spelt *taken, struct err *err);

/*
 * Does each slice of the profile belong to one track alone?  For who reads slices by their
 * tracks, which would read them once for each.  0, or -1 with err set.
 */
int query_check_tracks(struct store *store, const struct scope_profile *profile,
		       struct err *err);

/* Sets ERR_INPUT: `what` of the store ("slices") do not fit together.  Returns -1. */
int query_damaged(const char *what, struct err *err);

/*
 * Can [first, first + n) be: n is not negative, and its end is an int64?  Times and ids are
 * asked so where a row is read, as a store may hold anything.
 */
static inline bool query_is_range(int64_t first, int64_t n)
{
	return n >= 0 && first <= INT64_MAX - n;
}

/* How far from the first event of its profile a time may lie: half of what an int64 holds. */
#define QUERY_TIME_MAX (INT64_MAX / 2)

/*
 * The same of times, but those of events set apart: the difference of any two is an int64.
 * Where ptool wrote them they lie within days of each other.
 */
static inline bool query_is_time(int64_t start_ns, int64_t dur_ns)
{
	return dur_ns >= 0 && start_ns >= -QUERY_TIME_MAX &&
	       start_ns <= QUERY_TIME_MAX - dur_ns;
}

/* query_is_time() for a slice; one that was set apart needs query_is_range() alone. */
static inline bool query_is_slice_time(int64_t start_ns, int64_t dur_ns, bool is_apart)
{
	return is_apart ? query_is_range(start_ns, dur_ns)
			: query_is_time(start_ns, dur_ns);
}

/* An embedded file with one statement; the caller finalizes *out. */
int query_prepare(struct store *store, const unsigned char *sql,
		  struct sqlite3_stmt **out, struct err *err);
/*
 * The same for who asks it of each profile: it is prepared once, and query_give() takes it
 * back, before the store is closed.
 */
int query_take(struct store *store, const unsigned char *sql, struct sqlite3_stmt **out,
	       struct err *err);
/* Accepts a NULL statement. */
void query_give(struct store *store, struct sqlite3_stmt *stmt);

/*
 * ":name" is among the statement's parameters: anything else is a mistake of the
 * program.  NULL text binds NULL; the text must outlive the statement's run.  Nothing is
 * bound to NULL, which could not be prepared.
 */
void query_bind_int(struct sqlite3_stmt *stmt, const char *name, int64_t value);
void query_bind_text(struct sqlite3_stmt *stmt, const char *name, const char *text);

/* Column `column` of the row the statement stands on; text is borrowed until the next step. */
struct cell query_cell(struct sqlite3_stmt *stmt, int column);
/* The same as an integer; NUMBER_NONE for NULL. */
int64_t query_number(struct sqlite3_stmt *stmt, int column);

/*
 * The rows of a statement, one after the other:
 *
 *	struct query q = query_of_profile(store, sql, profile, err);
 *	while (query_next(&q, err))
 *		q.rc = add_row(to, q.stmt, err);
 *	return query_end(&q);
 */
struct query {
	struct store *store;       /* borrowed */
	struct sqlite3_stmt *stmt; /* taken; NULL: it could not be prepared */
	int rc;                    /* not 0 ends it: 1 enough, -1 with err set */
};

/* Takes the SQL of an asset; query_end() gives it back, also after a failure. */
struct query query_open(struct store *store, const unsigned char *sql, struct err *err);
/* :profile, and the ids of its slices :first and :last, are bound where it has them. */
struct query query_of_profile(struct store *store, const unsigned char *sql,
			      const struct scope_profile *profile, struct err *err);
/* :profiles, which are struct scope's ids. */
struct query query_of_scope(struct store *store, const unsigned char *sql,
			    const char *profiles, struct err *err);
/* :first and :last. */
struct query query_of_range(struct store *store, const unsigned char *sql, int64_t first,
			    int64_t last, struct err *err);
/* On the next row?  False after the last, and when rc is not 0. */
bool query_next(struct query *q, struct err *err);
/* 0, or -1 with err set. */
int query_end(struct query *q);

/*
 * Adds the rows of a statement about :profiles, which are struct scope's ids; cells after
 * its columns are null.  0, or -1 with err set.
 */
int query_rows(struct store *store, const unsigned char *sql, const char *profiles,
	       struct memtable *to, struct err *err);

/* Numbers that may be missing, in tables. */

/* NULL for NUMBER_NONE. */
static inline struct cell number_cell(int64_t number)
{
	return number == NUMBER_NONE ? cell_null() : cell_int(number);
}

/* 100 part / whole; NULL where there is no whole, or its sum stuck (base/sum.h). */
static inline struct cell share_cell(int64_t part, int64_t whole)
{
	return whole > 0 && !sum_is_stuck(whole) ? cell_real(percent_of(part, whole))
						 : cell_null();
}

/* sum / n; NULL of none, and of a sum that stuck. */
static inline struct cell mean_cell(int64_t sum, int64_t n)
{
	return n > 0 && !sum_is_stuck(sum) ? cell_real((double)sum / (double)n)
					   : cell_null();
}

#endif
