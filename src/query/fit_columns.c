/* Columns that fit a line: see fit_columns.h. */
#include "query/fit_columns.h"

#include <stdbool.h>
#include <string.h>

#define GUTTER       2
#define NUMBER_WIDTH 7 /* of 123,456 and 123.456 */

/* Cells that it is likely to take: its heading with a unit, or its numbers. */
static size_t likely_width(const struct fit_column *c)
{
	bool has_unit = c->column.unit != UNIT_COUNT && c->column.unit != UNIT_ID &&
			c->column.unit != UNIT_BOOL && c->column.unit != UNIT_TEXT &&
			!strchr(c->column.title, '%');
	size_t heading = strlen(c->column.title) + (has_unit ? strlen(" (ms)") : 0);

	if (c->least)
		return c->least + GUTTER;
	if (c->column.unit == UNIT_BOOL || c->column.unit == UNIT_TEXT)
		return heading + GUTTER;
	return (heading < NUMBER_WIDTH ? NUMBER_WIDTH : heading) + GUTTER;
}

static size_t first_to_leave(const struct fit_column *columns, size_t n)
{
	size_t found = n;
	int most = 0;

	for (size_t i = 0; i < n; i++)
		if (columns[i].leaves > most) {
			most = columns[i].leaves;
			found = i;
		}
	return found;
}

static bool is_too_wide(const struct fit_column *columns, size_t n, int width)
{
	size_t needed = 0;

	for (size_t i = 0; i < n; i++)
		needed += likely_width(&columns[i]);
	return needed > (size_t)width + GUTTER;
}

/* A share is not the time of the same title. */
static void add_title(struct buf *left, const struct column *c)
{
	bool is_share = c->unit == UNIT_PERCENT && !strchr(c->title, '%');

	buf_addf(left, "%s%s%s", left->n ? ", " : "", c->title, is_share ? " %" : "");
}

size_t fit_columns(struct fit_column *columns, size_t n, int width, struct buf *left)
{
	while (width > 0 && is_too_wide(columns, n, width)) {
		size_t at = first_to_leave(columns, n);
		if (at == n)
			break;
		add_title(left, &columns[at].column);
		n--;
		memmove(&columns[at], &columns[at + 1], (n - at) * sizeof(*columns));
	}
	return n;
}
