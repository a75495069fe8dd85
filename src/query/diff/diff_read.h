/* The rows of both sides, read from their stores. */
#ifndef PTOOL_QUERY_DIFF_READ_H
#define PTOOL_QUERY_DIFF_READ_H

#include "query/diff/diff.h"

/*
 * To the sums of the sides, once their steps and the metric are known.  ERR_EMPTY: a side
 * never had what was asked for; what the filters alone left out is no error.
 */
int diff_read_rows(struct diff *d, struct err *err);
/* ERR_EMPTY when no row is on both sides, unless the filters chose them. */
int diff_read_check(const struct diff *d, struct err *err);

#endif
