/*
 * Clocks of ranks, aligned on the ends of collectives: no rank leaves before the last
 * has come, and they all leave at about the same time, so what their ends differ by is
 * what their clocks differ by.
 */
#ifndef PTOOL_QUERY_COMM_ALIGN_H
#define PTOOL_QUERY_COMM_ALIGN_H

#include "query/comm/comm_match.h"

/*
 * Sets clock, offset_ns, error_ns and shared of every participant.  The offset is the
 * lower median of the differences of ends to an aligned participant, the first that
 * took part; the error the lower median of what they deviate from it.  All-to-all kinds
 * count alone where a participant has any: a broadcast's root leaves early.
 */
void comm_align(struct comm_matches *m);

/* The lower median, of n > 0 numbers, which it sorts. */
int64_t comm_median(int64_t *numbers, size_t n);

#endif
