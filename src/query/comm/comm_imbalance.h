/*
 * ptool comm --imbalance: how evenly the work of experts is spread over ranks.
 *
 * Kernels of experts (family moe of ptool-kernels(1)) that no communication parts are a
 * call: of dispatch and combine around them, or of what else ends a layer.  Ranks of one
 * stage with equally many calls share them, the k-th of each; of others the totals are
 * compared.
 */
#ifndef PTOOL_QUERY_COMM_IMBALANCE_H
#define PTOOL_QUERY_COMM_IMBALANCE_H

#include "query/comm/comm.h"

extern const struct view comm_imbalance_view;
/* view_request.asked: the columns that rows by `by` have. */
unsigned comm_imbalance_columns(enum comm_by by);

/* By collective: a row for each stage; by rank; or single ones.  -1 as comm_open(). */
int comm_imbalance_open(struct store *store, const struct scope *scope,
			const struct comm_request *request, struct table **out,
			struct err *err);

#endif
