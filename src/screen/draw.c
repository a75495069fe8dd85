/* How the browser looks. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/units.h"
#include "base/utf8.h"
#include "screen/browser.h"
#include "screen/place_lines.h"

#define LABEL_MAX 64
#define CRUMB_MAX ((size_t)64 * 1024)

static int width_of(struct str text)
{
	return (int)utf8_width(text);
}

/* "2 Operators"; the tenth is 0, the others have no key but Tab. */
static struct str label_of(const struct browser *b, size_t i, char out[LABEL_MAX])
{
	const char *title = b->sections[i]->title;
	int n = i < 10 ? snprintf(out, LABEL_MAX, " %zu %s ", (i + 1) % 10, title)
		       : snprintf(out, LABEL_MAX, " %s ", title);

	return (struct str){ out, (size_t)n };
}

/* The first section on the line so that the present one is, too. */
static size_t first_label(const struct browser *b, int columns)
{
	char label[LABEL_MAX];
	int width = 0;
	size_t first = b->section;

	for (size_t i = b->section + 1; i-- > 0;) {
		width += width_of(label_of(b, i, label));
		if (width > columns - 2)
			break;
		first = i;
	}
	return first;
}

static void draw_sections(struct browser *b)
{
	int columns = tty_columns(b->tty), at = 0;
	size_t i = first_label(b, columns);
	char label[LABEL_MAX];

	tty_text(b->tty, (struct tty_spot){ 0, 0, columns, 0 }, STR_LIT(""), LOOK_BAR);
	if (i > 0)
		tty_text(b->tty, (struct tty_spot){ 0, at++, 1, 0 }, STR_LIT("<"),
			 LOOK_BAR);
	for (; i < b->nsections; i++) {
		struct str text = label_of(b, i, label);
		int width = width_of(text);
		bool is_last = i + 1 == b->nsections;
		if (at + width > columns - (is_last ? 0 : 1) && i != b->section) {
			tty_text(b->tty, (struct tty_spot){ 0, columns - 1, 1, 0 },
				 STR_LIT(">"), LOOK_BAR);
			return;
		}
		tty_text(b->tty, (struct tty_spot){ 0, at, width, 0 }, text,
			 i == b->section ? LOOK_CHOSEN : LOOK_BAR);
		at += width;
	}
}

static void add_crumbs(struct buf *out, const struct place *p)
{
	if (p->back) {
		add_crumbs(out, p->back);
		buf_add_text(out, " > ");
	}
	utf8_add_visible(out, str_of(p->title));
}

/* Where one is: the end of it matters most. */
static void draw_crumbs(struct browser *b, const struct place *p)
{
	int columns = tty_columns(b->tty);
	struct buf line;

	buf_init(&line, CRUMB_MAX);
	utf8_add_visible(&line, str_of(b->screen->name));
	buf_add_text(&line, ": ");
	add_crumbs(&line, p);
	if (p->wish.sort)
		buf_addf(&line, ", by %s", p->wish.sort);
	if (p->wish.reverse)
		buf_add_text(&line, p->wish.sort ? " reversed" : ", reversed");
	if (p->wish.focus || p->wish.only) {
		buf_add_text(&line, ", only ");
		utf8_add_visible(&line,
				 str_of(p->wish.focus ? p->wish.focus : p->wish.only));
	}
	int width = width_of(buf_str(&line));
	tty_text(
		b->tty,
		(struct tty_spot){ 1, 0, columns, width > columns ? width - columns : 0 },
		buf_str(&line), LOOK_DIM);
	buf_release(&line);
}

static enum look look_of(enum drawn kind)
{
	switch (kind) {
	case DRAWN_HEADING:
		return LOOK_HEADING;
	case DRAWN_NOTE:
		return LOOK_DIM;
	case DRAWN_TEXT:
	case DRAWN_ROW:
		break;
	}
	return LOOK_PLAIN;
}

/* A part of a line that is drawn already; it begins in column x, which may be off the screen. */
static void draw_part(struct browser *b, int y, int x, struct str part, int cells)
{
	int skip = x < 0 ? -x : 0;

	if (cells > skip)
		tty_text(b->tty, (struct tty_spot){ y, x + skip, cells - skip, skip },
			 part, LOOK_FOUND);
}

/* From the left, each letter measured once: a name may be a megabyte of matches. */
static void draw_found(struct browser *b, const struct place *p, int y, struct str line)
{
	int columns = tty_columns(b->tty), x = -p->left;
	size_t at, n = strlen(b->found);

	while (x < columns && place_matches(line, b->found, &at)) {
		struct str part = { line.p + at, n };
		int cells = width_of(part);
		x += width_of((struct str){ line.p, at });
		draw_part(b, y, x, part, cells);
		x += cells;
		line = str_behind(line, at + n);
	}
}

/* The heading of the column that sorts. */
static void draw_sorted(struct browser *b, const struct place *p, int y, size_t line)
{
	const struct sheet_line *l = &p->sheet.lines[line];
	struct str text = sheet_text(&p->sheet, line);

	if (!p->wish.sort || l->kind != DRAWN_HEADING || l->part >= p->sheet.nparts)
		return;
	const struct sheet_part *part = &p->sheet.parts[l->part];
	for (size_t i = 0; i < part->ncolumns; i++) {
		const struct sheet_column *c = &part->columns[i];
		int x = (int)c->at - p->left;
		if (strcmp(c->name, p->wish.sort) == 0 && x >= 0)
			tty_text(b->tty,
				 (struct tty_spot){ y, x, (int)c->width, (int)c->at },
				 text, LOOK_FOUND);
	}
}

