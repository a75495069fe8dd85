/* Cells as columns of a summary: see part_cells.h. */
#include "query/summary/part_cells.h"

static struct cell copy(struct cell cell, struct part_rows *rows)
{
	if (cell.type == CELL_TEXT)
		cell.as.text = arena_copy(&rows->arena, cell.as.text);
	return cell;
}

void part_cells_put(const struct part_cell *map, size_t n, const struct cell *row,
		    struct part_rows *rows, struct cell *columns)
{
	for (size_t i = 0; i < n; i++)
		columns[map[i].column] = copy(row[map[i].cell], rows);
}

bool part_cells_get(const struct part_cell *map, size_t n, const struct cell *columns,
		    struct cell *row)
{
	static const enum cell_type types[] = { [PART_CELL_INT] = CELL_INT,
						[PART_CELL_INT_OR_NULL] = CELL_INT,
						[PART_CELL_REAL] = CELL_REAL,
						[PART_CELL_TEXT] = CELL_TEXT };

	for (size_t i = 0; i < n; i++) {
		struct cell cell = columns[map[i].column];
		bool may_be_null = map[i].kind != PART_CELL_INT;
		if (cell.type != types[map[i].kind] &&
		    !(may_be_null && cell.type == CELL_NULL))
			return false;
		row[map[i].cell] = cell;
	}
	return true;
}

void part_name_put(struct cell name, int column, struct part_rows *rows,
		   struct cell *columns)
{
	columns[column + (name.type == CELL_TEXT)] = copy(name, rows);
}

struct cell part_name_get(int column, const struct cell *columns)
{
	return columns[column].type == CELL_NULL ? columns[column + 1] : columns[column];
}
