/* What the keys of the browser do: one table for that and for its help. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/memtable.h"
#include "base/utf8.h"
#include "screen/browser.h"
#include "screen/place_lines.h"

#define CTRL(letter) ((letter)&0x1f)
#define MORE         4  /* times as many rows when one has come to the last */
#define SIDEWAYS     16 /* cells */
#define WAYS_MAX     16
#define COLUMNS_MAX  64

struct key {
	int keys[3];       /* 0: none */
	const char *names; /* NULL: the same as the row before it, which help tells */
	const char *help;
	void (*act)(struct browser *b, int key);
};

/* Asks again with another wish; where that fails all stays as it was. */
static void wish(struct browser *b, struct place_wish wanted)
{
	struct place *p = browser_place(b);
	struct place_wish before = p->wish;

	p->wish = wanted;
	p->is_asked = false;
	if (!browser_ask(b, p)) {
		p->wish = before;
		p->is_asked = true;
	}
}

/* Rows that come on demand. */
static void move(struct browser *b, long by)
{
	struct place *p = browser_place(b);

	if (by > 0 && place_wants_more(p)) {
		struct place_wish wanted = p->wish;
		wanted.limit *= MORE;
		wish(b, wanted);
	}
	place_move(p, by);
}

static void go_down(struct browser *b, int key)
{
	(void)key;
	move(b, 1);
}

static void go_up(struct browser *b, int key)
{
	(void)key;
	move(b, -1);
}

static void page_down(struct browser *b, int key)
{
	long half = key == CTRL('d') ? 2 : 1;

	move(b, (long)browser_height(b) / half);
}

static void page_up(struct browser *b, int key)
{
	long half = key == CTRL('u') ? 2 : 1;

	move(b, -(long)browser_height(b) / half);
}

static void go_first(struct browser *b, int key)
{
	(void)key;
	place_go(browser_place(b), false);
}

static void go_last(struct browser *b, int key)
{
	(void)key;
	place_go(browser_place(b), true);
}

static void go_left(struct browser *b, int key)
{
	struct place *p = browser_place(b);

	(void)key;
	p->left = p->left > SIDEWAYS ? p->left - SIDEWAYS : 0;
}

static void go_right(struct browser *b, int key)
{
	struct place *p = browser_place(b);

	(void)key;
	if (p->left + tty_columns(b->tty) < (int)p->sheet.widest)
		p->left += SIDEWAYS;
}

static void open_place(struct browser *b, struct place *p)
{
	struct place *back = browser_place(b);

	if (!p)
		return;
	p->back = back;
	b->places[b->section] = p;
	browser_ask(b, p);
}

/* The section whose command a line names: "ptool gaps trace.json"; nsections: none. */
static size_t section_named(const struct browser *b, struct str line)
{
	size_t at;

	if (!place_matches(line, "ptool ", &at))
		return b->nsections;
	line = str_behind(line, at + strlen("ptool "));
	for (size_t i = 0; i < b->nsections; i++) {
		struct str name = str_of(b->sections[i]->line);
		if (str_starts_with(line, name) &&
		    (line.n == name.n || line.p[name.n] == ' '))
			return i;
	}
	return b->nsections;
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

static void enter(struct browser *b, int key)
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
		open_place(b, place_of_way(p, list[0], at, b->screen));
	else if (!open_named(b))
		browser_tell(b, "nothing to go into here");
}

static void fold_all(struct browser *b, int key)
{
	place_fold(browser_place(b), key == '-', true);
}

static void choose_way(struct browser *b, int key)
{
	struct place *p = browser_place(b);
	const struct way *list[WAYS_MAX];
	char *lines[WAYS_MAX];
	size_t n = ways_of(b, list), at = place_at(p);

	(void)key;
	if (!n) {
		browser_tell(b, "nothing to go into here");
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
		open_place(b, place_of_way(p, list[chosen], at, b->screen));
}

static void go_back(struct browser *b, int key)
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

static void find(struct browser *b, bool backwards)
{
	if (b->found[0] && !place_find(browser_place(b), b->found, backwards))
		browser_tell_error(b, "not found");
}

static void search(struct browser *b, int key)
{
	char text[BROWSER_TEXT] = "";

	(void)key;
	if (!browser_prompt(b, "/", text))
		return;
	if (*text)
		memcpy(b->found, text, sizeof(text));
	find(b, false);
}

static void search_again(struct browser *b, int key)
{
	find(b, key == 'N');
}

/* Where the command has --focus, and no way has set it, the store is asked. */
static void filter(struct browser *b, int key)
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
	wish(b, wanted);
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
	wish(b, wanted);
	place_go(browser_place(b), false);
}

static void sort_next(struct browser *b, int key)
{
	const struct place *p = browser_place(b);
	const char *names[COLUMNS_MAX];
	size_t n = sort_columns(b, names), at = key == '>' ? n - 1 : 0;

	if (!n) {
		browser_tell(b, "this table has its own order");
		return;
	}
	for (size_t i = 0; p->wish.sort && i < n; i++)
		if (strcmp(names[i], p->wish.sort) == 0)
			at = i;
	sort_by(b, names[(at + (key == '>' ? 1 : n - 1)) % n]);
}

static void sort_choose(struct browser *b, int key)
{
	const char *names[COLUMNS_MAX];
	size_t n = sort_columns(b, names);

	(void)key;
	if (!n) {
		browser_tell(b, "this table has its own order");
		return;
	}
	size_t chosen = browser_choose(b, "Sort by", names, n);
	if (chosen != SHEET_NONE)
		sort_by(b, names[chosen]);
}

