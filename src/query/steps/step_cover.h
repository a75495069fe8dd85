/*
 * How long something was on in a profile's steps, all steps added up, without a look at
 * each step: for every moment it is known how long the steps had been open until then.
 */
#ifndef PTOOL_QUERY_STEP_COVER_H
#define PTOOL_QUERY_STEP_COVER_H

#include "base/intervals.h"
#include "base/sum.h"
#include "query/steps/step_bounds.h"

/* A sum divided by n, which no sum of n numbers can be too large for: n * mean + rest. */
struct mean_sum {
	int64_t mean_ns, rest_ns; /* 0 <= rest_ns < n, unless a number was below 0 */
};

static inline void mean_sum_add(struct mean_sum *s, int64_t mean_ns, int64_t rest_ns,
				int64_t n)
{
	s->mean_ns = sum_add(s->mean_ns, sum_add(mean_ns, (s->rest_ns + rest_ns) / n));
	s->rest_ns = (s->rest_ns + rest_ns) % n;
}

struct step_cover {
	struct cover_point *points; /* owned; in order */
	size_t npoints;
	int64_t n; /* steps: what sums are divided by */
};

/* Of the steps that `counts` says, or all (NULL); step_cover_release() frees. */
void step_cover_make(const struct step_bounds *bounds, const bool *counts,
		     struct step_cover *out);
void step_cover_release(struct step_cover *c);
/* The sum over the steps of what of the set lies in each. */
struct mean_sum step_cover_of(const struct step_cover *c, const struct intervals *set);
/* The same as one number; at most INT64_MAX. */
int64_t step_cover_length(const struct step_cover *c, const struct intervals *set);

#endif
