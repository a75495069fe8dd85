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
#include "report/renderer.h"

/*
 * csv_fwrite() calls stdio for every byte; nearly all texts have room here.  Both
 * write nothing, not even quotes, for a NULL.
 */
static void write_text(FILE *out, struct str text)
{
	const char *p = text.p ? text.p : "";
	char quoted[512];

	if (text.n <= sizeof(quoted) / 2 - 1) /* all of them quotes */
		fwrite(quoted, 1, csv_write(quoted, sizeof(quoted), p, text.n), out);
	else
		csv_fwrite(out, p, text.n);
}

/* Names are bare where RFC 4180 lets them; those of `ptool sql` can be anything. */
static void write_header(FILE *out, const struct table *t)
{
	for (size_t i = 0; i < t->ncolumns; i++) {
		const char *name = t->columns[i].name;
		if (i)
			putc(',', out);
		if (*name && !strpbrk(name, ",\"\r\n"))
			fputs(name, out);
		else
			write_text(out, str_of(name));
	}
	putc('\n', out);
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

static void write_row(FILE *out, const struct table *t, const struct cell *cells)
{
	/* An empty line would be no row at all to most readers. */
	if (t->ncolumns == 1 && cells[0].type == CELL_NULL)
		write_text(out, str_of(""));
	for (size_t i = 0; i < t->ncolumns; i++) {
		if (i)
			putc(',', out);
		write_cell(out, t->columns[i].unit, &cells[i]);
	}
	putc('\n', out);
}

static int csv_render(struct table *t, const struct render_opts *opts, FILE *out,
		      struct err *err)
{
	struct cell *cells = xcalloc(t->ncolumns, sizeof(*cells));
	int rc = 0;

	(void)opts;
	write_header(out, t);
	while (!ferror(out) && (rc = t->next(t, cells, err)) > 0)
		write_row(out, t, cells);
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
