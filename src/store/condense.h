/*
 * The store of a baseline, smaller still: of the operators of each step (op_stat, grain 2)
 * it keeps what they add up to within all steps (grain 3), in small pages.
 */
#ifndef PTOOL_STORE_CONDENSE_H
#define PTOOL_STORE_CONDENSE_H

#include "base/err.h"

struct sqlite3;

/* Of one that is being written, in a transaction, which is committed.  0, or -1 with err set. */
int store_condense(struct sqlite3 *db, struct err *err);

#endif
