/*
 * A page that cannot be read: see bad_page.h.
 *
 * The signal comes from the instruction that read the page.  That is SQLite, copying or
 * comparing bytes of a store: neither malloc() nor stdio is at work in this thread, so both
 * can be used.  Records that lie in a temporary file (base/spill.h) are mapped too; where its
 * disk fails while stdio copies them, a lock of stdio could be taken.
 */
#include "cli/bad_page.h"

#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"

/* The process ends after this time if a lock keeps it from printing the line. */
#define SECONDS_MOST 5

static const char
	*running; /* name of the command; a handler has no other way to know it */

/*
 * The path in a line of /proc/self/maps, proc_pid_maps(5), whose addresses include this one;
 * else NULL.  It points into the line.
 */
static char *path_if_at(char *line, uintptr_t address)
{
	uintptr_t first, end;
	int at = 0;

	if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &first, &end,
		   &at) < 2 ||
	    at == 0 || address < first || address >= end)
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	return line + at;
}

/* NULL where no file is mapped there; the caller frees it. */
static char *path_mapped_at(uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL, *path = NULL;
	size_t size = 0;

	while (maps && !path && getline(&line, &size, maps) > 0)
		path = path_if_at(line, address);
	path = path && *path ? strdup(path) : NULL;
	free(line);
	if (maps)
		fclose(maps);
	return path;
}

static void on_bad_page(int number, siginfo_t *info, void *context)
{
	static atomic_flag is_told = ATOMIC_FLAG_INIT;
	struct err err = ERR_INIT;

	(void)context;
	if (info->si_code != BUS_ADRERR) {
		signal(number, SIG_DFL);
		raise(number); /* one that somebody sent would not come again */
		return;
	}
	while (atomic_flag_test_and_set(&is_told))
		pause(); /* another thread ends the process */
	alarm(SECONDS_MOST);
	char *path = path_mapped_at((uintptr_t)info->si_addr);
	err_set(&err, ERR_IO,
		"a part of it cannot be read: it was made shorter while it was open, or its "
		"disk fails");
	quick_exit(message_error(running, path, &err));
}

void bad_page_catch(const char *command)
{
	struct sigaction action = { .sa_sigaction = on_bad_page, .sa_flags = SA_SIGINFO };

	running = command;
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}
