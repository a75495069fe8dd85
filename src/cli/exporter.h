/*
 * What ptool export writes for other programs: a new format is a file with a
 * struct exporter and a row in exporters.c.
 */
#ifndef PTOOL_CLI_EXPORTER_H
#define PTOOL_CLI_EXPORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "query/scope.h"
#include "store/store.h"

struct exporter {
	const char *name;            /* what --to takes */
	const char *const *suffixes; /* of files in it, NULL-terminated; with the dot */
	bool is_binary;              /* nothing for a terminal */
	/*
	 * Writes the scope.  -1 with err set when the store does not hold what it
	 * needs; what fails on the stream is the caller's to see.
	 */
	int (*write)(struct store *store, const struct scope *scope, FILE *out,
		     struct err *err);
};

/* NULL-terminated. */
extern const struct exporter *const exporters[];
/* NULL when there is none. */
const struct exporter *exporter_find(const char *name);
/* By the suffix of a file; NULL when it tells none. */
const struct exporter *exporter_for_path(const char *path);

#endif
