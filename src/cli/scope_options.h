/*
 * --run, --rank and --profile: the options of every reading command that works
 * on a run.
 */
#ifndef PTOOL_CLI_SCOPE_OPTIONS_H
#define PTOOL_CLI_SCOPE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cli/opt.h"
#include "query/scope.h"
#include "store/store.h"

struct scope_opts {
	const char *run, *rank, *profile; /* NULL: not given */
};

/* The row in the command's list of groups; the member's initialiser is { 0 }. */
/* clang-format off */
#define SCOPE_GROUP(type, member) { "Profiles", scope_options, offsetof(type, member), true }
/* clang-format on */
extern const struct opt scope_options[];

/* ERR_USAGE when --rank is not N or A..B: to be asked before a store is opened. */
int scope_options_check(const struct scope_opts *o, struct err *err);
/* The last part of a run's name, within it: most names are long paths. */
const char *scope_run_end(const char *path);

/* "N" or "A..B"; ERR_USAGE where it is neither. */
int scope_options_read_rank(const char *text, int64_t *first, int64_t *last,
			    struct err *err);

/*
 * The profiles that these options name; scope_release() frees.  A run may be
 * named by the file it was made from, too.  ERR_EMPTY: nothing is there, or no
 * such run, and then the nearest is named.
 */
int scope_options_load(struct store *store, const struct scope_opts *o, struct scope *out,
		       struct err *err);
/* The same, but without --run the profiles of all runs. */
int scope_options_load_all(struct store *store, const struct scope_opts *o,
			   struct scope *out, struct err *err);

/*
 * The run that `name` means: a run's name, or the path of the file a run was
 * made from.  Borrowed from the arena; NULL with an ERR_EMPTY that names the
 * nearest.
 */
const char *scope_options_run(struct store *store, const char *name, struct arena *arena,
			      struct err *err);
/* The same among names, NULL-terminated; one of them. */
const char *scope_options_find_run(const char *const *names, const char *name,
				   struct arena *arena, struct err *err);

#endif
