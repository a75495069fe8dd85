/* Rows for charts: see report_rows.h. */
#include "cli/report_rows.h"

#include <string.h>

#include "base/units.h"
#include "cli/table_command.h"

int report_rows_take(struct report_rows *r, struct table *t, struct err *err)
{
	r->columns = arena_alloc(&r->arena, (t->ncolumns + 1) * sizeof(*r->columns));
	for (size_t i = 0; i < t->ncolumns; i++) {
		r->columns[i] = t->columns[i];
		r->columns[i].name = arena_strdup(&r->arena, t->columns[i].name);
	}
	r->rows = memtable_new(r->columns, t->ncolumns);
	return memtable_add_table(r->rows, t, err);
}

static int use(void *to, struct table *t, struct err *err)
{
	return report_rows_take(to, t, err) < 0 ? -1 : 1;
}

int report_rows_load(struct report_rows *r, const char *line,
		     const struct reading *reading, struct err *err)
{
	const struct table_use with = { use, r };
	struct err why = ERR_INIT;

	*r = (struct report_rows){ .rows = NULL };
	if (table_command_use(line, reading, &with, &why) >= 0)
		return 0;
	*err = why;
	return -1;
}

void report_rows_release(struct report_rows *r)
{
	if (r->rows)
		table_free(&r->rows->table);
	arena_release(&r->arena);
	*r = (struct report_rows){ .rows = NULL };
}

size_t report_rows_count(const struct report_rows *r)
{
	return r->rows ? r->rows->nrows : 0;
}

struct cell report_cell(const struct report_rows *r, size_t row, const char *column)
{
	for (size_t i = 0; i < r->rows->table.ncolumns; i++)
		if (strcmp(r->columns[i].name, column) == 0)
			return memtable_row(r->rows, row)[i];
	return cell_null();
}

int64_t report_int(const struct report_rows *r, size_t row, const char *column)
{
	struct cell cell = report_cell(r, row, column);

	return cell.type == CELL_INT ? cell.as.integer : 0;
}

struct str report_text(struct report_rows *r, size_t row, const char *column)
{
	struct cell cell = report_cell(r, row, column);
	char number[UNITS_TEXT_MAX];

	if (cell.type == CELL_TEXT)
		return cell.as.text;
	return arena_copy(&r->arena, units_raw(UNIT_COUNT, cell, number));
}
