/*
 * The people's table: aligned columns that fit the terminal.  Text gives way, as the
 * caller shortens it or in its middle; numbers never do.
 */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "report/people.h"
#include "report/renderer.h"

#define GUTTER     2 /* blanks between columns */
#define LEAST_TEXT 8 /* cells that a text column keeps on any terminal */

#define ROUNDS 2 /* in which names get back room that they left */

#define BOLD   "\033[1m"
#define DIM    "\033[2m"
#define NORMAL "\033[0m"

#define NOTE      "note: "
#define LABEL_MAX ((size_t)8) /* bytes in front of a line of prose */

/*
 * Cells of the column when no text may be wider than `cap`; columns whose field says how
 * many they need at least have these, unless `all_give_way`.
 */
static size_t capped_width(const struct people_column *column, size_t cap,
			   bool all_give_way)
{
	if (cap < LEAST_TEXT)
		cap = LEAST_TEXT;
	if (cap < column->number_width)
		cap = column->number_width;
	if (cap < column->least && !all_give_way)
		cap = column->least;
	return column->is_right || column->width < cap ? column->width : cap;
}

static size_t line_width(const struct people *p, size_t cap, bool all_give_way)
{
	size_t width = 0;

	for (size_t i = 0; i < p->ncolumns; i++)
		width += capped_width(&p->columns[i], cap, all_give_way) +
			 (i ? GUTTER : 0);
	return width;
}

/* The widest that text may be for the line to fit; 0: it cannot. */
static size_t widest_text(const struct people *p, size_t width, bool all_give_way)
{
	size_t low = 0, high = 0;

	for (size_t i = 0; i < p->ncolumns; i++)
		if (p->columns[i].width > high)
			high = p->columns[i].width;
	while (low < high) {
		size_t cap = high - (high - low) / 2;
		if (line_width(p, cap, all_give_way) <= width)
			low = cap;
		else
			high = cap - 1;
	}
	return low;
}

static void shorten_column(struct people *p, struct people_column *c, size_t cells,
			   const struct render_opts *opts)
{
	if (cells < c->whole_width)
		people_shorten(p, c, cells, opts->shorten);
}

/*
 * Names get shorter by more than they must, as words leave them: the room that this
 * leaves goes to those that are still cut.
 */
static void share_room(struct people *p, const struct render_opts *opts)
{
	size_t used = line_width(p, SIZE_MAX, false), ncut = 0;

	for (size_t i = 0; i < p->ncolumns; i++)
		ncut += p->columns[i].width < p->columns[i].whole_width;
	if (!ncut || used + ncut > (size_t)opts->width)
		return;
	for (size_t i = 0; i < p->ncolumns; i++) {
		struct people_column *c = &p->columns[i];
		size_t cells = c->width + (((size_t)opts->width - used) / ncut);
		if (opts->name_max > 0 && cells > (size_t)opts->name_max)
			cells = (size_t)opts->name_max;
		if (c->width < c->whole_width && cells >= c->whole_width) {
			c->texts = NULL;
			c->width = c->whole_width;
		} else if (c->width < c->whole_width) {
			people_shorten(p, c, cells, opts->shorten);
		}
	}
}

/* Columns leave, then the widest texts are shortened, to one width, until the line fits. */
static void fit(struct people *p, const struct render_opts *opts)
{
	size_t cap = SIZE_MAX;
	bool all_give_way = false;

	if (opts->width > 0) {
		people_fit(p, (size_t)opts->width, GUTTER);
		all_give_way = line_width(p, 0, false) > (size_t)opts->width;
		cap = widest_text(p, (size_t)opts->width, all_give_way);
	}
	if (opts->name_max > 0 && cap > (size_t)opts->name_max)
		cap = (size_t)opts->name_max;
	for (size_t i = 0; i < p->ncolumns && !opts->whole_names; i++)
		shorten_column(p, &p->columns[i],
			       capped_width(&p->columns[i], cap, all_give_way), opts);
	for (int round = 0; round < ROUNDS && opts->width > 0 && !opts->whole_names;
	     round++)
		share_room(p, opts);
}

static void write_str(FILE *out, struct str text)
{
	fwrite(text.p, 1, text.n, out);
}

static void pad(FILE *out, size_t n)
{
	while (n-- > 0)
		putc(' ', out);
}

static size_t missing_cells(const struct people_column *column, struct str text)
{
	size_t width = utf8_width(text);

	return width < column->width ? column->width - width : 0;
}

/* No blanks behind the last column. */
static void add_cell(struct buf *line, const struct people *p, size_t column,
		     struct str text)
{
	const struct people_column *c = &p->columns[column];
	bool is_last = column + 1 == p->ncolumns;

	if (column)
		buf_add_blanks(line, GUTTER);
	if (c->is_right) {
		buf_add_blanks(line, missing_cells(c, text));
		buf_add_str(line, text);
		return;
	}
	buf_add_str(line, text);
	if (!is_last)
		buf_add_blanks(line, missing_cells(c, text));
}

static void draw_heading(FILE *out, const struct people *p,
			 const struct render_opts *opts, struct buf *line)
{
	if (opts->color)
		fputs(BOLD, out);
	buf_clear(line);
	for (size_t i = 0; i < p->ncolumns; i++)
		add_cell(line, p, i, p->columns[i].heading);
	write_str(out, buf_str(line));
	fputs(opts->color ? NORMAL "\n" : "\n", out);
}

