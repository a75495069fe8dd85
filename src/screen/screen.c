/* The browser's life: see screen.h and browser.h. */
#include "screen/screen.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "screen/browser.h"
#include "screen/place_lines.h"

struct place *browser_place(const struct browser *b)
{
	return b->places[b->section];
}

size_t browser_height(const struct browser *b)
{
	int lines = tty_lines(b->tty) - BROWSER_ABOVE - BROWSER_BELOW;

	return lines > 1 ? (size_t)lines : 1;
}

void browser_tell(struct browser *b, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(b->message, sizeof(b->message), fmt, args);
	va_end(args);
	b->is_error = false;
}

void browser_tell_error(struct browser *b, const char *text)
{
	browser_tell(b, "%s", text);
	b->is_error = true;
}

void browser_open_section(struct browser *b)
{
	if (!b->places[b->section])
		b->places[b->section] = place_of_section(b->sections[b->section]);
	browser_ask(b, browser_place(b));
}

/* Tables that were made for another width are asked for again where that matters. */
static void fit(struct browser *b)
{
	struct place *p = browser_place(b);
	int columns = tty_columns(b->tty);

	if (p->width == columns)
		return;
	p->left = 0;
	if (p->habit->is_by_width && p->answer) {
		p->is_asked = false;
		browser_ask(b, p);
		p->is_asked = true;
	} else if (p->answer) {
		place_lay_out(p, b->screen, columns, NULL);
	}
}

int browser_key(struct browser *b)
{
	int key;

	if (b->npending) {
		key = b->pending[0];
		b->npending--;
		memmove(b->pending, b->pending + 1, b->npending * sizeof(key));
		return key;
	}
	key = tty_key(b->tty, -1, -1);
	if (key == TTY_ENDED)
		b->is_over = true;
	return key;
}

bool browser_has_key(const struct browser *b)
{
	return b->npending || tty_has_key(b->tty);
}

static void choose_sections(struct browser *b)
{
	for (const struct section *s = sections; s->title; s++)
		if (s->kinds & b->screen->kinds && b->nsections < BROWSER_SECTIONS)
			b->sections[b->nsections++] = s;
}

static void run(struct browser *b)
{
	browser_open_section(b);
	while (!b->is_over) {
		fit(b);
		if (!browser_has_key(b)) {
			browser_draw(b);
			tty_show(b->tty);
		}
		int key = browser_key(b);
		if (key == TTY_TIMEOUT)
			continue;
		b->message[0] = '\0';
		b->is_error = false;
		if (key == TTY_INTERRUPT)
			browser_tell(b, "Q quits");
		else
			browser_do(b, key);
	}
}

static void release(struct browser *b)
{
	for (size_t i = 0; i < b->nsections; i++)
		while (b->places[i]) {
			struct place *p = b->places[i];
			b->places[i] = p->back;
			place_free(p);
		}
}

int screen_run(const struct screen *screen, struct err *err)
{
	const struct tty_options options = { .color = screen->color,
					     .is_ascii = screen->is_ascii };
	struct browser b = { .screen = screen };

	b.tty = tty_open(&options, err);
	if (!b.tty)
		return -1;
	choose_sections(&b);
	run(&b);
	int number = tty_signal(b.tty);
	tty_close(b.tty);
	release(&b);
	return number;
}
