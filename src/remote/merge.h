/* The operator table's sums over many pushes, added up in the database.  Inside remote/ only. */
#ifndef PTOOL_REMOTE_MERGE_H
#define PTOOL_REMOTE_MERGE_H

#include "base/buf.h"
#include "remote/tables.h"

/*
 * How each column of op_stat is added up over the rows of one group, and what makes a
 * group, as SQL with ',' between them.
 */
void merge_aggregates(const struct remote_table *op_stat, unsigned grain, struct buf *to);
void merge_keys(const struct remote_table *op_stat, unsigned grain, struct buf *to);

#endif
