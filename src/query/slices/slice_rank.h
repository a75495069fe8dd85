/*
 * Slices by a key other than their start: one scan over all of them, of which
 * the best are kept as pairs of numbers.
 */
#ifndef PTOOL_QUERY_SLICE_RANK_H
#define PTOOL_QUERY_SLICE_RANK_H

#include <stdint.h>

#include "base/err.h"
#include "query/slices/slices.h"
#include "store/store.h"

enum slice_key {
	SLICE_BY_DUR,  /* longest first */
	SLICE_BY_SELF, /* most first */
	SLICE_BY_NAME  /* by bytes */
};

struct slice_rank;

/*
 * Scans the slices, which are borrowed, and keeps the first `limit` (0: all);
 * equal ones by id.  *out is NULL on failure.
 */
int slice_rank_open(struct store *store, struct slices *slices, enum slice_key key,
		    int64_t limit, struct slice_rank **out, struct err *err);
/* Accepts NULL. */
void slice_rank_free(struct slice_rank *r);
/* Wanted slices in all, limit or not. */
int64_t slice_rank_total(const struct slice_rank *r);
/* 1: the next slice and its track; 0: end; -1: err is set. */
int slice_rank_next(struct slice_rank *r, struct slice_row *row,
		    const struct slices_track **track, struct err *err);

#endif
