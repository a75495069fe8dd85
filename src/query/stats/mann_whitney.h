/*
 * Mann and Whitney's test of two samples, two-sided: may they come from one
 * population?  It asks for the order of the values alone, so that one slow step is
 * no reason to believe in a change.
 *
 * Without ties and up to U_DISTRIBUTION_MAX values a side p is exact; else by the
 * normal approximation with corrections for ties and for continuity, which is what
 * SciPy's mannwhitneyu(method="asymptotic") gives.
 */
#ifndef PTOOL_QUERY_MANN_WHITNEY_H
#define PTOOL_QUERY_MANN_WHITNEY_H

#include <stdbool.h>
#include <stddef.h>

#include "query/stats/u_distribution.h"

/* In ascending order; borrowed; finite, and at least one. */
struct sample {
	const double *values;
	size_t n;
};

/* A sample of which not all zeros are listed: `zeros` more values are 0. */
struct sparse_sample {
	struct sample listed; /* may be of no value when zeros are not */
	size_t zeros;
};

struct mann_whitney {
	double u; /* pairs in which the second sample's value is the larger; ties count half */
	double p; /* 1 when all values are equal */
	bool is_exact;
};

/* `exact` is the distribution for the two sizes, or NULL: then always approximate. */
struct mann_whitney mann_whitney(struct sample a, struct sample b,
				 const struct u_distribution *exact);
/* The same in a time that does not depend on how many zeros there are. */
struct mann_whitney mann_whitney_sparse(struct sparse_sample a, struct sparse_sample b,
					const struct u_distribution *exact);

#endif
