/*
 * How the two roads of top.h fill its rows: groups of calls, found by what rows
 * are told apart by.  Inside query/ only.
 */
#ifndef PTOOL_QUERY_TOP_ROWS_H
#define PTOOL_QUERY_TOP_ROWS_H

#include "query/slices/slice_ops.h"
#include "query/top/top.h"

/* Not recorded, as a value of a split. */
#define SPLIT_NONE INT64_MIN

/* Where some calls belong; only what query->by asks for is looked at. */
struct top_place {
	const struct scope_profile *profile;
	uint32_t shapes, stack, overload; /* texts, or TEXT_NONE */
	int64_t split[NTOP_SPLITS];
};

/*
 * Adds calls to their group, whose number in rows->stats.rows it returns.  Of
 * stat->key only name, kind and is_annotation count.
 */
uint32_t top_add(struct top_rows *rows, const struct top_query *query,
		 const struct top_place *place, const struct opstat *stat);

/* The number of the group alone, which is made when there is none. */
uint32_t top_row(struct top_rows *rows, const struct top_query *query,
		 const struct top_place *place, const struct opstat_key *key);

/* The roads.  0, or -1 with err set. */
int top_load_summaries(struct store *store, const struct scope *scope,
		       const struct top_query *query, struct top_rows *rows,
		       struct err *err);
int top_load_slices(struct store *store, const struct scope *scope,
		    const struct top_query *query, struct top_rows *rows,
		    struct err *err);

/* top_sort.c: the rows to show, from all of them; sets the totals too. */
int top_order(struct top_rows *rows, const struct scope *scope,
	      const struct top_query *query, struct err *err);

#endif