/* A word that is too long for a line is broken between its characters. */
static size_t write_word(FILE *out, struct str word, size_t width, size_t indent)
{
	size_t at = indent;
	uint32_t code;

	while (word.n) {
		size_t n = utf8_decode(word, &code);
		size_t cells = utf8_width((struct str){ word.p, n });
		if (width > indent && at > indent && at + cells > width) {
			putc('\n', out);
			pad(out, indent);
			at = indent;
		}
		fwrite(word.p, 1, n, out);
		at += cells;
		word = str_behind(word, n);
	}
	return at;
}

/*
 * Text that begins behind `indent` cells of its first line, in lines of `width` cells,
 * broken at blanks; width 0: in one line.
 */
static void write_wrapped(FILE *out, struct str text, size_t width, size_t indent)
{
	size_t at = indent;

	while (text.n) {
		const char *blank = memchr(text.p, ' ', text.n);
		struct str word = { text.p, blank ? (size_t)(blank - text.p) : text.n };
		size_t cells = utf8_width(word);

		if (at > indent && width > 0 && at + 1 + cells > width) {
			putc('\n', out);
			pad(out, indent);
			at = indent;
		} else if (at > indent) {
			putc(' ', out);
			at++;
		}
		if (at == indent && cells + indent > width && width > 0) {
			at = write_word(out, word, width, indent);
		} else {
			write_str(out, word);
			at += cells;
		}
		text = str_behind(text, word.n + (blank ? 1 : 0));
	}
}

static size_t width_of(const struct render_opts *opts)
{
	return opts->width > 0 ? (size_t)opts->width : 0;
}

/* Bytes of a line before its text: a label with two blanks or more after it, or blanks. */
static size_t label_of(struct str line)
{
	size_t end = 0;

	while (end < LABEL_MAX && end + 1 < line.n &&
	       (line.p[end] != ' ' || line.p[end + 1] != ' '))
		end++;
	if (end == LABEL_MAX || end + 1 >= line.n)
		return 0;
	while (end < line.n && line.p[end] == ' ')
		end++;
	return end;
}

/* Its lines after the first begin below its text. */
static void draw_prose(FILE *out, struct str line, size_t width)
{
	struct str label = { line.p, label_of(line) };

	write_str(out, label);
	write_wrapped(out, str_behind(line, label.n), width, utf8_width(label));
	putc('\n', out);
}

static void draw_notes(FILE *out, struct people *p, const struct render_opts *opts)
{
	const char *const *notes = p->table->notes;

	for (size_t i = 0; notes && notes[i]; i++) {
		struct str line = people_line(p, notes[i]);
		if (p->table->is_prose) {
			draw_prose(out, line, width_of(opts));
			continue;
		}
		fputs(opts->color ? DIM NOTE : NOTE, out);
		write_wrapped(out, line, width_of(opts), strlen(NOTE));
		fputs(opts->color ? NORMAL "\n" : "\n", out);
	}
}

/* The caption, and the lines under it. */
static void draw_caption(FILE *out, struct people *p, const struct render_opts *opts)
{
	const char *const *under = p->table->under;

	write_wrapped(out, people_line(p, p->table->caption), width_of(opts), 0);
	for (size_t i = 0; under && under[i]; i++) {
		putc('\n', out);
		write_wrapped(out, people_line(p, under[i]), width_of(opts), 0);
	}
	fputs(p->rows->nrows || p->table->notes ? "\n\n" : "\n", out);
}

static void draw_rows(FILE *out, struct people *p, const struct render_opts *opts,
		      struct buf *line)
{
	draw_heading(out, p, opts, line);
	for (size_t row = 0; row < p->rows->nrows && !ferror(out); row++) {
		buf_clear(line);
		for (size_t i = 0; i < p->ncolumns; i++)
			add_cell(line, p, i, people_cell(p, row, i));
		buf_add_char(line, '\n');
		write_str(out, buf_str(line));
	}
	struct str footer = people_footer(p, width_of(opts));
	if (!footer.n)
		return;
	if (p->rows->nrows)
		putc('\n', out);
	write_str(out, footer);
	putc('\n', out);
}

/* A caption without rows says it all. */
static void draw(FILE *out, struct people *p, const struct render_opts *opts)
{
	struct buf line;

	buf_init(&line, SIZE_MAX / 2); /* as long as its cells, which have a limit */
	const char *empty = p->rows->nrows ? NULL : p->table->empty;
	if (empty && *empty)
		fprintf(out, "%s\n", empty);
	if (p->table->caption)
		draw_caption(out, p, opts);
	if (p->rows->nrows || (!p->table->caption && !empty))
		draw_rows(out, p, opts, &line);
	draw_notes(out, p, opts);
	buf_release(&line);
}

static int table_render(struct table *t, const struct render_opts *opts, FILE *out,
			struct err *err)
{
	struct people people;
	int rc = people_collect(&people, t, err);

	if (rc == 0) {
		fit(&people, opts);
		draw(out, &people, opts);
		rc = render_end(out, err);
	}
	people_release(&people);
	return rc;
}

const struct renderer table_renderer = {
	.name = "table",
	.help = "aligned columns for people, fitted to the terminal",
	.suffix = "txt",
	.render = table_render,
};
