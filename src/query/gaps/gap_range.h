/*
 * Which parts of idle time count: those in --time and --step, and the step each is in.
 * A moment belongs to the step that began last before it, while that lasts.
 */
#ifndef PTOOL_QUERY_GAP_RANGE_H
#define PTOOL_QUERY_GAP_RANGE_H

#include "base/intervals.h"
#include "query/filter.h"
#include "query/scope.h"

#define GAP_NO_STEP SIZE_MAX

struct gap_step {
	int64_t number;
	int64_t start_ns, end_ns; /* none touches another's inside */
};

struct gap_range {
	struct gap_step *steps; /* owned; by start */
	size_t nsteps, steps_cap;
	int64_t *marks; /* owned; slices that are the steps' own annotations, by id */
	size_t nmarks, marks_cap;
	struct intervals wanted; /* a set */
	bool is_all;             /* neither --time nor --step */
};

/* filter: NULL for all.  gap_range_release() in both cases. */
int gap_range_load(struct store *store, const struct scope_profile *profile,
		   const struct filter *filter, struct gap_range *out, struct err *err);
void gap_range_release(struct gap_range *r);

/* The place of the step that holds the moment; GAP_NO_STEP when none does. */
size_t gap_range_step(const struct gap_range *r, int64_t ns);
/* Is the slice a step's own annotation? */
bool gap_range_is_mark(const struct gap_range *r, int64_t slice_id);

/* A part of [from, to) that counts, as large as can be without leaving a step. */
struct gap_part {
	int64_t start_ns, end_ns;
	size_t step; /* or GAP_NO_STEP */
};
/*
 * The first part at or behind *from_ns, which is moved to its end; false when there
 * is none.  What counts of [from, to) is all parts together.
 */
bool gap_range_next(const struct gap_range *r, int64_t *from_ns, int64_t to_ns,
		    struct gap_part *part);

#endif
