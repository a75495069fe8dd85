/*
 * What filters choose of a profile, to be written as a trace again: its slices, and the
 * calls that launched those of its device work, wherever they are.
 */
#ifndef PTOOL_QUERY_CUT_H
#define PTOOL_QUERY_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "query/filter.h"
#include "query/scope.h"
#include "store/store.h"

struct cut {
	unsigned char *bits;    /* owned; by id - first */
	int64_t first, n;       /* the profile's ids */
	int64_t from_ns, to_ns; /* what filters choose starts in [from, to) */
	int64_t slices;         /* how many were chosen */
};

/*
 * Of the scope's one profile.  cut_release() in both cases, also of a zeroed one.
 */
int cut_make(struct store *store, const struct scope *scope, const struct filter *filter,
	     struct cut *out, struct err *err);
void cut_release(struct cut *cut);

/* Is the slice of that id chosen? */
bool cut_has(const struct cut *cut, int64_t id);
/* The first chosen id from this one on; 0: there is none. */
int64_t cut_next(const struct cut *cut, int64_t id);

#endif
