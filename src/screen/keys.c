/* What the keys of the browser do: one table for that and for its help. */
#include <string.h>

#include "base/memtable.h"
#include "screen/actions.h"
#include "screen/browser.h"
#include "screen/place_lines.h"

#define CTRL(letter) ((letter)&0x1f)
#define MORE         4  /* times as many rows when one has come to the last */
#define SIDEWAYS     16 /* cells */

struct key {
	int keys[3];       /* 0: none */
	const char *names; /* NULL: the same as the row before it, which help tells */
	const char *help;
	void (*act)(struct browser *b, int key);
};

/* Rows that come on demand. */
static void move(struct browser *b, long by)
{
	struct place *p = browser_place(b);

	if (by > 0 && place_wants_more(p)) {
		struct place_wish wanted = p->wish;
		wanted.limit *= MORE;
		browser_wish(b, wanted);
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

static void quit(struct browser *b, int key)
{
	(void)key;
	b->is_over = true;
}

static void show_help(struct browser *b, int key);

static const struct key keys[] = {
	{ { 'j', TTY_DOWN }, "j k, Down Up", "next line, previous line", go_down },
	{ { 'k', TTY_UP }, NULL, NULL, go_up },
	{ { TTY_PAGE_DOWN, ' ', CTRL('f') },
	  "PgDn PgUp, Space b",
	  "next screen, previous screen",
	  page_down },
	{ { TTY_PAGE_UP, 'b', CTRL('b') }, NULL, NULL, page_up },
	{ { CTRL('d') }, "Ctrl-D Ctrl-U", "half a screen", page_down },
	{ { CTRL('u') }, NULL, NULL, page_up },
	{ { 'g', TTY_HOME }, "g G, Home End", "first row, last row", go_first },
	{ { 'G', TTY_END }, NULL, NULL, go_last },
	{ { 'h', TTY_LEFT }, "h l, Left Right", "scroll a wide table sideways", go_left },
	{ { 'l', TTY_RIGHT }, NULL, NULL, go_right },
	{ { TTY_ENTER },
	  "Enter",
	  "open the row; in a tree, fold or unfold it",
	  act_enter },
	{ { 'o' }, "o", "list what this row can open", act_choose_way },
	{ { '-' }, "- +", "fold, unfold all of a tree", act_fold_all },
	{ { '+' }, NULL, NULL, act_fold_all },
	{ { 'q', TTY_ESCAPE, TTY_BACKSPACE }, "q Esc", "go back", act_go_back },
	{ { '1', '2', '3' }, "1 to 9, 0", "section with this number", act_go_section },
	{ { '4', '5', '6' }, NULL, NULL, act_go_section },
	{ { '7', '8', '9' }, NULL, NULL, act_go_section },
	{ { '0' }, NULL, NULL, act_go_section },
	{ { '\t', TTY_BACK_TAB },
	  "Tab, Shift-Tab",
	  "next section, previous section",
	  act_next_section },
	{ { '/' }, "/", "search for text", search },
	{ { 'n', 'N' }, "n N", "next match, previous match", search_again },
	{ { '&', 'f' },
	  "& f",
	  "show only rows that match; an empty text shows all rows",
	  act_filter },
	{ { '<', '>' },
	  "< >",
	  "sort by the column to the left, to the right",
	  act_sort_next },
	{ { 's' }, "s", "choose the column to sort by", act_sort_choose },
	{ { 'r' }, "r", "reverse the order", act_reverse },
	{ { 'w', 'W' },
	  "w W",
	  "every column (w), whole names (W), or what fits",
	  act_widen },
	{ { 'y' }, "y", "show the command line that gives this table", act_tell_line },
	{ { 'R', CTRL('l') }, "R", "ask again", act_ask_again },
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
	p->is_own = true;
	place_lay_out(p, b->screen, tty_columns(b->tty), NULL);
	browser_open(b, p);
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
