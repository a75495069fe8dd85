/* The terminal: see tty.h. */
#include "screen/tty.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

#include "base/alloc.h"
#include "base/drawn_ascii.h"
#include "base/utf8.h"

#define ESCAPE_MS 25 /* how long the rest of a key that begins with Escape may take */

/* No screen is larger, whatever a terminal says; curses counts in 15 bits. */
#define LINES_MOST   1024
#define COLUMNS_MOST 4096

enum { PAIR_BAR = 1, PAIR_FOUND, PAIR_ERROR };

struct tty {
	SCREEN *screen;
	FILE *in; /* owned where it is not stdin */
	bool color, is_ascii;
	sigset_t waiting; /* signals that are blocked while it waits */
	struct sigaction before[NSIG];
};

/* A signal handler has nothing but globals to go by. */
static volatile sig_atomic_t ended, interrupted, resized, stopped;
static volatile sig_atomic_t is_open;

static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP };

static void on_signal(int number)
{
	if (number == SIGINT)
		interrupted = 1;
	else if (number == SIGWINCH)
		resized = 1;
	else if (number == SIGTSTP)
		stopped = 1;
	else
		ended = number;
}

/* Out of memory, see alloc.c: nothing is left but to be legible. */
static void on_quick_exit(void)
{
	if (is_open)
		endwin();
}

/*
 * SIGTSTP too: curses' own handler, when a second one comes while it runs, takes the modes of
 * the program for those of the terminal before.
 */
static void catch_signals(struct tty *t)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t blocked;

	sigemptyset(&action.sa_mask);
	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++) {
		sigaction(caught[i], &action, &t->before[caught[i]]);
		sigaddset(&blocked, caught[i]);
	}
	if (t->before[SIGTSTP].sa_handler == SIG_IGN) /* nobody could continue it */
		sigaction(SIGTSTP, &t->before[SIGTSTP], NULL);
	sigprocmask(SIG_BLOCK, &blocked, &t->waiting);
}

static void release_signals(struct tty *t)
{
	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++)
		sigaction(caught[i], &t->before[caught[i]], NULL);
	sigprocmask(SIG_SETMASK, &t->waiting, NULL);
}

void tty_forget_signals(void)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };
	sigset_t none;

	is_open = 0;
	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++)
		sigaction(caught[i], &usual, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void set_colors(struct tty *t)
{
	t->color = t->color && has_colors() && start_color() == OK;
	if (!t->color)
		return;
	use_default_colors();
	init_pair(PAIR_BAR, COLOR_CYAN, -1);
	init_pair(PAIR_FOUND, COLOR_YELLOW, -1);
	init_pair(PAIR_ERROR, COLOR_RED, -1);
}

static attr_t attributes(const struct tty *t, enum look look)
{
	switch (look) {
	case LOOK_PLAIN:
		return A_NORMAL;
	case LOOK_HEADING:
		return A_BOLD;
	case LOOK_DIM:
		return A_DIM;
	case LOOK_BAR:
		return t->color ? COLOR_PAIR(PAIR_BAR) : A_NORMAL;
	case LOOK_CHOSEN:
		return A_REVERSE;
	case LOOK_FOUND:
		return A_UNDERLINE | (t->color ? COLOR_PAIR(PAIR_FOUND) : A_BOLD);
	case LOOK_ERROR:
		return A_BOLD | (t->color ? COLOR_PAIR(PAIR_ERROR) : A_NORMAL);
	}
	return A_NORMAL;
}

/* Can it put text at a place? */
static bool can_place(void)
{
	return cursor_address && *cursor_address && clear_screen && *clear_screen;
}

static int refuse(struct tty *t, struct err *err)
{
	const char *name = getenv("TERM");

	if (t->in && t->in != stdin)
		fclose(t->in);
	free(t);
	return err_set(err, ERR_USAGE,
		       "the terminal '%.100s' shows no full screens: use the commands "
		       "that 'ptool --help' lists",
		       name ? name : "");
}

/* False where the terminal does not tell. */
static bool size_of(const struct tty *t, struct winsize *size)
{
	if (ioctl(fileno(t->in), TIOCGWINSZ, size) < 0 || !size->ws_row || !size->ws_col)
		return false;
	size->ws_row = size->ws_row < LINES_MOST ? size->ws_row : LINES_MOST;
	size->ws_col = size->ws_col < COLUMNS_MOST ? size->ws_col : COLUMNS_MOST;
	return true;
}

/* As large as the terminal says, also when that changes; NULL: it cannot. */
static SCREEN *new_screen(const struct tty *t)
{
	struct winsize size;
	char number[16];

	unsetenv("LINES");
	unsetenv("COLUMNS");
	if (size_of(t, &size)) {
		snprintf(number, sizeof(number), "%d", size.ws_row);
		setenv("LINES", number, 1);
		snprintf(number, sizeof(number), "%d", size.ws_col);
		setenv("COLUMNS", number, 1);
	}
	SCREEN *screen = newterm(NULL, stdout, t->in);
	unsetenv("LINES");
	unsetenv("COLUMNS");
	return screen;
}

struct tty *tty_open(const struct tty_options *options, struct err *err)
{
	struct tty *t = xcalloc(1, sizeof(*t));

	t->color = options->color;
	t->is_ascii = options->is_ascii;
	t->in = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "re");
	/* names are drawn as what they are, whatever the locale says */
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		setlocale(LC_CTYPE, "");
	catch_signals(t);
	t->screen = t->in ? new_screen(t) : NULL;
	if (!t->screen || !can_place()) {
		if (t->screen)
			endwin();
		release_signals(t);
		refuse(t, err);
		return NULL;
	}
	is_open = 1;
	(void)at_quick_exit(on_quick_exit); /* or the terminal stays as it is */
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	set_colors(t);
	curs_set(0);
	return t;
}

