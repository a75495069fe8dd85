/*
 * Ctrl-C.  Most commands leave it alone and die of it.  Long work that must
 * clean up asks a flag instead, and exits 130.
 */
#ifndef PTOOL_CLI_INTERRUPT_H
#define PTOOL_CLI_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * From now on the first SIGINT, SIGTERM or SIGHUP only sets the flag; a second
 * one kills.
 */
void interrupt_catch(void);
/* 0, or -1 with an ERR_INTERRUPT when the flag is set. */
int interrupt_check(struct err *err);
/* The same for who asks with a pointer, which is not used. */
int interrupt_asked(void *unused, struct err *err);

/* The files below go too when the program ends for want of memory: to be called once. */
void interrupt_tidy_without_memory(void);

/* What is to be done where the flag would be asked too late; all borrowed. */
struct interrupt_leave {
	const char *temporary;  /* a file that goes */
	const char *lock;       /* and one beside it, or NULL */
	const char *folder;     /* and then the empty folder, or NULL */
	const char *last_words; /* for stderr */
	size_t nlast_words;
	int exit_code;
};

/*
 * The first signal of interrupt_catch() ends the process at once: whatever the
 * program is at, these files are removed and the words said.  When `temporary` is
 * there no longer, what it was for is done or given up already; then the signal
 * only sets the flag.  NULL: no longer; till then the struct must live.
 */
void interrupt_leave(const struct interrupt_leave *leave);

/* Work that looks at no clock; all borrowed. */
struct interrupt_alarm {
	unsigned seconds;
	const volatile sig_atomic_t *is_running; /* 0: it is not at work, and may go on */
	const char *last_words;                  /* for stderr */
	size_t nlast_words;
	int exit_code;
};

/*
 * The process ends when so many seconds have passed and the work still runs: the files
 * of interrupt_leave() and interrupt_unlink() go, the words are said.  NULL: no longer; till then the struct
 * must live.
 */
void interrupt_alarm(const struct interrupt_alarm *a);

/*
 * Remove this file when a signal kills the process; NULL: no longer.  The text
 * stays the caller's and must live until then.
 */
void interrupt_unlink(const char *path);

#endif
