/*
 * Tab-separated values with raw numbers: one line a row, for cut, awk and sort.
 * There is no quoting; what would break a line is escaped as PostgreSQL's COPY
 * does it: \t, \n, \r and \\.  Null is nothing.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/units.h"
#include "report/raw_text.h"
#include "report/renderer.h"
#include "report/writer.h"

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

/* What stands between two escapes is written at once. */
static void write_text(struct writer *w, struct raw_text *raw, struct str text)
{
	size_t from = 0;

	if (raw_text_is_formula(raw, text))
		writer_byte(w, '\'');
	for (size_t i = 0; i <= text.n; i++) {
		char escape = 0;
		if (i < text.n)
			escape = escape_of(text.p[i]);
		if (i < text.n && !escape)
			continue;
		if (i > from)
			writer_str(w, raw_text(raw,
					       (struct str){ text.p + from, i - from }));
		if (escape) {
			writer_byte(w, '\\');
			writer_byte(w, escape);
		}
		from = i + 1;
	}
}

static void write_cell(struct writer *w, struct raw_text *raw, enum unit unit,
		       const struct cell *cell)
{
	char room[UNITS_TEXT_MAX];

	if (cell->type == CELL_TEXT) {
		write_text(w, raw, cell->as.text);
		return;
	}
	writer_str(w, units_raw(unit, *cell, room));
}

static int tsv_render(struct table *t, const struct render_opts *opts, FILE *out,
		      struct err *err)
{
	struct cell *cells = xcalloc(t->ncolumns, sizeof(*cells));
	struct writer w = { .out = out };
	struct raw_text raw;
	int rc = 0;

	raw_text_init(&raw, opts);
	for (size_t i = 0; i < t->ncolumns; i++) {
		if (i)
			writer_byte(&w, '\t');
		write_text(&w, &raw, str_of(t->columns[i].name));
	}
	writer_byte(&w, '\n');
	writer_flush(&w);
	while (!ferror(out) && (rc = t->next(t, cells, err)) > 0) {
		for (size_t i = 0; i < t->ncolumns; i++) {
			if (i)
				writer_byte(&w, '\t');
			write_cell(&w, &raw, t->columns[i].unit, &cells[i]);
		}
		writer_byte(&w, '\n');
		writer_flush(&w);
	}
	raw_text_release(&raw);
	free(cells);
	return rc < 0 ? -1 : render_end(out, err);
}

const struct renderer tsv_renderer = {
	.name = "tsv",
	.help = "tab-separated values with raw numbers",
	.suffix = "tsv",
	.render = tsv_render,
};
