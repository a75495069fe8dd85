/* What the browser asks its user: a line of text, or one of several. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "screen/browser.h"

#define CTRL_U ('U' & 0x1f)

static void draw_prompt(struct browser *b, const char *label, const char *text)
{
	int columns = tty_columns(b->tty), y = tty_lines(b->tty) - 1;
	struct buf line;

	buf_init(&line, (size_t)4 * BROWSER_TEXT + 64);
	buf_add_text(&line, label);
	utf8_add_visible(&line, str_of(text));
	int width = (int)utf8_width(buf_str(&line));
	int skip = width < columns ? 0 : width - columns + 1;
	browser_draw(b);
	tty_text(b->tty, (struct tty_spot){ y, 0, columns, skip }, buf_str(&line),
		 LOOK_PLAIN);
	tty_cursor(b->tty, y, width - skip);
	tty_show(b->tty);
	buf_release(&line);
}

static void drop_last(char *text)
{
	size_t n = strlen(text);

	while (n > 0 && ((unsigned char)text[--n] & 0xc0) == 0x80)
		text[n] = '\0';
	text[n] = '\0';
}

static void add_typed(char *text, int key)
{
	struct buf more;
	size_t n = strlen(text);

	buf_init(&more, 8);
	utf8_add(&more, (uint32_t)key);
	if (n + more.n < BROWSER_TEXT)
		memcpy(text + n, more.p, more.n + 1);
	buf_release(&more);
}

bool browser_prompt(struct browser *b, const char *label, char *text)
{
	for (;;) {
		if (!browser_has_key(b))
			draw_prompt(b, label, text);
		int key = browser_key(b);
		if (key == TTY_ENTER)
			return true;
		if (key == TTY_ESCAPE || key == TTY_INTERRUPT || b->is_over)
			return false;
		if (key == TTY_BACKSPACE && !*text)
			return false;
		if (key == TTY_BACKSPACE)
			drop_last(text);
		else if (key == CTRL_U)
			*text = '\0';
		else if (key >= ' ' && key < TTY_UP)
			add_typed(text, key);
	}
}

/* The lines stand at the bottom, above the last one. */
static void draw_choice(struct browser *b, const char *title, const char *const *lines,
			size_t n, size_t chosen)
{
	int columns = tty_columns(b->tty), last = tty_lines(b->tty) - 1;
	size_t room = browser_height(b) - 1, shown = n < room ? n : room;
	size_t first = chosen < shown ? 0 : chosen - shown + 1;
	int y = last - (int)shown - 1;
	static const char digits[] = "123456789";
	char label[BROWSER_TEXT];

	browser_draw(b);
	tty_text(b->tty, (struct tty_spot){ y, 0, columns, 0 }, str_of(title),
		 LOOK_HEADING);
	for (size_t i = first; i < first + shown; i++) {
		const char *digit = i < strlen(digits) ? digits + i : " ";
		snprintf(label, sizeof(label), " %.1s  %s", digit, lines[i]);
		tty_text(b->tty, (struct tty_spot){ ++y, 0, columns, 0 }, str_of(label),
			 i == chosen ? LOOK_CHOSEN : LOOK_PLAIN);
	}
	tty_text(b->tty, (struct tty_spot){ last, 0, columns, 0 },
		 STR_LIT("Enter: choose  q: back"), LOOK_DIM);
	tty_show(b->tty);
}

size_t browser_choose(struct browser *b, const char *title, const char *const *lines,
		      size_t n)
{
	size_t chosen = 0;

	while (!b->is_over) {
		if (!browser_has_key(b))
			draw_choice(b, title, lines, n, chosen);
		int key = browser_key(b);
		if (key == TTY_ENTER)
			return chosen;
		if (key == TTY_ESCAPE || key == TTY_INTERRUPT || key == 'q')
			break;
		if ((key == 'j' || key == TTY_DOWN) && chosen + 1 < n)
			chosen++;
		else if ((key == 'k' || key == TTY_UP) && chosen > 0)
			chosen--;
		else if (key >= '1' && key <= '9' && (size_t)(key - '1') < n)
			return (size_t)(key - '1');
	}
	return SHEET_NONE;
}
