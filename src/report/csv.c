/*
 * RFC 4180, but with "\n" between lines: what pandas, sqlite3 and spreadsheets
 * take.  Text is always quoted, by libcsv; numbers never are, so that the text
 * "12" and the number 12 stay apart, and so do "" and null, which is nothing.
 * The only file that knows libcsv.
 */
#include <csv.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/units.h"
#include "report/raw_text.h"
#include "report/renderer.h"
#include "report/writer.h"

/*
 * csv_fwrite() calls stdio for every byte: for texts that have no room alone.  Both
 * functions write nothing, not even quotes, for a NULL.
 */
static void write_text(struct writer *w, struct str text)
{
	const char *p = text.p ? text.p : "";
	size_t most = text.n < WRITER_ROOM ? 2 * text.n + 2 : SIZE_MAX; /* all quotes */
	char *room = writer_room(w, most);

	if (room)
		w->n += csv_write(room, most, p, text.n);
	else
		csv_fwrite(w->out, p, text.n);
}

/* Names are bare where RFC 4180 lets them; those of `ptool sql` can be anything. */
static void write_header(struct writer *w, struct raw_text *raw, const struct table *t)
{
	for (size_t i = 0; i < t->ncolumns; i++) {
		const char *name = t->columns[i].name;
		if (i)
			writer_byte(w, ',');
		if (*name && !strpbrk(name, ",\"\r\n") &&
		    !raw_text_is_formula(raw, str_of(name)))
			writer_str(w, raw_text(raw, str_of(name)));
		else
			write_text(w, raw_cell(raw, str_of(name)));
	}
	writer_byte(w, '\n');
}

static void write_cell(struct writer *w, struct raw_text *raw, enum unit unit,
		       const struct cell *cell)
{
	char room[UNITS_TEXT_MAX];

	if (cell->type == CELL_TEXT) {
		write_text(w, raw_cell(raw, cell->as.text));
		return;
	}
	writer_str(w, units_raw(unit, *cell, room));
}

static void write_row(struct writer *w, struct raw_text *raw, const struct table *t,
		      const struct cell *cells)
{
	/* An empty line would be no row at all to most readers. */
	if (t->ncolumns == 1 && cells[0].type == CELL_NULL)
		write_text(w, str_of(""));
	for (size_t i = 0; i < t->ncolumns; i++) {
		if (i)
			writer_byte(w, ',');
		write_cell(w, raw, t->columns[i].unit, &cells[i]);
	}
	writer_byte(w, '\n');
}

static int csv_render(struct table *t, const struct render_opts *opts, FILE *out,
		      struct err *err)
{
	struct cell *cells = xcalloc(t->ncolumns, sizeof(*cells));
	struct writer w = { .out = out };
	struct raw_text raw;
	int rc = 0;

	raw_text_init(&raw, opts);
	write_header(&w, &raw, t);
	writer_flush(&w);
	while (!ferror(out) && (rc = t->next(t, cells, err)) > 0) {
		write_row(&w, &raw, t, cells);
		writer_flush(&w);
	}
	raw_text_release(&raw);
	free(cells);
	return rc < 0 ? -1 : render_end(out, err);
}

#define TEXT(number)                        #number
#define VERSION_TEXT(major, minor, release) TEXT(major) "." TEXT(minor) "." TEXT(release)

const char *renderer_csv_version(void)
{
	return VERSION_TEXT(CSV_MAJOR, CSV_MINOR, CSV_RELEASE);
}

const struct renderer csv_renderer = {
	.name = "csv",
	.help = "comma-separated values with raw numbers",
	.suffix = "csv",
	.render = csv_render,
};
