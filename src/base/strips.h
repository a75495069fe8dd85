/*
 * Rows of cells over one axis of time: what people's tables draw in place of rows of
 * numbers, where a table has them.
 */
#ifndef PTOOL_BASE_STRIPS_H
#define PTOOL_BASE_STRIPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* What covers cells. */
struct strip_kind {
	const char *name; /* in the legend; NULL: it is explained elsewhere */
	char letter;
	uint8_t color; /* of a terminal's 256 */
};

struct strip_cell {
	double share;    /* of the cell that is covered: 0 to 1 */
	struct str name; /* of what covers most; may be empty */
	uint8_t kind;    /* place in kinds, when share is above 0 */
};

struct strip {
	struct str label; /* safe to print */
	const struct strip_cell *cells;
};

/* All borrowed; they live as long as the table. */
struct strips {
	const struct strip *items;
	size_t n, ncells;
	size_t label_cells;
	const struct strip_kind *kinds;
	size_t nkinds;
	int64_t from_ns, to_ns; /* of the axis: from < to */
	const char *legend;     /* begins the line of the kinds that are drawn */
};

#endif