static void reverse(struct browser *b, int key)
{
	struct place_wish wanted = browser_place(b)->wish;
	const struct screen_source *source = b->screen->source;

	(void)key;
	if (!source->has_option(source, browser_place(b)->command, "reverse")) {
		browser_tell(b, "this table has its own order");
		return;
	}
	wanted.reverse = !wanted.reverse;
	wish(b, wanted);
	place_go(browser_place(b), false);
}

/* w: every column or what fits; W: whole names, too. */
static void widen(struct browser *b, int key)
{
	struct place *p = browser_place(b);
	struct place_wish wanted = p->wish;
	bool is_new = key == 'W' ? !wanted.whole : !wanted.wide && !wanted.whole;

	wanted.wide = is_new;
	wanted.whole = is_new && key == 'W';
	p->left = 0;
	if (p->habit->is_by_width) {
		wish(b, wanted);
		return;
	}
	p->wish = wanted;
	if (p->answer)
		place_lay_out(p, b->screen, tty_columns(b->tty), NULL);
}

static void tell_line(struct browser *b, int key)
{
	struct buf line;

	(void)key;
	buf_init(&line, BROWSER_TEXT - 1);
	place_line(browser_place(b), b->screen, &line);
	browser_tell(b, "%s", line.p ? line.p : "");
	buf_release(&line);
}

static void ask_again(struct browser *b, int key)
{
	(void)key;
	wish(b, browser_place(b)->wish);
}

static void go_section(struct browser *b, int key)
{
	size_t n = key == '0' ? 9 : (size_t)(key - '1');

	if (n >= b->nsections)
		return;
	b->section = n;
	browser_open_section(b);
}

static void next_section(struct browser *b, int key)
{
	size_t n = b->nsections;

	b->section = (b->section + (key == TTY_BACK_TAB ? n - 1 : 1)) % n;
	browser_open_section(b);
}

static void quit(struct browser *b, int key)
{
	(void)key;
	b->is_over = true;
}

static void show_help(struct browser *b, int key);

static const struct key keys[] = {
	{ { 'j', TTY_DOWN }, "j k, Down Up", "next line, line before", go_down },
	{ { 'k', TTY_UP }, NULL, NULL, go_up },
	{ { TTY_PAGE_DOWN, ' ', CTRL('f') },
	  "PgDn PgUp, Space b",
	  "next screen, screen before",
	  page_down },
	{ { TTY_PAGE_UP, 'b', CTRL('b') }, NULL, NULL, page_up },
	{ { CTRL('d') }, "Ctrl-D Ctrl-U", "half a screen", page_down },
	{ { CTRL('u') }, NULL, NULL, page_up },
	{ { 'g', TTY_HOME }, "g G, Home End", "first row, last row", go_first },
	{ { 'G', TTY_END }, NULL, NULL, go_last },
	{ { 'h', TTY_LEFT }, "h l, Left Right", "to the sides of wide tables", go_left },
	{ { 'l', TTY_RIGHT }, NULL, NULL, go_right },
	{ { TTY_ENTER }, "Enter", "go into the row; in a tree fold or unfold it", enter },
	{ { 'o' }, "o", "choose among the ways from this row", choose_way },
	{ { '-' }, "- +", "fold, unfold all of a tree", fold_all },
	{ { '+' }, NULL, NULL, fold_all },
	{ { 'q', TTY_ESCAPE, TTY_BACKSPACE }, "q Esc", "go back", go_back },
	{ { '1', '2', '3' }, "1 to 9, 0", "section of this number", go_section },
	{ { '4', '5', '6' }, NULL, NULL, go_section },
	{ { '7', '8', '9' }, NULL, NULL, go_section },
	{ { '0' }, NULL, NULL, go_section },
	{ { '\t', TTY_BACK_TAB },
	  "Tab, Shift-Tab",
	  "next section, section before",
	  next_section },
	{ { '/' }, "/", "search for text", search },
	{ { 'n', 'N' }, "n N", "next place found, place before", search_again },
	{ { '&', 'f' }, "& f", "only rows that match; an empty text shows all", filter },
	{ { '<', '>' },
	  "< >",
	  "sort by the column to the left, to the right",
	  sort_next },
	{ { 's' }, "s", "choose the column to sort by", sort_choose },
	{ { 'r' }, "r", "reverse the order", reverse },
	{ { 'w', 'W' }, "w W", "every column, and whole names, or what fits", widen },
	{ { 'y' }, "y", "show the command line that gives this table", tell_line },
	{ { 'R', CTRL('l') }, "R", "ask again", ask_again },
	{ { '?' }, "?", "this help", show_help },
	{ { 'Q' }, "Q", "quit", quit },
};

static struct table *table_of_keys(void)
{
	static const struct column columns[] = { { "key", "Key", UNIT_TEXT },
						 { "what", "What it does", UNIT_TEXT } };
	struct memtable *m = memtable_new(columns, 2);

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const struct cell cells[] = { cell_text_or_null(keys[i].names),
					      cell_text_or_null(keys[i].help) };
		if (keys[i].names)
			memtable_add_row(m, cells);
	}
	m->table.is_form = true;
	return &m->table;
}

static void show_help(struct browser *b, int key)
{
	static const struct section help = { "Help", "help", SCREEN_ANY };
	struct place *p = place_of_section(&help);

	(void)key;
	p->answer = table_of_keys();
	p->is_asked = true;
	place_lay_out(p, b->screen, tty_columns(b->tty), NULL);
	open_place(b, p);
}

void browser_do(struct browser *b, int key)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		for (size_t j = 0; j < sizeof(keys[i].keys) / sizeof(int); j++)
			if (keys[i].keys[j] == key) {
				keys[i].act(b, key);
				return;
			}
}
