/* What one changes about a table: see actions.h. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "screen/actions.h"
#include "screen/browser.h"
#include "screen/place_lines.h"

#define COLUMNS_MAX 64

/* Asks again with another wish; where that fails all stays as it was. */
void browser_wish(struct browser *b, struct place_wish wanted)
{
	struct place *p = browser_place(b);
	struct place_wish before = p->wish;

	if (p->is_own)
		return;
	p->wish = wanted;
	p->is_asked = false;
	if (!browser_ask(b, p)) {
		p->wish = before;
		p->is_asked = true;
	}
}

/* Where the command has --focus, and no way has set it, the store is asked. */
void act_filter(struct browser *b, int key)
{
	struct place *p = browser_place(b);
	struct place_wish wanted = p->wish;
	const struct screen_source *source = b->screen->source;
	char text[BROWSER_TEXT] = "";
	bool is_asked = source->has_option(source, p->command, "focus");

	(void)key;
	for (size_t i = 0; i < p->filters.n; i++)
		is_asked &= strncmp(p->filters.items[i], "--focus=", 8) != 0;
	is_asked &= p->wish.only == NULL;
	const char *now = is_asked ? wanted.focus : wanted.only;
	if (now)
		snprintf(text, sizeof(text), "%s", now);
	if (!browser_prompt(
		    b, is_asked ? "only names that match: " : "only rows with: ", text))
		return;
	const char *kept = *text ? arena_strdup(&p->arena, text) : NULL;
	if (!is_asked) {
		p->wish.only = kept;
		place_choose_lines(p);
		return;
	}
	wanted.focus = kept;
	browser_wish(b, wanted);
}

/* The names of columns that --sort takes, as drawn from left to right. */
static size_t sort_columns(const struct browser *b, const char *names[COLUMNS_MAX])
{
	const struct place *p = browser_place(b);
	const struct screen_source *source = b->screen->source;
	size_t at = place_at(p), n = 0;
	size_t part = at == SHEET_NONE ? 0 : p->sheet.lines[at].part;

	if (part >= p->sheet.nparts)
		return 0;
	for (size_t i = 0; i < p->sheet.parts[part].ncolumns && n < COLUMNS_MAX; i++) {
		const char *name = p->sheet.parts[part].columns[i].name;
		if (source->has_key(source, p->command, name))
			names[n++] = name;
	}
	return n;
}

static void sort_by(struct browser *b, const char *name)
{
	struct place *p = browser_place(b);
	struct place_wish wanted = p->wish;

	wanted.sort = arena_strdup(&p->arena, name);
	browser_wish(b, wanted);
	place_go(browser_place(b), false);
}

void act_sort_next(struct browser *b, int key)
{
	const struct place *p = browser_place(b);
	const char *names[COLUMNS_MAX];
	size_t n = sort_columns(b, names), at = key == '>' ? n - 1 : 0;

	if (!n) {
		browser_tell(b, "this table cannot be sorted");
		return;
	}
	for (size_t i = 0; p->wish.sort && i < n; i++)
		if (strcmp(names[i], p->wish.sort) == 0)
			at = i;
	sort_by(b, names[(at + (key == '>' ? 1 : n - 1)) % n]);
}

void act_sort_choose(struct browser *b, int key)
{
	const char *names[COLUMNS_MAX];
	size_t n = sort_columns(b, names);

	(void)key;
	if (!n) {
		browser_tell(b, "this table cannot be sorted");
		return;
	}
	size_t chosen = browser_choose(b, "Sort by", names, n);
	if (chosen != SHEET_NONE)
		sort_by(b, names[chosen]);
}

void act_reverse(struct browser *b, int key)
{
	struct place_wish wanted = browser_place(b)->wish;
	const struct screen_source *source = b->screen->source;

	(void)key;
	if (!source->has_option(source, browser_place(b)->command, "reverse")) {
		browser_tell(b, "this table cannot be sorted");
		return;
	}
	wanted.reverse = !wanted.reverse;
	browser_wish(b, wanted);
	place_go(browser_place(b), false);
}

/* w: every column or what fits; W: whole names, too. */
void act_widen(struct browser *b, int key)
{
	struct place *p = browser_place(b);
	struct place_wish wanted = p->wish;
	bool is_new = key == 'W' ? !wanted.whole : !wanted.wide && !wanted.whole;

	wanted.wide = is_new;
	wanted.whole = is_new && key == 'W';
	p->left = 0;
	if (p->habit->is_by_width) {
		browser_wish(b, wanted);
		return;
	}
	p->wish = wanted;
	if (p->answer)
		place_lay_out(p, b->screen, tty_columns(b->tty), NULL);
}

void act_tell_line(struct browser *b, int key)
{
	size_t cells = (size_t)tty_columns(b->tty);
	struct buf line, shown;

	(void)key;
	if (browser_place(b)->is_own)
		return;
	buf_init(&line, SIZE_MAX);
	buf_init(&shown, BROWSER_TEXT - 1);
	place_line(browser_place(b), b->screen, &line);
	utf8_add_shortened(&shown, buf_str(&line),
			   cells < BROWSER_TEXT / 2 ? cells : BROWSER_TEXT / 2);
	browser_tell(b, "%s", shown.p ? shown.p : "");
	buf_release(&line);
	buf_release(&shown);
}

void act_ask_again(struct browser *b, int key)
{
	(void)key;
	browser_wish(b, browser_place(b)->wish);
}
