/*
 * What a late rank costs: for how long another one waits for it in collectives, but no
 * longer than that one computes nothing from then to their ends.  A collective beside
 * computing costs nothing, and those of several groups wait at the same time.
 */
#ifndef PTOOL_QUERY_COMM_BLOCKING_H
#define PTOOL_QUERY_COMM_BLOCKING_H

#include "query/comm/comm_load.h"
#include "query/comm/comm_match.h"

/* Adds when the profile is in collectives and computes nothing; loaded with_compute. */
void comm_blocking_add(struct comm_matches *m, const struct scope_profile *profile,
		       const struct comm_profile *from);

/*
 * By participant: what it cost the one that it cost most.  A wait is from the start of
 * the last but one to that of the last, each moment once.  They are aligned.
 */
void comm_blocking_sum(const struct comm_matches *m, int64_t *out);

#endif
