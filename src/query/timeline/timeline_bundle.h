/*
 * Short slices of a row, one soon after the other, as one: what is drawn of a recording that
 * has more slices than a page can carry.
 *
 * At a threshold of 2^k ns a slice joins the one before it in its row when both are
 * shorter, when the time between them is, and when both begin in the same 2^(k + 10) ns, so
 * that a bundle stays small on the screen.  The smallest of such thresholds is one number a
 * pair of neighbours, so that one pass tells how many slices each threshold leaves.
 */
#ifndef PTOOL_QUERY_TIMELINE_BUNDLE_H
#define PTOOL_QUERY_TIMELINE_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUNDLE_NEVER 64 /* no threshold is large enough */

/* The newest slice of a row. */
struct bundle_row {
	int64_t start_ns, end_ns;
	uint32_t entry;  /* its own, or that of its bundle */
	bool can_bundle; /* it is there, and need not be kept */
};

struct bundler {
	struct bundle_row *rows; /* owned */
	size_t nrows, cap;
	int64_t joins[BUNDLE_NEVER + 1]; /* by the smallest k; the caller clears them */
};

/* For the next track. */
void bundler_clear(struct bundler *b);
void bundler_release(struct bundler *b);

/*
 * The smallest k at which the slice joins the newest one of its row, whose entry is *entry
 * then.  From then on it is the newest one, of that entry until bundler_enter().
 */
unsigned bundler_add(struct bundler *b, uint32_t row, const struct bundle_row *slice,
		     uint32_t *entry);
/* The entry of the newest slice of the row. */
void bundler_enter(struct bundler *b, uint32_t row, uint32_t entry);
/* The smallest k that leaves at most so many of n slices; false: none does, it leaves few. */
bool bundler_choose(const struct bundler *b, int64_t n, int64_t most, unsigned *out);

#endif
