/*
 * Baselines: a folder a name, and in it a small store a run, 20261123T121602-01-NAME.db.
 * Files are written once and never changed: git and git-lfs keep each once, branches that
 * add runs do not conflict, and a CI cache or an artifact is the folder as it is.
 */
#ifndef PTOOL_CLI_BASELINE_H
#define PTOOL_CLI_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

/* What an operand that names one begins with: baseline:main. */
#define BASELINE_PREFIX "baseline:"

/* The folder of all baselines: `given`, else $PTOOL_BASELINES, else .ptool/baselines. */
const char *baseline_directory(const char *given);

/* ERR_USAGE when it cannot be a folder's name. */
int baseline_check_name(const char *name, struct err *err);

/* Clears what killed processes left in the folder while they saved a run. */
void baseline_clear_leftovers(const char *folder);

/* The stores of a baseline, oldest first; in the arena. */
struct baseline {
	const char *folder;
	const char **paths;
	size_t n;
};

/*
 * ERR_INPUT when there is none of that name, which names the nearest; ERR_EMPTY when it
 * holds no run.
 */
int baseline_find(const char *directory, const char *name, struct arena *arena,
		  struct baseline *out, struct err *err);
/* Is there a file in the folder whose name begins so? */
bool baseline_has(const char *folder, const char *beginning);
/* The names of all, A to Z, NULL-terminated; in the arena. */
int baseline_names(const char *directory, struct arena *arena, const char *const **out,
		   struct err *err);

/* What `against = NAME` reads: "baseline:NAME", or NAME where that is a store or a pattern. */
const char *baseline_operand(const char *directory, const char *name,
			     struct arena *arena);
/* NAME of "baseline:NAME"; NULL: the operand is none. */
const char *baseline_of_operand(const char *operand);
/*
 * What a run is called whichever side it is on: the file's name without folders, endings and
 * what a baseline puts in front of it; in the arena.
 */
const char *baseline_run_name(const char *path, struct arena *arena);
/* When it was added, "2026-11-23 12:16:02"; in the arena; NULL: the name does not say. */
const char *baseline_time(const char *path, struct arena *arena);

#endif
