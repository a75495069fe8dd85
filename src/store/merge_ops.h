/*
 * Rows of op_stat of many profiles, added up: one in place of each group's, for questions
 * that do not tell the profiles apart.  The group lies with the profile that lists it first,
 * and groups are in that order, which is what reading profile after profile gives; what a
 * group has of its first call is that of the earliest.  src/remote/merge.h lets a database
 * do the same.
 */
#ifndef PTOOL_STORE_MERGE_OPS_H
#define PTOOL_STORE_MERGE_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/bulk.h"

struct merge_ops;

struct merge_ops *merge_ops_new(void);
/* Accepts NULL. */
void merge_ops_free(struct merge_ops *m);
/* A step of the store that is made: those of one number are one step. */
void merge_ops_add_step(struct merge_ops *m, int64_t id, int64_t number);
/*
 * A row, whose ids are those of the store that is made, of a profile that recorded shapes or
 * did not: without inputs and without a record of them are two groups.  False: a sum would pass 64 bits, or
 * there are too many groups; those are to be written and forgotten first.
 */
bool merge_ops_add(struct merge_ops *m, const struct bulk_cell *cells, bool has_shapes);
size_t merge_ops_count(const struct merge_ops *m);
/* The group's row without an id: COL_OP_STAT_N cells. */
void merge_ops_row(const struct merge_ops *m, size_t group, struct bulk_cell *cells);
void merge_ops_forget(struct merge_ops *m);

#endif
