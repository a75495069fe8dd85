/*
 * Which columns of a table for people fit a line: those that matter least leave, until
 * names have a readable width.
 */
#ifndef PTOOL_QUERY_FIT_COLUMNS_H
#define PTOOL_QUERY_FIT_COLUMNS_H

#include <stddef.h>

#include "base/buf.h"
#include "base/table.h"

struct fit_column {
	struct column column;
	int id;       /* the caller's */
	int leaves;   /* the largest number leaves first; 0 stays */
	size_t least; /* cells it needs, of a column of text; 0: as its heading */
};

/*
 * Keeps those that fit in `width` cells (0: all of them) in their order; their number.
 * Appends the titles of the others to `left`: "Min, Max".
 */
size_t fit_columns(struct fit_column *columns, size_t n, int width, struct buf *left);

#endif
