/*
 * The browser itself: sections, each with the places that one went to, and what is told
 * on the last line.  Shared by the files of this folder; screen.h is for others.
 */
#ifndef PTOOL_SCREEN_BROWSER_H
#define PTOOL_SCREEN_BROWSER_H

#include <stdbool.h>
#include <stddef.h>

#include "screen/place.h"
#include "screen/screen.h"
#include "screen/tty.h"

#define BROWSER_SECTIONS 24
#define BROWSER_PENDING  64
#define BROWSER_TEXT     512 /* bytes of what is typed, and of messages */

#define BROWSER_ABOVE 2 /* lines above the table: sections, and where one is */
#define BROWSER_BELOW 1

struct browser {
	const struct screen *screen;
	struct tty *tty;
	const struct section *sections[BROWSER_SECTIONS]; /* of this recording */
	struct place *places[BROWSER_SECTIONS]; /* owned; the newest of each, or NULL */
	size_t nsections, section;
	char message[BROWSER_TEXT];
	bool is_error, is_over;
	char found[BROWSER_TEXT];     /* what was searched for last */
	int pending[BROWSER_PENDING]; /* keys that came while a question was answered */
	size_t npending;
};

struct place *browser_place(const struct browser *b);
/* Lines that a table has on screen. */
size_t browser_height(const struct browser *b);
__attribute__((format(printf, 2, 3))) void browser_tell(struct browser *b,
							const char *fmt, ...);
void browser_tell_error(struct browser *b, const char *text);

/* The next key, one that is pending first. */
int browser_key(struct browser *b);
/* Is there one already?  Then what would be drawn before it need not be. */
bool browser_has_key(const struct browser *b);

/*
 * Asks for the place's table, unless it is there, and lays it out.  False where that
 * failed and the table is the one from before; the reason is the message.
 */
bool browser_ask(struct browser *b, struct place *p);
/* Goes to where one was in the present section. */
void browser_open_section(struct browser *b);

/* Draws all of it. */
void browser_draw(struct browser *b);

/*
 * Lets the user type a line, which begins as `text`; false: Escape.  `text` has
 * BROWSER_TEXT bytes.
 */
bool browser_prompt(struct browser *b, const char *label, char *text);
/* Lets the user choose one of the lines; its place, or SHEET_NONE. */
size_t browser_choose(struct browser *b, const char *title, const char *const *lines,
		      size_t n);

/* Does what the key is for. */
void browser_do(struct browser *b, int key);

#endif
