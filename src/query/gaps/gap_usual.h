/*
 * What is ordinary: samples of lengths by kind, and how long one of a kind may be
 * before it is no longer like the others.
 */
#ifndef PTOOL_QUERY_GAP_USUAL_H
#define PTOOL_QUERY_GAP_USUAL_H

#include <stddef.h>
#include <stdint.h>

struct gap_sample {
	uint64_t kind;
	int64_t ns;
	uint32_t gap;
};

/* Zeroed it is empty. */
struct gap_usual {
	struct gap_sample *items; /* owned; in order once gap_usual_sort() was called */
	size_t n, cap;
	size_t *firsts; /* owned, then: of each kind, in their order */
	size_t nkinds, firsts_cap;
};

#define GAP_USUAL_MIN 20 /* with fewer others nothing is known of a kind */

/* What holds whatever the others are. */
struct gap_bounds {
	int64_t few_ns;   /* the bound with fewer than GAP_USUAL_MIN others */
	int64_t least_ns; /* with more it is never below this */
};

/* In the order of gaps. */
void gap_usual_add(struct gap_usual *u, struct gap_sample sample);
void gap_usual_sort(struct gap_usual *u);
void gap_usual_release(struct gap_usual *u);
/*
 * The longest that is ordinary, by the samples of that kind but `own` itself: their
 * 99th percentile, at most ten times their median, at least least_ns.
 */
int64_t gap_usual_bound(const struct gap_usual *u, const struct gap_sample *own,
			const struct gap_bounds *bounds);

#endif
