/*
 * The Tensor Core columns of the operator table: how much of a row's device time,
 * its own and that of all below it, ran kernels whose names say Tensor Cores or do not
 * say it, and whether its operators could use them (query/kernels/tensor_core.h).  The same operator tree
 * as for all other columns, with the device time of those kernels alone.
 */
#ifndef PTOOL_QUERY_TOP_TENSOR_H
#define PTOOL_QUERY_TOP_TENSOR_H

#include "query/slices/slice_ops.h"
#include "query/top/top_rows.h"

/* By row of the operator table. */
struct top_tensor {
	struct tensor_core_times self, total;
	bool eligible; /* some call: by its name, its kernels, or an operator in it */
};

/*
 * Sets rows->tensor for the rows there are.  The summaries do not know, so slices are
 * read: as little of them as the query allows.
 */
int top_load_tensor(struct store *store, const struct scope *scope,
		    const struct top_query *query, struct top_rows *rows,
		    struct err *err);

/*
 * top_tensor_tree.c: the same for one profile, when names and profiles alone tell rows
 * apart.  1; 0, and nothing done, when it has to be done otherwise; -1 with err set.
 */
int top_tensor_tree(struct store *store, const struct scope_profile *profile,
		    const struct top_query *query, int capability, struct top_rows *rows,
		    struct err *err);
void top_tensor_merge(struct top_tensor *into, const struct top_tensor *from);
/*
 * Adds to a row of the table that is there already; ERR_INPUT when it is not, as the
 * summaries of the store are then not those of its slices.
 */
int top_tensor_add(struct top_rows *rows, const struct top_query *query,
		   const struct top_place *place, const struct opstat_key *key,
		   const struct top_tensor *add, struct err *err);

/* top_slices.c: where a call belongs, and whether the filters let it through. */
struct top_place top_place_of_call(struct top_rows *rows, const struct top_query *query,
				   const struct scope_profile *profile,
				   const struct slice_call *call, bool *is_wanted);

#endif
