/*
 * One line on stderr that says how far long work is: only on a terminal, only
 * after half a second, at most six times a second, and erased at the end.
 */
#ifndef PTOOL_CLI_PROGRESS_H
#define PTOOL_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRESS_LINE_MAX 160
#define PROGRESS_ERASE    "\r\033[K" /* the line, whatever it is */

struct progress {
	const char *label;    /* borrowed: "trace.json" */
	uint64_t done, total; /* bytes; total 0: unknown */
	int64_t started_ns, shown_ns;
	bool enabled, visible;
};

/* total_bytes 0 when the size is unknown: no percentage and no ETA then. */
void progress_start(struct progress *p, const char *label, uint64_t total_bytes);
/* Cheap enough to be called for every batch of events. */
void progress_update(struct progress *p, uint64_t done_bytes);
/* Erases the line; to be called before anything else goes to the terminal. */
void progress_end(struct progress *p);

/*
 * The line for a moment, cut to `width` columns: "trace.json  43%  512 MB  610 MB/s  ETA 1s".
 * The time left is that of the bytes; once all are read it says "writing".
 */
void progress_format(const struct progress *p, int64_t elapsed_ns, size_t width,
		     char line[PROGRESS_LINE_MAX]);

#endif
