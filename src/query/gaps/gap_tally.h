/*
 * The segments of a line by kind: what of a range of them is of each kind, without a walk.
 */
#ifndef PTOOL_QUERY_GAP_TALLY_H
#define PTOOL_QUERY_GAP_TALLY_H

#include "query/gaps/gap_read.h"

struct gap_kind {
	uint32_t first, n; /* places in order */
};

struct gap_tally {
	const struct gap_line *line; /* borrowed */
	uint32_t *order;             /* owned; segments by kind, then in time */
	int64_t *before;             /* owned; n + 1 sums of the lengths in that order */
	uint32_t *longest;           /* owned; a tree of places in order */
	struct gap_kind *kinds;      /* owned */
	size_t nkinds, cap;
};

/* What a range of segments has of a kind. */
struct gap_found {
	int64_t ns;
	uint32_t first, longest; /* segments */
};

void gap_tally_make(struct gap_tally *t, const struct gap_line *line, enum gap_key key);
void gap_tally_release(struct gap_tally *t);

/*
 * Of the segments from `first` up to `end`, by the first of each kind.  *out has room for
 * all kinds; returns how many are met.
 */
size_t gap_tally_find(const struct gap_tally *t, uint32_t first, uint32_t end,
		      struct gap_found *out);

#endif
