/* A table fitted to a line and drawn: see people_draw.h. */
#include "report/people_draw.h"

#include <string.h>

#include "base/utf8.h"
#include "report/strips.h"

#define GUTTER     PEOPLE_GUTTER
#define LEAST_TEXT 8 /* cells that a text column keeps on any terminal */

#define ROUNDS 2 /* in which names get back room that they left */

/*
 * Cells of a text that its column is wide for, in a longer line than the one to fit:
 * names of C++ kernels have hundreds.  What is longer runs over its column, as each row
 * would be as long as it otherwise.
 */
#define WIDEST 512

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
		if (c->width < c->whole_width)
			people_shorten(p, c,
				       cells < c->whole_width ? cells : c->whole_width,
				       opts->shorten);
	}
}

static bool gets_shorter(struct people *p, size_t column, apart_shorten_fn *shorten)
{
	bool is_shorter = false;
	struct buf text;

	buf_init(&text, SIZE_MAX);
	for (size_t row = 0; row < p->rows->nrows && !is_shorter; row++) {
		if (people_first(&p->columns[column], row) != row)
			continue;
		struct str whole = people_cell(p, row, column);
		buf_clear(&text);
		shorten(&text, whole, SIZE_MAX);
		is_shorter = text.n < whole.n;
	}
	buf_release(&text);
	return is_shorter;
}

/* What a short name leaves out even where there is room: addresses of objects. */
static void make_plain(struct people *p, const struct render_opts *opts)
{
	for (size_t i = 0; i < p->ncolumns && opts->shorten && !opts->whole_names; i++) {
		struct people_column *c = &p->columns[i];
		if (c->is_right || !gets_shorter(p, i, opts->shorten))
			continue;
		people_shorten(p, c, c->whole_width, opts->shorten);
		c->whole_width = c->width;
	}
}

/* Columns leave, then the widest texts are shortened, to one width, until the line fits. */
static void fit(struct people *p, const struct render_opts *opts)
{
	size_t cap = SIZE_MAX;
	bool all_give_way = false;

	if (opts->width > 0 && !opts->whole_names && !p->is_on_screen)
		people_cut_middles(p, (size_t)opts->width);
	make_plain(p, opts);
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
	size_t widest = opts->width > WIDEST ? (size_t)opts->width : WIDEST;
	for (size_t i = 0; i < p->ncolumns; i++)
		if (p->columns[i].width > widest)
			p->columns[i].width = widest;
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

/* A word that is too long for a line is broken between its characters. */
static size_t write_word(struct buf *out, struct str word, size_t width, size_t indent)
{
	size_t at = indent;
	uint32_t code;

	while (word.n) {
		size_t n = utf8_decode(word, &code);
		size_t cells = utf8_width((struct str){ word.p, n });
		if (width > indent && at > indent && at + cells > width) {
			buf_add_char(out, '\n');
			buf_add_blanks(out, indent);
			at = indent;
		}
		buf_add(out, word.p, n);
		at += cells;
		word = str_behind(word, n);
	}
	return at;
}

/*
 * Text that begins behind `indent` cells of its first line, in lines of `width` cells,
 * broken at blanks; width 0: in one line.
 */
static void write_wrapped(struct buf *out, struct str text, size_t width, size_t indent)
{
	size_t at = indent;

	while (text.n) {
		const char *blank = memchr(text.p, ' ', text.n);
		struct str word = { text.p, blank ? (size_t)(blank - text.p) : text.n };
		size_t cells = utf8_width(word);

		if (at > indent && width > 0 && at + 1 + cells > width) {
			buf_add_char(out, '\n');
			buf_add_blanks(out, indent);
			at = indent;
		} else if (at > indent) {
			buf_add_char(out, ' ');
			at++;
		}
		if (at == indent && cells + indent > width && width > 0) {
			at = write_word(out, word, width, indent);
		} else {
			buf_add_str(out, word);
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

/* The pieces of one table on their way out. */
struct draw {
	struct people *people;
	struct buf line; /* the piece; as long as its cells, which have a limit */
	size_t width;    /* of a line; 0: unlimited */
	struct drawing *to;
	bool is_over; /* nobody wants more */
};

static void put(struct draw *d, enum drawn kind)
{
	d->is_over |= !d->to->piece(d->to, kind, buf_str(&d->line));
	buf_clear(&d->line);
}

static void put_blank(struct draw *d)
{
	buf_add_text(&d->line, "");
	put(d, DRAWN_TEXT);
}

/* Its lines after the first begin below its text. */
static void draw_prose(struct draw *d, struct str line)
{
	struct str label = { line.p, label_of(line) };

	buf_add_str(&d->line, label);
	write_wrapped(&d->line, str_behind(line, label.n), d->width, utf8_width(label));
	put(d, DRAWN_TEXT);
}

static void draw_notes(struct draw *d)
{
	const char *const *notes = d->people->table->notes;

	for (size_t i = 0; notes && notes[i]; i++) {
		struct str line = people_line(d->people, notes[i]);
		if (d->people->table->is_prose) {
			draw_prose(d, line);
			continue;
		}
		buf_add_text(&d->line, NOTE);
		write_wrapped(&d->line, line, d->width, strlen(NOTE));
		put(d, DRAWN_NOTE);
	}
}

/* The caption, and the lines under it. */
static void draw_caption(struct draw *d)
{
	const struct table *t = d->people->table;

	write_wrapped(&d->line, people_line(d->people, t->caption), d->width, 0);
	put(d, DRAWN_TEXT);
	for (size_t i = 0; t->under && t->under[i]; i++) {
		write_wrapped(&d->line, people_line(d->people, t->under[i]), d->width, 0);
		put(d, DRAWN_TEXT);
	}
	if (d->people->rows->nrows || t->notes || t->strips)
		put_blank(d);
}

static void draw_rows(struct draw *d)
{
	struct people *p = d->people;

	for (size_t i = 0; i < p->ncolumns; i++)
		add_cell(&d->line, p, i, p->columns[i].heading);
	put(d, DRAWN_HEADING);
	for (size_t row = 0; row < p->rows->nrows && !d->is_over; row++) {
		for (size_t i = 0; i < p->ncolumns; i++)
			add_cell(&d->line, p, i, people_cell(p, row, i));
		put(d, DRAWN_ROW);
	}
	struct str footer = people_footer(p, d->width); /* put_blank() leaves it alone */
	if (!footer.n)
		return;
	if (p->rows->nrows)
		put_blank(d);
	buf_add_str(&d->line, footer);
	put(d, DRAWN_TEXT);
}

/* A caption without rows says it all. */
void people_draw(struct people *p, const struct render_opts *opts, struct drawing *to)
{
	struct draw d = { .people = p, .width = width_of(opts), .to = to };
	const char *empty = p->rows->nrows ? NULL : p->table->empty;

	fit(p, opts);
	buf_init(&d.line, SIZE_MAX / 2);
	if (empty && *empty) {
		buf_add_text(&d.line, empty);
		put(&d, DRAWN_TEXT);
	}
	if (p->table->caption)
		draw_caption(&d);
	if (p->table->strips)
		strips_draw(p->table->strips, opts, to);
	else if (p->rows->nrows || (!p->table->caption && !empty))
		draw_rows(&d);
	draw_notes(&d);
	buf_release(&d.line);
}
