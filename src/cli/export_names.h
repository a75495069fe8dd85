/*
 * Names in formats that repeat them: a text file of stacks has that of a function in each
 * stack it is on, so that a name of 1 MB and 4,000 stacks would be 4 GB.  What long names
 * may take in all is what base/spelt.h says of a file that has each of them once; where they
 * would take more, the longest are cut, all of one name alike.
 */
#ifndef PTOOL_CLI_EXPORT_NAMES_H
#define PTOOL_CLI_EXPORT_NAMES_H

#include <stdint.h>

#include "base/buf.h"
#include "base/intern.h"
#include "cli/exporter.h"

struct export_names {
	const struct intern *texts; /* borrowed */
	uint64_t *uses;             /* owned: by text, counted by the caller */
	size_t most;                /* bytes that a name has; SIZE_MAX: all of it */
};

/* True: names are long, and uses must be counted before export_names_choose(). */
bool export_names_open(struct export_names *names, const struct intern *texts);
void export_names_close(struct export_names *names);
/* Of a file with so many stacks or frames; what is cut is told as a loss. */
void export_names_choose(struct export_names *names, size_t stacks,
			 struct export_losses *losses);
/* The text; or in `room` its beginning and its number, which tells it from others. */
struct str export_names_text(const struct export_names *names, uint32_t text,
			     struct buf *room);

#endif
