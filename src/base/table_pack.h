/*
 * A table, and those below it, as bytes: for a process that asks a question and the one
 * that shows the answer.  Both are the same program at the same moment, so nothing of it
 * is a file format.
 */
#ifndef PTOOL_BASE_TABLE_PACK_H
#define PTOOL_BASE_TABLE_PACK_H

#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "base/table.h"

/* Pulls every row.  0, or -1 with err set: the table's failure, or an ERR_IO. */
int table_pack(struct table *t, FILE *out, struct err *err);
/*
 * The tables again; of their fields what fits columns to a line.  The caller frees them;
 * the bytes may go before.  NULL with err set where bytes are missing.
 */
struct table *table_unpack(struct str bytes, struct err *err);

#endif
