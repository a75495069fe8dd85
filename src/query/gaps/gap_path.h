/*
 * What helps to trace roots (gap_root.h) through a line that many gaps share, without a
 * walk through its segments for each of them.
 */
#ifndef PTOOL_QUERY_GAP_PATH_H
#define PTOOL_QUERY_GAP_PATH_H

#include "query/gaps/gap_blame.h"

/* Who is charged for a burst, and what is left of its wait. */
struct gap_debt {
	uint32_t root; /* place in the roots, or GAP_NO_ROOT: then nothing is left */
	int64_t left_ns;
};

struct gap_path {
	int64_t *bursts_ns; /* owned; n + 1 sums of the lengths of bursts */
	uint32_t *next_drain,
		*next_other; /* owned; by segment: it or the next that drains,
					      that is no burst; n: there is none */
	/* What gap_roots_find() fills in: */
	struct gap_debt
		*usual; /* owned; by segment: behind it, for a gap from far before */
	struct gap_span *spans; /* owned; with their roots, for such a gap */
	size_t nspans;
};

void gap_path_make(struct gap_path *p, const struct gap_line *line);
void gap_path_release(struct gap_path *p);

/* The place behind the bursts from `at` on that take no more than that together. */
uint32_t gap_path_bursts(const struct gap_path *p, uint32_t at, uint32_t end,
			 int64_t most_ns);
/* The first of its spans that ends after ns. */
size_t gap_path_find(const struct gap_path *p, int64_t ns);

#endif
