/* From one place of the browser to another: see actions.h. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "screen/actions.h"
#include "screen/browser.h"
#include "screen/place_lines.h"

#define WAYS_MAX 16

void browser_open(struct browser *b, struct place *p)
{
	struct place *back = browser_place(b);

	if (!p)
		return;
	p->back = back;
	b->places[b->section] = p;
	browser_ask(b, p);
}

/*
 * The section whose command a line names: "ptool gaps trace.json"; of "steps" and
 * "steps --by=phase" the longer one; nsections: none.
 */
static size_t section_named(const struct browser *b, struct str line)
{
	size_t at, best = b->nsections, longest = 0;

	if (!place_matches(line, "ptool ", &at))
		return b->nsections;
	line = str_behind(line, at + strlen("ptool "));
	for (size_t i = 0; i < b->nsections; i++) {
		struct str name = str_of(b->sections[i]->line);
		if (name.n > longest && str_starts_with(line, name) &&
		    (line.n == name.n || line.p[name.n] == ' ')) {
			best = i;
			longest = name.n;
		}
	}
	return best;
}

/* Of a block of text, the first line of which names a command. */
static bool open_named(struct browser *b)
{
	const struct place *p = browser_place(b);

	for (size_t i = p->cursor + 1; i-- > 0;) {
		size_t line = p->shown[i];
		size_t section = section_named(b, sheet_text(&p->sheet, line));
		if (p->sheet.lines[line].kind == DRAWN_ROW || !p->sheet.lines[line].n)
			return false;
		if (section < b->nsections) {
			b->section = section;
			browser_open_section(b);
			return true;
		}
	}
	return false;
}

static size_t ways_of(const struct browser *b, const struct way *list[WAYS_MAX])
{
	const struct place *p = browser_place(b);
	size_t at = place_at(p), n = 0;
	struct str text;

	for (const struct way *w = ways; at != SHEET_NONE && w->from && n < WAYS_MAX; w++)
		if (place_has_way(p, b->screen, w, at, &text))
			list[n++] = w;
	return n;
}

void act_enter(struct browser *b, int key)
{
	struct place *p = browser_place(b);
	size_t at = place_at(p);
	const struct way *list[WAYS_MAX];

	(void)key;
	if (at == SHEET_NONE)
		return;
	if (place_folds(p, at))
		place_fold(p, !p->folded[at], false);
	else if (ways_of(b, list))
		browser_open(b, place_of_way(p, list[0], at, b->screen));
	else if (!open_named(b))
		browser_tell(b, "nothing to open here");
}

void act_fold_all(struct browser *b, int key)
{
	place_fold(browser_place(b), key == '-', true);
}

void act_choose_way(struct browser *b, int key)
{
	struct place *p = browser_place(b);
	const struct way *list[WAYS_MAX];
	char *lines[WAYS_MAX];
	size_t n = ways_of(b, list), at = place_at(p);

	(void)key;
	if (!n) {
		browser_tell(b, "nothing to open here");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct str text;
		struct buf name, line;
		buf_init(&name, BROWSER_TEXT);
		buf_init(&line, (size_t)8 * BROWSER_TEXT);
		place_has_way(p, b->screen, list[i], at, &text);
		place_name_way(list[i], utf8_cut(text, BROWSER_TEXT / 2), &name);
		utf8_add_visible(&line, buf_str(&name));
		lines[i] = xstrndup(line.p, line.n);
		buf_release(&name);
		buf_release(&line);
	}
	size_t chosen = browser_choose(b, "Go to", (const char *const *)lines, n);
	for (size_t i = 0; i < n; i++)
		free(lines[i]);
	if (chosen != SHEET_NONE)
		browser_open(b, place_of_way(p, list[chosen], at, b->screen));
}

void act_go_back(struct browser *b, int key)
{
	struct place *p = browser_place(b);

	if (p->back) {
		b->places[b->section] = p->back;
		place_free(p);
	} else if (key == 'q') {
		b->is_over = true;
	} else {
		browser_tell(b, "Q quits");
	}
}

void act_go_section(struct browser *b, int key)
{
	size_t n = key == '0' ? 9 : (size_t)(key - '1');

	if (n >= b->nsections)
		return;
	b->section = n;
	browser_open_section(b);
}

void act_next_section(struct browser *b, int key)
{
	size_t n = b->nsections;

	b->section = (b->section + (key == TTY_BACK_TAB ? n - 1 : 1)) % n;
	browser_open_section(b);
}
