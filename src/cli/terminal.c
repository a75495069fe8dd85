/* Terminals: see terminal.h. */
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define USUAL_WIDTH 80
#define PIPE_WIDTH  120
#define WIDEST      10000

const char *const terminal_color_choices[] = { "auto", "always", "never", NULL };

bool terminal_is(int fd)
{
	return isatty(fd) == 1;
}

/* $COLUMNS when it is exported and makes sense, else 0. */
static int width_from_environment(void)
{
	const char *text = getenv("COLUMNS");
	long columns = text ? strtol(text, NULL, 10) : 0;

	return columns > 0 && columns <= WIDEST ? (int)columns : 0;
}

int terminal_width(int fd)
{
	struct winsize size;
	int width = width_from_environment();

	if (width)
		return width;
	if (!terminal_is(fd))
		return PIPE_WIDTH;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return USUAL_WIDTH;
}

/* Set and not empty, as no-color.org has it. */
static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

bool terminal_is_ascii(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);
		if (value && *value)
			return strcmp(value, "C") == 0 || strcmp(value, "POSIX") == 0;
	}
	return false;
}

bool terminal_color(const char *when, int fd)
{
	const char *term = getenv("TERM");
	const char *forced = getenv("CLICOLOR_FORCE");

	if (strcmp(when, "always") == 0)
		return true;
	if (strcmp(when, "never") == 0 || is_set("NO_COLOR"))
		return false;
	if (forced && *forced && strcmp(forced, "0") != 0)
		return true;
	return terminal_is(fd) && term && strcmp(term, "dumb") != 0;
}