/* '+' in front of a name in a tree whose rows are hidden, or after the line. */
static void draw_fold(struct browser *b, const struct place *p, int y, size_t line,
		      enum look look)
{
	const struct sheet_line *l = &p->sheet.lines[line];

	if (!p->folded[line])
		return;
	const struct sheet_part *part = &p->sheet.parts[l->part];
	for (size_t i = 0; i < part->ncolumns; i++) {
		const struct sheet_column *c = &part->columns[i];
		int x = (int)c->at + (int)l->depth - 2 - p->left;
		if (strcmp(c->name, p->habit->tree) != 0)
			continue;
		if (x < 0)
			x = width_of(sheet_text(&p->sheet, line)) + 1 - p->left;
		if (x >= 0)
			tty_text(b->tty, (struct tty_spot){ y, x, 1, 0 }, STR_LIT("+"),
				 look);
	}
}

static void draw_line(struct browser *b, const struct place *p, int y, size_t line,
		      bool is_chosen)
{
	struct str text = sheet_text(&p->sheet, line);
	enum look look = look_of(p->sheet.lines[line].kind);

	if (is_chosen)
		look = LOOK_CHOSEN;
	tty_text(b->tty, (struct tty_spot){ y, 0, tty_columns(b->tty), p->left }, text,
		 look);
	draw_sorted(b, p, y, line);
	draw_fold(b, p, y, line, look);
	if (!is_chosen)
		draw_found(b, p, y, text);
}

static void draw_table(struct browser *b, struct place *p)
{
	size_t height = browser_height(b);

	place_scroll(p, height);
	size_t pinned = place_pinned(p);
	for (size_t i = 0; i < height; i++) {
		int y = BROWSER_ABOVE + (int)i;
		if (i == 0 && height > 1 && pinned != SHEET_NONE)
			draw_line(b, p, y, pinned, false);
		else if (p->top + i < p->nshown)
			draw_line(b, p, y, p->shown[p->top + i], p->top + i == p->cursor);
	}
}

/* "row 3 of 1,234" */
static struct str position(const struct place *p, char out[BROWSER_TEXT])
{
	char row[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX];
	size_t at = place_at(p);
	int n;

	if (at == SHEET_NONE || p->sheet.lines[at].kind != DRAWN_ROW)
		return STR_LIT("");
	const struct sheet_line *l = &p->sheet.lines[at];
	const struct people *people = &p->sheet.parts[l->part].people;
	int64_t total = people->table->total_rows;
	if (total < (int64_t)people->rows->nrows)
		total = (int64_t)people->rows->nrows;
	units_text(UNIT_COUNT, cell_int((int64_t)l->row + 1), row);
	units_text(UNIT_COUNT, cell_int(total), all);
	n = snprintf(out, BROWSER_TEXT, " %s of %s", row, all);
	return (struct str){ out, (size_t)n };
}

/* What Enter does here. */
static void add_way(struct buf *out, const struct browser *b, const struct place *p)
{
	size_t at = place_at(p), n = 0;
	bool folds = at != SHEET_NONE && place_folds(p, at);
	struct str text;

	if (folds)
		buf_addf(out, "Enter: %s  ", p->folded[at] ? "unfold" : "fold");
	for (const struct way *w = ways; at != SHEET_NONE && w->from; w++)
		if (place_has_way(p, b->screen, w, at, &text) && n++ == 0 && !folds)
			buf_addf(out, "Enter: " STR_FMT "  ",
				 STR_ARG(place_way_title(w)));
	if (n > 1 || (folds && n))
		buf_add_text(out, "o: more  ");
}

static void draw_last(struct browser *b, const struct place *p)
{
	int columns = tty_columns(b->tty), y = tty_lines(b->tty) - 1;
	char out[BROWSER_TEXT];
	struct str where = position(p, out);
	int room = columns - width_of(where);
	struct buf line;

	buf_init(&line, CRUMB_MAX);
	if (b->message[0]) {
		utf8_add_visible(&line, str_of(b->message));
		room = columns;
	} else {
		add_way(&line, b, p);
		buf_add_text(&line, p->back ? "q: back  ?: help" : "?: help  Q: quit");
	}
	tty_text(b->tty, (struct tty_spot){ y, 0, room, 0 }, buf_str(&line),
		 b->is_error ? LOOK_ERROR : LOOK_DIM);
	if (room < columns)
		tty_text(b->tty, (struct tty_spot){ y, room, columns - room, 0 }, where,
			 LOOK_DIM);
	buf_release(&line);
}

void browser_draw(struct browser *b)
{
	struct place *p = browser_place(b);

	tty_clear(b->tty);
	draw_sections(b);
	draw_crumbs(b, p);
	draw_table(b, p);
	draw_last(b, p);
	tty_cursor(b->tty, -1, 0);
}
