/*
 * A stretch of a gap, as far as --time and --step leave it: what it is charged to.
 */
#ifndef PTOOL_QUERY_GAP_STRETCH_H
#define PTOOL_QUERY_GAP_STRETCH_H

#include "query/gaps/gap_profile.h"
#include "query/gaps/gap_sums.h"

struct gap_stretch {
	int64_t start_ns, end_ns;
	uint32_t gap;
};

/* What is charged most in it: 1; 0 when nothing of it is wanted; -1 with err set. */
int gap_stretch_blame(const struct gap_profile *p, struct gap_reader *reader,
		      const struct gap_stretch *s, struct gap_row *out, struct err *err);
/* The longest in it that is charged so; false when there is none. */
bool gap_stretch_longest(const struct gap_profile *p, struct gap_reader *reader,
			 const struct gap_stretch *s, const struct gap_sum *of,
			 struct gap_amount *out);
/* The step that has most of it, of equal ones the first; or GAP_NO_STEP. */
size_t gap_stretch_step(const struct gap_profile *p, const struct gap_stretch *s);

#endif
