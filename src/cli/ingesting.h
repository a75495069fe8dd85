/*
 * What a user sees of an import: progress while it runs, a line for each file,
 * an error for each one refused; and Ctrl-C.
 */
#ifndef PTOOL_CLI_INGESTING_H
#define PTOOL_CLI_INGESTING_H

#include "cli/progress.h"
#include "store/import.h"

struct ingesting {
	const char *command; /* for messages */
	const char *where;   /* "read into the cache": told behind the slices; NULL */
	bool is_quiet;       /* no line for a file that went well */
	bool is_running;
	struct progress progress;
};

/* Installs the interrupt flag; the struct must outlive the import. */
struct import_events ingesting_events(struct ingesting *i);
/* Behind the import, whatever its result. */
void ingesting_end(struct ingesting *i);

#endif
