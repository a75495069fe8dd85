/*
 * What a user sees of an import: progress while it runs, a line for each file,
 * an error for each one refused; and Ctrl-C.
 */
#ifndef PTOOL_CLI_INGESTING_H
#define PTOOL_CLI_INGESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/interrupt.h"
#include "store/import.h"

/*
 * One line on stderr that says how far long work is: only on a terminal, only
 * after half a second, at most six times a second, and erased at the end.
 */
#define PROGRESS_LINE_MAX 160
#define PROGRESS_ERASE    "\r\033[K" /* the line, whatever it is */

struct progress {
	const char *label;    /* borrowed: "trace.json" */
	uint64_t done, total; /* bytes; total 0: unknown */
	int64_t started_ns, shown_ns;
	bool enabled, visible;
};

/*
 * The line for a moment, cut to `width` columns: "trace.json  43%  512 MB  610 MB/s  ETA 1s".
 * The time left is that of the bytes; once all are read it says "writing".
 */
void progress_format(const struct progress *p, int64_t elapsed_ns, size_t width,
		     char line[PROGRESS_LINE_MAX]);

struct ingesting {
	const char *command; /* for messages */
	const char *where;   /* "read into the cache": told after the slices; NULL */
	const char *
		subject; /* what an error of the whole is told of: the store, the operand */
	const char *folder;     /* holds nothing but the store, and goes with it; NULL */
	bool is_quiet;          /* only what went wrong */
	struct import_file sum; /* with `where`: of all files, told in one line */
	size_t nread;           /* files in it */
	char *only;             /* owned: the name of the only one */
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
	char *temporary, *lock, *last_words; /* owned: what `leave` borrows */
	struct interrupt_leave leave;
};

/* Installs the handler of Ctrl-C; the struct must stay where it is until ingesting_end(). */
struct import_events ingesting_events(struct ingesting *i);
/* Behind the import, whatever its result. */
void ingesting_end(struct ingesting *i);

#endif
