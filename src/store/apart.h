/*
 * Times that cannot be: durations below 0 or above 7 days, and events that lie
 * more than 7 days from all others (a corrupted stamp, ts 0 among epoch times).
 * Such slices are set apart: rows behind all others, on no track's range, so that
 * no pass meets them; the store keeps them with dur 0 and what was recorded.
 *
 * A recording without any costs a comparison.  The others are looked through
 * once more, in linear time.
 */
#ifndef PTOOL_STORE_APART_H
#define PTOOL_STORE_APART_H

#include "store/model.h"

/*
 * Before order_rows(): finds the body, that is the 7 days with the most events,
 * the last ones of equal many, not counting those at 0; marks complete slices and instants, and sets start
 * and end to those of the others.
 */
void apart_find(struct model *m);
/* By order_rows(), behind its pairing: the same for begins with their ends. */
void apart_pairs(struct model *m);
/* Behind nest_rows(): what the findings would have claimed. */
void apart_tell(struct model *m);

/* The finding of a slice set apart. */
enum finding apart_finding(enum apart apart);
/* Is this time far from the body? */
bool apart_is_far(const struct model *m, int64_t ts_ns);
/* Behind order_rows(): does a slice that is set apart begin here? */
bool apart_begins_at(const struct model *m, uint32_t track, int64_t ts_ns);

#endif
