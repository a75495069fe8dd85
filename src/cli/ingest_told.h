/* What became of each file of an import, for programs: one JSON object a line. */
#ifndef PTOOL_CLI_INGEST_TOLD_H
#define PTOOL_CLI_INGEST_TOLD_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "cli/ingesting.h"
#include "cli/opt.h"

struct ingest_told_row {
	const char *path;
	struct import_file file; /* its path is not read */
	const char *error;       /* NULL: it is in the store */
};

struct ingest_told {
	struct ingesting *ingesting;  /* borrowed: what a user sees, too */
	const char *run;              /* borrowed; NULL: import_run_name() */
	struct import_events seen;    /* by whom */
	struct ingest_told_row *rows; /* owned */
	size_t n, cap;
	struct arena arena;
};

/* Puts itself before the events of `ingesting`; stays where it is until the end. */
void ingest_told_begin(struct ingest_told *told, struct import_events *events);
/* Writes the lines to standard output, and frees. */
int ingest_told_end(struct ingest_told *told, const char *command, struct opt_args files,
		    struct err *err);

#endif
