/*
 * By how much the values of one sample are larger than those of another: Hodges and
 * Lehmann's estimate, the median of all differences, and its interval, two order
 * statistics of them, as R's wilcox.test(new, base, conf.int = TRUE, exact = TRUE)
 * gives it.  It goes with Mann and Whitney's test: the interval has 0 outside where
 * the test without ties is significant.
 */
#ifndef PTOOL_QUERY_HODGES_LEHMANN_H
#define PTOOL_QUERY_HODGES_LEHMANN_H

#include "query/stats/mann_whitney.h"

struct hodges_lehmann {
	double shift;
	double low,
		high; /* with confidence 1 - alpha or more, when the samples allow it */
};

/*
 * new - base.  `exact` is the distribution for the sizes of base and new, which need not
 * be those that p is exact for; NULL: its quantile is approximated.  No room for the
 * differences is needed: they are counted.
 */
struct hodges_lehmann hodges_lehmann(struct sample base, struct sample new_side,
				     const struct u_distribution *exact, double alpha);

#endif
