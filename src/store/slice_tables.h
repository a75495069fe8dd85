/*
 * The tables that have a row for each slice, or for each sample of sampled stacks: what a
 * store of summaries leaves out (profile.has_slices).
 */
#ifndef PTOOL_STORE_SLICE_TABLES_H
#define PTOOL_STORE_SLICE_TABLES_H

#include <stdbool.h>

#include "base/err.h"

struct sqlite3;

/* Pure. */
bool slice_table_is(const char *table);
/* Deletes what the run has in them, and says so in its profiles. */
int slice_tables_leave_out(struct sqlite3 *db, const char *run, struct err *err);

#endif