void tty_close(struct tty *t)
{
	if (!t)
		return;
	curs_set(1);
	endwin();
	is_open = 0;
	delscreen(t->screen);
	release_signals(t);
	if (t->in != stdin)
		fclose(t->in);
	free(t);
}

int tty_signal(const struct tty *t)
{
	(void)t;
	return ended;
}

int tty_lines(const struct tty *t)
{
	(void)t;
	return LINES;
}

int tty_columns(const struct tty *t)
{
	(void)t;
	return COLS;
}

void tty_clear(struct tty *t)
{
	(void)t;
	erase();
}

/* A character with the marks that it bears. */
struct cell_text {
	wchar_t wide[CCHARW_MAX];
	size_t n;
	int cells;
};

/* The next one; false at the end. */
static bool next_cell(const struct tty *t, struct str *text, struct cell_text *c)
{
	uint32_t code;

	c->n = 0;
	c->cells = 0;
	while (text->n) {
		size_t n = utf8_decode(*text, &code);
		int cells = (int)utf8_width((struct str){ text->p, n });
		if (c->n && cells > 0)
			break;
		char ascii = '\0';
		if (t->is_ascii)
			ascii = drawn_ascii(code);
		if (code == UTF8_INVALID || code < ' ' || code == 0x7f)
			ascii = '?';
		wchar_t wide = ascii ? (wchar_t)ascii : (wchar_t)code;
		if (wcwidth(wide) < 0)
			wide = 0xfffd;
		if (c->n < CCHARW_MAX - 1)
			c->wide[c->n++] = wide;
		c->cells += cells;
		*text = str_behind(*text, n);
	}
	c->wide[c->n] = L'\0';
	return c->n > 0;
}

/*
 * Each character at its own place: where curses thinks another width of one, the next
 * columns still stand where they belong.
 */
void tty_text(struct tty *t, struct tty_spot spot, struct str text, enum look look)
{
	attr_t attr = attributes(t, look);
	int line = spot.line, column = spot.column, cells = spot.cells;
	struct cell_text c;
	int at = -spot.skip;
	cchar_t drawn;

	if (line < 0 || line >= LINES || column >= COLS)
		return;
	if (cells > COLS - column)
		cells = COLS - column;
	attrset((int)attr);
	mvhline(line, column, ' ', cells);
	while (at < cells && next_cell(t, &text, &c)) {
		if (at >= 0 && at + c.cells <= cells &&
		    setcchar(&drawn, c.wide, attr, (short)PAIR_NUMBER(attr), NULL) == OK)
			mvadd_wch(line, column + at, &drawn);
		at += c.cells;
	}
	attrset(A_NORMAL);
}

void tty_cursor(struct tty *t, int line, int column)
{
	(void)t;
	curs_set(line >= 0);
	if (line >= 0)
		move(line, column);
}

