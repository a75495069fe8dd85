/*
 * The terminal while a program fills all of it: text at places, keys one by one, and all
 * as it was when the program ends.  The only code that knows curses.
 */
#ifndef PTOOL_SCREEN_TTY_H
#define PTOOL_SCREEN_TTY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct tty;

enum look {
	LOOK_PLAIN,
	LOOK_HEADING,
	LOOK_DIM,
	LOOK_BAR,    /* the line at the top */
	LOOK_CHOSEN, /* the row, or the section, that one is at */
	LOOK_FOUND,
	LOOK_ERROR
};

/* Keys that are no characters; characters are their code points. */
enum tty_key {
	TTY_UP = 0x110000, /* beyond all code points */
	TTY_DOWN,
	TTY_LEFT,
	TTY_RIGHT,
	TTY_PAGE_UP,
	TTY_PAGE_DOWN,
	TTY_HOME,
	TTY_END,
	TTY_BACK_TAB,
	TTY_BACKSPACE,
	TTY_ENTER,
	TTY_ESCAPE,
	TTY_INTERRUPT, /* Ctrl-C */
	TTY_RESIZED,
	TTY_READY,   /* the descriptor has something to read, or its end */
	TTY_TIMEOUT, /* nothing came */
	TTY_ENDED,   /* SIGTERM, SIGHUP, or the terminal went away */
	TTY_UNKNOWN
};

struct tty_options {
	bool color;
	bool is_ascii; /* what ptool itself draws is drawn in ASCII */
};

/*
 * Takes over the terminal: output is standard output, keys come from standard input, or
 * from the terminal itself where that is another file.  ERR_USAGE where there is none
 * that can do it.
 */
struct tty *tty_open(const struct tty_options *options, struct err *err);
/* Gives the terminal back; accepts NULL. */
void tty_close(struct tty *t);
/* The signal of TTY_ENDED; 0: there was none. */
int tty_signal(const struct tty *t);

int tty_lines(const struct tty *t);
int tty_columns(const struct tty *t);

void tty_clear(struct tty *t);
/* Where a text stands. */
struct tty_spot {
	int line, column;
	int cells; /* at most; what the text leaves of them is blank */
	int skip;  /* its first cells that are not drawn */
};
void tty_text(struct tty *t, struct tty_spot spot, struct str text, enum look look);
/* Where the cursor is shown; line -1: nowhere. */
void tty_cursor(struct tty *t, int line, int column);
/* Shows what was drawn. */
void tty_show(struct tty *t);

/*
 * The next key.  fd: to be watched for input too, or -1; timeout_ms: -1 waits for ever.
 * TTY_TIMEOUT also where what tty_has_key() saw was no key.
 */
int tty_key(struct tty *t, int fd, int timeout_ms);
/* Is a key waiting for tty_key()?  Then a frame drawn now would be replaced at once. */
bool tty_has_key(const struct tty *t);

/* In a process that was forked off: signals do what they do elsewhere. */
void tty_forget_signals(void);

#endif
