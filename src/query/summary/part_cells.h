/*
 * Cells of a view's rows as columns of its summary, and back: for views whose rows are made
 * profile by profile, and stored as they are.
 */
#ifndef PTOOL_QUERY_PART_CELLS_H
#define PTOOL_QUERY_PART_CELLS_H

#include "base/part_rows.h"

enum part_cell_kind {
	PART_CELL_INT,
	PART_CELL_INT_OR_NULL,
	PART_CELL_REAL, /* or null */
	PART_CELL_TEXT  /* likewise */
};

struct part_cell {
	int cell, column;
	enum part_cell_kind kind;
};

/* The columns of the map from the cells of a row; texts are copied. */
void part_cells_put(const struct part_cell *map, size_t n, const struct cell *row,
		    struct part_rows *rows, struct cell *columns);
/* The other way; false when a column is not of its kind.  Texts are borrowed. */
bool part_cells_get(const struct part_cell *map, size_t n, const struct cell *columns,
		    struct cell *row);

/*
 * A number, or the text that stands for it where there is none: two columns, of which the
 * second is behind the first.
 */
void part_name_put(struct cell name, int column, struct part_rows *rows,
		   struct cell *columns);
/* The number or text that it put into the columns. */
struct cell part_name_get(int column, const struct cell *columns);

#endif
