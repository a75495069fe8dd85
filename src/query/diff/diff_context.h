/*
 * Whether two sides can be compared at all: what their recordings have in common, what
 * differs, and what of that alone explains a change.
 */
#ifndef PTOOL_QUERY_DIFF_CONTEXT_H
#define PTOOL_QUERY_DIFF_CONTEXT_H

#include "base/memtable.h"
#include "query/diff/diff.h"

/* Notes below the table: one of what is common, one for each difference. */
int diff_add_context(const struct diff *d, struct memtable *to, struct err *err);

/* diff_shapes.c: a note when operators ran on other shapes. */
int diff_add_shapes(const struct diff *d, struct memtable *to, struct err *err);

#endif
