/*
 * Ctrl-C.  Most commands leave it alone and die of it.  Long work that must
 * clean up asks a flag instead, and exits 130.
 */
#ifndef PTOOL_CLI_INTERRUPT_H
#define PTOOL_CLI_INTERRUPT_H

#include <stdbool.h>

#include "base/err.h"

/*
 * From now on the first SIGINT, SIGTERM or SIGHUP only sets the flag; a second
 * one kills.
 */
void interrupt_catch(void);
bool interrupt_pending(void);
/* 0, or -1 with an ERR_INTERRUPT when the flag is set. */
int interrupt_check(struct err *err);

/*
 * Remove this file when a signal kills the process; NULL: no longer.  The text
 * stays the caller's and must live until then.
 */
void interrupt_unlink(const char *path);

#endif