void tty_show(struct tty *t)
{
	(void)t;
	refresh();
}

/* Characters that are keys of their own. */
static int of_character(wint_t c)
{
	switch (c) {
	case 0x1b:
		return TTY_ESCAPE;
	case '\r':
	case '\n':
		return TTY_ENTER;
	case 0x7f:
	case '\b':
		return TTY_BACKSPACE;
	case 3:
		return TTY_INTERRUPT;
	default:
		return (int)c;
	}
}

static const struct {
	int curses, key;
} function_keys[] = {
	{ KEY_UP, TTY_UP },         { KEY_DOWN, TTY_DOWN },
	{ KEY_LEFT, TTY_LEFT },     { KEY_RIGHT, TTY_RIGHT },
	{ KEY_PPAGE, TTY_PAGE_UP }, { KEY_NPAGE, TTY_PAGE_DOWN },
	{ KEY_HOME, TTY_HOME },     { KEY_END, TTY_END },
	{ KEY_BTAB, TTY_BACK_TAB }, { KEY_BACKSPACE, TTY_BACKSPACE },
	{ KEY_ENTER, TTY_ENTER },   { KEY_A1, TTY_HOME },
	{ KEY_C1, TTY_END },        { KEY_A3, TTY_PAGE_UP },
	{ KEY_C3, TTY_PAGE_DOWN },  { KEY_RESIZE, TTY_RESIZED },
};

/* A key that is there already; TTY_TIMEOUT: none is. */
static int key_now(void)
{
	wint_t c;
	int rc = get_wch(&c);

	if (rc == ERR)
		return TTY_TIMEOUT;
	if (rc == OK)
		return of_character(c);
	for (size_t i = 0; i < sizeof(function_keys) / sizeof(*function_keys); i++)
		if (function_keys[i].curses == (int)c)
			return function_keys[i].key;
	return TTY_UNKNOWN;
}

static void take_size(const struct tty *t)
{
	struct winsize size;

	if (size_of(t, &size))
		resizeterm(size.ws_row, size.ws_col);
	clear();
}

/* Ctrl-Z: gives the terminal back until somebody continues the program. */
static void stop_here(const struct tty *t)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	struct sigaction ours;
	sigset_t stop;

	endwin();
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigaction(SIGTSTP, &usual, &ours);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &stop, NULL); /* here it stops */
	sigprocmask(SIG_BLOCK, &stop, NULL);
	sigaction(SIGTSTP, &ours, NULL);
	def_shell_mode(); /* which may be others now */
	take_size(t);
}

/* What signals said; TTY_TIMEOUT: nothing. */
static int key_of_signals(const struct tty *t)
{
	if (ended)
		return TTY_ENDED;
	if (interrupted) {
		interrupted = 0;
		return TTY_INTERRUPT;
	}
	if (stopped) {
		stopped = 0;
		stop_here(t);
		return TTY_RESIZED;
	}
	if (resized) {
		resized = 0;
		take_size(t);
		return TTY_RESIZED;
	}
	return TTY_TIMEOUT;
}

bool tty_has_key(const struct tty *t)
{
	struct pollfd polled = { .fd = fileno(t->in), .events = POLLIN };

	return poll(&polled, 1, 0) > 0 && polled.revents & POLLIN;
}

int tty_key(struct tty *t, int fd, int timeout_ms)
{
	struct pollfd polled[] = { { .fd = fileno(t->in), .events = POLLIN },
				   { .fd = fd, .events = POLLIN } };
	struct timespec wait = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };
	bool had_key = tty_has_key(t);
	int key = key_now();

	/* bytes that were no key, for which the caller has not drawn */
	if (key != TTY_TIMEOUT || (had_key && !tty_has_key(t)))
		return key;
	int n = ppoll(polled, fd < 0 ? 1 : 2, timeout_ms < 0 ? NULL : &wait, &t->waiting);
	key = key_of_signals(t);
	if (n <= 0 || key != TTY_TIMEOUT) /* after SIGTSTP, too */
		return n < 0 && errno != EINTR ? TTY_ENDED : key;
	if (polled[0].revents) {
		key = key_now();
		if (key != TTY_TIMEOUT)
			return key;
		if (polled[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			return TTY_ENDED;
	}
	return fd >= 0 && polled[1].revents ? TTY_READY : TTY_TIMEOUT;
}
