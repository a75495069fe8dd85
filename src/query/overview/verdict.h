/*
 * Why is it slow, in one sentence: chosen by rule from the numbers of the first screen and
 * the findings of `ptool advise`.
 */
#ifndef PTOOL_QUERY_VERDICT_H
#define PTOOL_QUERY_VERDICT_H

#include "base/arena.h"
#include "query/overview/overview_make.h"

/*
 * Of the rows that were made, in this order: the finding that saves most, where it is not
 * of low severity; a device that is idle for long; the largest kernel; of hosts the largest
 * operator, of call graphs and stacks the largest function.
 */
void overview_judge(const struct overview_making *m, struct arena *arena,
		    struct overview_verdict *out);

#endif
