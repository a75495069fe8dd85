/*
 * How the two roads of top.h fill its rows: groups of calls, found by what rows
 * are told apart by.  Inside query/ only.
 */
#ifndef PTOOL_QUERY_TOP_ROWS_H
#define PTOOL_QUERY_TOP_ROWS_H

#include "query/kernels/tensor_core.h"
#include "query/slices/slice_ops.h"
#include "query/top/top.h"

/* Not recorded, as a value of a split. */
#define SPLIT_NONE INT64_MIN

/* Where some calls belong; only what the query asks for is looked at. */
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

/*
 * Behind the summaries: the device time of replayed kernels goes from the operator that
 * launched their graph to the ones that captured them, which may have no call here.
 */
int top_add_captured(struct store *store, const struct scope *scope,
		     const struct top_query *query, struct top_rows *rows,
		     struct err *err);

/* Sums over all rows, as struct top_rows says. */
void top_add_totals(struct top_rows *rows, const struct filter *filter);
/*
 * Behind that, of printed tables: the totals that all of them name.  The sums are less in
 * a table cut to its first rows, and more where it does not tell a label's span on the
 * device from work there.  0, or -1.
 */
int top_add_printed_totals(struct store *store, struct top_rows *rows, struct err *err);
/* top_table.c: the rows to show, from all of them. */
int top_order(struct top_rows *rows, const struct top_query *query, struct err *err);

/*
 * The Tensor Core columns: how much of a row's device time, its own and that of all below
 * it, ran kernels whose names say Tensor Cores or do not say it, and whether its operators
 * could use them (query/kernels/tensor_core.h).  The same operator tree as for all other
 * columns, with the device time of those kernels alone.
 */

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

/*
 * top_tensor.c: what the time of a profile's kernels is charged to that use Tensor
 * Cores, or of which it is not known: the operators that they were launched for, and
 * without one the innermost label around the launch, as the operator table charges all
 * device work.
 */
struct tensor_charge {
	int64_t slice_id;
	struct tensor_core_times times;
	bool is_launch; /* the slice is the launch, and the label around it is charged */
};

struct tensor_charges {
	struct tensor_charge *items; /* owned; by slice_id, several for one slice too */
	size_t n, cap;
};

/*
 * `capability`: that of the devices, as tensor_core_kernel() has it.
 * tensor_charges_release() in both cases; it accepts a zeroed one.
 */
int tensor_charges_load(struct store *store, const struct scope_profile *profile,
			struct text_pool *texts, int capability,
			struct tensor_charges *out, struct err *err);
void tensor_charges_release(struct tensor_charges *c);

/* The place of the first one for that slice or a later one. */
size_t tensor_charges_from(const struct tensor_charges *c, int64_t slice_id);

#endif
