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
	bool is_quiet;       /* only what went wrong */
	/*
	 * The caller tells when nothing of this operand could be read, which its
	 * result says; NULL: nobody does.
	 */
	const char *operand;
	const struct import_result *result; /* borrowed: import_files() sets it */
	size_t nrefused;                    /* told here */
	bool is_running;
	char *label; /* owned: the file that progress names */
	struct progress progress;
};

/* Installs the interrupt flag; the struct must outlive the import. */
struct import_events ingesting_events(struct ingesting *i);
/* Behind the import, whatever its result. */
void ingesting_end(struct ingesting *i);

#endif
