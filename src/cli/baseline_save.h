/* ptool baseline save: the runs of a file, a store or a folder, each a small store. */
#ifndef PTOOL_CLI_BASELINE_SAVE_H
#define PTOOL_CLI_BASELINE_SAVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "cli/opt.h"

struct baseline_saving {
	const char *command;            /* in whose name notes are printed */
	const char *folder;             /* of the baseline; it is there */
	const struct opt_strings *runs; /* --run: these runs alone; none: all */
	size_t keep;                    /* only the last so many runs will stay; 0: all */
	bool is_quiet;
	struct arena *arena;
};

/*
 * A raw file is one run; of a store each of its runs is; stores of a folder are one run, or,
 * where they hold several that people named, each of these; those that would not stay
 * are not made.  On failure those before it are saved.
 */
int baseline_save(const struct baseline_saving *s, const char *operand, struct err *err);

#endif
