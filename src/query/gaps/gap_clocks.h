/*
 * The clocks of all ranks at once, and who came last to each collective.  It takes time
 * in proportion to the collectives of all ranks together: no rank is compared with every
 * other one.
 */
#ifndef PTOOL_QUERY_GAP_CLOCKS_H
#define PTOOL_QUERY_GAP_CLOCKS_H

#include "query/gaps/gap_ranks.h"

/* Of the nth collective of a group: the last two ranks to come, in the common clock. */
struct gap_last {
	int64_t came_ns[2], rank[2];
	int n; /* ranks known: 0 to 2 */
};

/*
 * Sets the groups and clocks of the ranks, whose items are there, error_ns, is_aligned
 * and lasts.
 */
void gap_clocks_align(struct gap_ranks *r);
/*
 * When the last of the other ranks came to an item of the group, in the clock of this
 * one, and which that was; false: no other rank is known to have come.
 */
bool gap_clocks_last(const struct gap_ranks *r, const struct gap_rank *rank,
		     const struct gap_group *group, size_t nth, int64_t *came_ns,
		     int64_t *late_rank);

#endif
