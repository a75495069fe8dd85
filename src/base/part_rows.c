/* Rows of a summary: see part_rows.h. */
#include "base/part_rows.h"

#include <stdlib.h>

#include "base/alloc.h"

void part_rows_init(struct part_rows *rows, const struct part_table *table)
{
	*rows = (struct part_rows){ .table = table, .rules = table->rules };
}

void part_rows_release(struct part_rows *rows)
{
	free(rows->cells);
	arena_release(&rows->arena);
	*rows = (struct part_rows){ .table = rows->table };
}

struct cell *part_rows_add(struct part_rows *rows)
{
	size_t width = (size_t)rows->table->ncolumns;

	if (rows->n == PART_ROWS_MOST || rows->is_too_many) {
		rows->is_too_many = true;
		rows->n = 0;
		return NULL;
	}
	rows->cells = xgrow(rows->cells, &rows->cap, (rows->n + 1) * width,
			    sizeof(*rows->cells));
	struct cell *row = rows->cells + rows->n++ * width;
	for (size_t i = 0; i < width; i++)
		row[i] = cell_null();
	return row;
}

struct cell part_rows_bytes(struct part_rows *rows, struct str bytes)
{
	return cell_text(arena_copy(&rows->arena, bytes));
}

struct cell part_rows_text(struct part_rows *rows, const char *text)
{
	return text ? cell_text(arena_copy(&rows->arena, str_of(text))) : cell_null();
}
