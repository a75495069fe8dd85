/* Names of columns for formats in which each is another. */
#ifndef PTOOL_REPORT_TABLE_KEYS_H
#define PTOOL_REPORT_TABLE_KEYS_H

#include "base/arena.h"
#include "base/table.h"

/*
 * One distinct key a column, in the arena, valid UTF-8: the column's name, and where it
 * was taken by an earlier column, with _2, _3, ... behind it.
 */
const char **table_keys(struct arena *arena, const struct table *t);

#endif
