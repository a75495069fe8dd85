/*
 * Which slice made a long step long: of what the host did in the step, the name whose
 * self time grew most over its mean in the steps of the same group that are not long.
 */
#ifndef PTOOL_QUERY_STEP_GROWTH_H
#define PTOOL_QUERY_STEP_GROWTH_H

#include "query/steps/steps.h"

/*
 * Sets grew_slice, grew_slice_ns and grew_unrecorded_ns of the rows that are long, after
 * steps_sum_up().  The thread of the step's own slice counts; where its time in no slice
 * grew more than any name there, a name that grew more on the other threads (those of a
 * backward pass).  Reads nothing when no row is long.
 */
int step_growth_find(struct store *store, struct text_pool *texts, struct steps *s,
		     struct err *err);

#endif
