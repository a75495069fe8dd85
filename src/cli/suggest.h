/*
 * Misspelt names: which one was meant.
 */
#ifndef PTOOL_CLI_SUGGEST_H
#define PTOOL_CLI_SUGGEST_H

#include <stddef.h>

#include "base/err.h"

/*
 * Insertions, deletions, substitutions and swaps of neighbours that turn one
 * word into the other; case does not count, and '-' equals '_'.
 */
size_t suggest_distance(const char *a, const char *b);

/*
 * The nearest of a NULL-terminated list (the first on a tie), or NULL when
 * none is so near that it may have been meant.
 */
const char *suggest_nearest(const char *wrong, const char *const *names);

/*
 * An ERR_USAGE "unknown <what> '<wrong>'; did you mean '<x>'? (valid: a, b, c)";
 * returns -1.  A list that is longer than a message ends in "...".
 */
int suggest_unknown(struct err *err, const char *what, const char *wrong,
		    const char *const *names);

#endif
