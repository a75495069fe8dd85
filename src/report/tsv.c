/*
 * Tab-separated values with raw numbers: one line a row, for cut, awk and sort.
 * There is no quoting; what would break a line is escaped as PostgreSQL's COPY
 * does it: \t, \n, \r and \\.  Null is nothing.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/units.h"
#include "report/renderer.h"

/* The letter behind the backslash, or 0 when the byte stands for itself. */
static char escape_of(char c)
{
	switch (c) {
	case '\t':
		return 't';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\\':
		return '\\';
	default:
		return 0;
	}
}

static void write_text(FILE *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		char escape = escape_of(text.p[i]);
		if (escape)
			putc('\\', out);
		putc(escape ? escape : text.p[i], out);
	}
}

static void write_cell(FILE *out, enum unit unit, const struct cell *cell)
{
	char room[UNITS_TEXT_MAX];

	if (cell->type == CELL_TEXT) {
		write_text(out, cell->as.text);
		return;
	}
	struct str number = units_raw(unit, *cell, room);
	fwrite(number.p, 1, number.n, out);
}

static int tsv_render(struct table *t, const struct render_opts *opts, FILE *out,
		      struct err *err)
{
	struct cell *cells = xcalloc(t->ncolumns, sizeof(*cells));
	int rc = 0;

	(void)opts;
	for (size_t i = 0; i < t->ncolumns; i++) {
		if (i)
			putc('\t', out);
		write_text(out, str_of(t->columns[i].name));
	}
	putc('\n', out);
	while (!ferror(out) && (rc = t->next(t, cells, err)) > 0) {
		for (size_t i = 0; i < t->ncolumns; i++) {
			if (i)
				putc('\t', out);
			write_cell(out, t->columns[i].unit, &cells[i]);
		}
		putc('\n', out);
	}
	free(cells);
	return rc < 0 ? -1 : render_end(out, err);
}

const struct renderer tsv_renderer = {
	.name = "tsv",
	.help = "tab-separated values with raw numbers",
	.suffix = "tsv",
	.render = tsv_render,
};
