/* The lines of a place: see place_lines.h. */
#include "screen/place_lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"

bool place_matches(struct str line, const char *text, size_t *at)
{
	size_t n = strlen(text);
	bool is_exact = false;

	for (size_t i = 0; i < n; i++)
		is_exact |= isupper((unsigned char)text[i]) != 0;
	for (size_t i = 0; n && i + n <= line.n; i++)
		if (is_exact ? memcmp(line.p + i, text, n) == 0
			     : strncasecmp(line.p + i, text, n) == 0) {
			*at = i;
			return true;
		}
	return false;
}

static const struct sheet_line *line_of(const struct place *p, size_t shown)
{
	return &p->sheet.lines[p->shown[shown]];
}

static bool is_row(const struct place *p, size_t shown)
{
	return line_of(p, shown)->kind == DRAWN_ROW;
}

/* Blanks and headings are passed over. */
static bool is_stop(const struct place *p, size_t shown)
{
	const struct sheet_line *l = line_of(p, shown);

	return l->n && l->kind != DRAWN_HEADING;
}

/* Does the row stay where only rows with a text do? */
static bool has_text(const struct place *p, size_t line)
{
	size_t at;

	return !p->wish.only || p->sheet.lines[line].kind != DRAWN_ROW ||
	       place_matches(sheet_text(&p->sheet, line), p->wish.only, &at);
}

void place_choose_lines(struct place *p)
{
	size_t at = place_at(p), n = p->sheet.nlines;
	unsigned hidden_below = UINT32_MAX; /* the depth of the fold one is in */

	free(p->shown);
	p->shown = xcalloc(n + 1, sizeof(*p->shown));
	p->nshown = 0;
	p->cursor = 0;
	for (size_t i = 0; i < n; i++) {
		const struct sheet_line *l = &p->sheet.lines[i];
		if (l->kind != DRAWN_ROW || l->depth <= hidden_below)
			hidden_below = UINT32_MAX;
		if (hidden_below != UINT32_MAX || !has_text(p, i))
			continue;
		if (i <= at && at != SHEET_NONE)
			p->cursor = p->nshown;
		p->shown[p->nshown++] = i;
		if (p->folded[i])
			hidden_below = l->depth;
	}
	if (at == SHEET_NONE)
		place_go(p, false);
	place_move(p, 0);
}

void place_lay_out(struct place *p, const struct screen *screen, int width,
		   const char *why)
{
	const struct sheet_layout layout = { .width = p->wish.wide ? 0 : width,
					     .name_max = p->wish.wide ? width / 2 : 0,
					     .whole_names = p->wish.whole,
					     .shorten = screen->shorten,
					     .tree = p->habit->tree };
	struct err err = ERR_INIT;
	size_t at = place_at(p), row = SHEET_NONE, part = 0;

	if (at != SHEET_NONE && p->sheet.lines[at].kind == DRAWN_ROW) {
		row = p->sheet.lines[at].row;
		part = p->sheet.lines[at].part;
	}
	sheet_release(&p->sheet);
	free(p->shown);
	p->shown = NULL;
	p->nshown = 0;
	if (!p->answer || sheet_make(&p->sheet, p->answer, &layout, &err) < 0) {
		sheet_release(&p->sheet);
		sheet_of_text(&p->sheet, why ? why : err.text, width);
	}
	free(p->folded);
	p->folded = xcalloc(p->sheet.nlines + 1, sizeof(*p->folded));
	p->width = width;
	place_choose_lines(p);
	for (size_t i = 0; i < p->nshown && row != SHEET_NONE; i++)
		if (is_row(p, i) && line_of(p, i)->row == row &&
		    line_of(p, i)->part == part)
			p->cursor = i;
}

size_t place_at(const struct place *p)
{
	return p->cursor < p->nshown ? p->shown[p->cursor] : SHEET_NONE;
}

size_t place_pinned(const struct place *p)
{
	if (p->top >= p->nshown || !is_row(p, p->top))
		return SHEET_NONE;
	return p->sheet.parts[line_of(p, p->top)->part].heading;
}

/* The nearest stop from `at` in a direction, or SHEET_NONE. */
static size_t stop_from(const struct place *p, size_t at, bool backwards)
{
	while (at < p->nshown && !is_stop(p, at))
		at += backwards ? (size_t)-1 : 1;
	return at < p->nshown ? at : SHEET_NONE;
}

void place_move(struct place *p, long by)
{
	long to = (long)p->cursor + by;

	if (!p->nshown)
		return;
	if (to < 0)
		to = 0;
	if ((size_t)to >= p->nshown)
		to = (long)p->nshown - 1;
	size_t stop = stop_from(p, (size_t)to, by < 0);
	if (stop == SHEET_NONE)
		stop = stop_from(p, (size_t)to, by >= 0);
	p->cursor = stop == SHEET_NONE ? (size_t)to : stop;
}

void place_go(struct place *p, bool to_end)
{
	size_t found = SHEET_NONE;

	for (size_t i = 0; i < p->nshown; i++)
		if (is_row(p, i) && (to_end || found == SHEET_NONE))
			found = i;
	if (found == SHEET_NONE)
		found = to_end && p->nshown ? p->nshown - 1 : 0;
	p->cursor = found;
	if (!to_end)
		p->top = 0;
}

void place_begin(struct place *p)
{
	p->cursor = 0;
	p->top = 0;
	place_move(p, 0);
}

void place_scroll(struct place *p, size_t height)
{
	if (p->top > p->cursor)
		p->top = p->cursor;
	/* what is above the first row is seen with it */
	while (p->top == p->cursor && p->top > 0 && !is_stop(p, p->top - 1))
		p->top--;
	if (p->cursor - p->top >= height)
		p->top = p->cursor - height + 1;
	/* a pinned heading takes the first line */
	if (height > 1 && p->cursor == p->top && p->top > 0 &&
	    place_pinned(p) != SHEET_NONE)
		p->top--;
}

bool place_wants_more(const struct place *p)
{
	size_t at = place_at(p);

	if (!p->answer || at == SHEET_NONE || p->sheet.nparts == 0)
		return false;
	const struct people *last = &p->sheet.parts[p->sheet.nparts - 1].people;
	int64_t rows = (int64_t)last->rows->nrows, total = last->table->total_rows;
	bool is_cut = total > rows || (total < 0 && rows >= p->wish.limit);
	bool is_last = true;
	for (size_t i = p->cursor + 1; i < p->nshown; i++)
		is_last &= !is_row(p, i);
	return is_cut && is_last && !p->habit->is_whole;
}

bool place_folds(const struct place *p, size_t line)
{
	const struct sheet_line *l = &p->sheet.lines[line];

	return p->habit->tree && l->kind == DRAWN_ROW && line + 1 < p->sheet.nlines &&
	       l[1].kind == DRAWN_ROW && l[1].depth > l->depth;
}

void place_fold(struct place *p, bool fold, bool all)
{
	size_t at = place_at(p);

	for (size_t i = 0; i < p->sheet.nlines; i++)
		if (all && (place_folds(p, i) || !fold))
			p->folded[i] = fold;
	if (!all && at != SHEET_NONE && (place_folds(p, at) || !fold))
		p->folded[at] = fold;
	place_choose_lines(p);
}

bool place_find(struct place *p, const char *text, bool backwards)
{
	size_t at;

	for (size_t i = 1; i <= p->nshown; i++) {
		size_t line = (p->cursor + (backwards ? p->nshown - i : i)) % p->nshown;
		if (place_matches(sheet_text(&p->sheet, p->shown[line]), text, &at)) {
			p->cursor = line;
			return true;
		}
	}
	return false;
}
