/* --sort: the key that a name means, and the list that --sort help prints. */
#ifndef PTOOL_CLI_SORT_KEYS_H
#define PTOOL_CLI_SORT_KEYS_H

#include "base/err.h"
#include "cli/command.h"
#include "cli/output.h"
#include "query/sortkey.h"

/*
 * Draws the keys as a table; a note names those of `functions` (NULL: none), which
 * call graphs have instead.  Returns the exit code.
 */
int sort_keys_list(const struct command *self, const struct sort_key *keys,
		   const struct sort_key *functions, const struct output_opts *output);
/* For option rows: the name of key i, then OPT_LISTS, then NULL. */
const char *sort_keys_at(const struct sort_key *keys, size_t i);
/* NULL without a name; -1 with an ERR_USAGE that names the nearest of them. */
int sort_keys_find(const char *name, const struct sort_key *keys,
		   const struct sort_key **out, struct err *err);

#endif
