/* Names in boxes of flame graphs, which are often narrower than a table's cells. */
#ifndef PTOOL_QUERY_FLAME_NAME_H
#define PTOOL_QUERY_FLAME_NAME_H

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

/*
 * Adds the name in at most `cells` cells (at least 1): one that does not fit loses its file,
 * line and namespace first, then what short_name_add() cuts.
 */
void flame_name_add(struct buf *out, struct str name, size_t cells);

#endif
