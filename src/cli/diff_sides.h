/*
 * The two sides of ptool diff from its command line: stores and raw files, before and
 * behind "--", by patterns, or as runs of one store.
 */
#ifndef PTOOL_CLI_DIFF_SIDES_H
#define PTOOL_CLI_DIFF_SIDES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cli/opt.h"
#include "query/diff/diff.h"

struct diff_side_opts {
	struct opt_args operands;
	struct opt_strings base, new_side; /* --base, --new: patterns */
	struct opt_strings runs;           /* --run */
	const char *rank, *profile;        /* NULL: not given */
	bool aa;                           /* all are base */
	const char *baselines;             /* their folder; NULL: the default */
	bool is_quiet;                     /* do not say what is read into the cache */
	bool is_again, wants_slices;       /* as in struct operand_wish, and */
	const struct fetch_need *need;     /*   what they need */
};

struct diff_inputs;
struct fetch_need;

struct diff_sides {
	struct diff_run *runs[NDIFF_SIDES]; /* owned */
	size_t n[NDIFF_SIDES];
	struct diff_inputs *inputs; /* owned: the open stores */
};

/* ERR_USAGE when these options name no two sides: to be asked before a store is opened. */
int diff_sides_check(const struct diff_side_opts *o, struct err *err);

/*
 * Opens all of them.  On failure *culprit is what the message is about, or NULL; it
 * lives until diff_sides_close(), which is to be called in both cases.
 */
int diff_sides_open(const char *command, const struct diff_side_opts *o,
		    struct diff_sides *out, const char **culprit, struct err *err);
/* operand_explain() for each of them. */
void diff_sides_explain(const struct diff_sides *sides, struct err *err);
/*
 * Where one of them came to read what was not brought here, slices or tables: wishes for that,
 * too.  false: they have all that there is.
 */
bool diff_sides_widen(const struct diff_sides *sides, struct diff_side_opts *o);
void diff_sides_close(struct diff_sides *sides);

#endif
