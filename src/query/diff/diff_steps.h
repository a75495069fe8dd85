/*
 * The steps of a run that a comparison looks at: those of all its profiles that the
 * filters leave.  What rows are told by is their number: a profile may have several of
 * one.  Where the steps of a run are compared, those of one number in its profiles are one replicate: ranks wait for
 * each other, so that what they measure of a step is no second measurement.
 */
#ifndef PTOOL_QUERY_DIFF_STEPS_H
#define PTOOL_QUERY_DIFF_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "query/filter.h"
#include "query/scope.h"
#include "trace/engine_step.h"

#define DIFF_NO_STEP SIZE_MAX

/* On the host; from the profile's first event. */
struct diff_range {
	int64_t profile_id, number;
	int64_t start_ns, dur_ns;
};

/* All steps of a number in a profile. */
struct diff_step {
	int64_t profile_id, number;
	int64_t start_ns;   /* of the first */
	int64_t dur_ns;     /* of all */
	int64_t count;      /* 1, unless a loop was recorded again */
	uint32_t replicate; /* below diff_steps.nreplicates */
};

struct diff_steps {
	struct diff_step *items; /* owned; by (profile_id, number) */
	size_t n, cap;
	struct diff_range
		*ranges; /* owned; each step, by (profile_id, number, start_ns) */
	size_t nranges, ranges_cap;
	size_t nreplicates;      /* different numbers */
	size_t recorded;         /* before anything was filtered */
	enum engine_phase phase; /* of the first; and are there others of another? */
	bool is_mixed;
};

/*
 * --step and --time of the filter choose; first_only: of each profile the one that
 * starts first.  diff_steps_release() in both cases.
 */
int diff_steps_load(struct store *store, const struct scope *scope,
		    const struct filter *filter, bool first_only, struct diff_steps *out,
		    struct err *err);
void diff_steps_release(struct diff_steps *s);

/* The place of a step among them; DIFF_NO_STEP when it is not there. */
size_t diff_steps_find(const struct diff_steps *s, int64_t profile_id, int64_t number);
/* The first by number of those of a profile; NULL: it has none. */
const struct diff_step *diff_steps_of_profile(const struct diff_steps *s,
					      int64_t profile_id);
/* What they last together. */
int64_t diff_steps_total(const struct diff_steps *s);

#endif
