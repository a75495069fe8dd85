/*
 * What is on the other end of a stream.
 */
#ifndef PTOOL_CLI_TERMINAL_H
#define PTOOL_CLI_TERMINAL_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

bool terminal_is(int fd);
/* Columns: $COLUMNS, else the terminal's own, else 80; 120 when fd is no terminal. */
int terminal_width(int fd);
/* Lines: $LINES, else the terminal's own, else 24; 0 when fd is no terminal. */
int terminal_height(int fd);

/*
 * Does the locale (LC_ALL, else LC_CTYPE, else LANG) say C or POSIX?  Where none is set
 * it does not.
 */
bool terminal_is_ascii(void);

/* Values of --color, NULL-terminated. */
extern const char *const terminal_color_choices[];
/*
 * "always", "never", or "auto": NO_COLOR says no, CLICOLOR_FORCE yes, else a
 * terminal that is not dumb.
 */
bool terminal_color(const char *when, int fd);

/*
 * Long output goes through a pager: $PTOOL_PAGER, $PAGER, else less -FRSX,
 * and only when standard output is a terminal.
 */
struct pager {
	pid_t pid; /* 0: none was started */
	FILE *out; /* where to write: the pager's end of a pipe, or stdout */
	struct sigaction interrupt; /* what Ctrl-C did before */
};

/* Never fails: without a pager `out` is stdout. */
void pager_open(struct pager *pager, bool wanted);
/* Closes the pipe and waits until the reader has left the pager. */
void pager_close(struct pager *pager);

#endif
