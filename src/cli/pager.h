/*
 * Long output goes through a pager: $PTOOL_PAGER, $PAGER, else less -FRSX,
 * and only when standard output is a terminal.
 */
#ifndef PTOOL_CLI_PAGER_H
#define PTOOL_CLI_PAGER_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

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
