/*
 * Steps (of one run a side) or runs that took much longer than the others of their side,
 * by the rule of ptool steps, and the change without them.
 */
#ifndef PTOOL_QUERY_DIFF_OUTLIERS_H
#define PTOOL_QUERY_DIFF_OUTLIERS_H

#include "query/diff/diff.h"

/* From the samples of the headline to d->outliers. */
void diff_outliers_find(struct diff *d);
void diff_outliers_release(struct diff_outliers *o);

/*
 * "2 of 6 new steps are outliers: 5, 9; without them -29.0%", in the arena; NULL: there
 * are none.
 */
const char *diff_outliers_text(const struct diff *d, struct arena *arena);
/* "5, 9": those of a side; NULL: it has none. */
const char *diff_outliers_names(const struct diff *d, enum diff_which which,
				struct arena *arena);

#endif
