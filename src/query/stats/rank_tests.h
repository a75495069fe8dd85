/*
 * Statistics of two samples by rank: the normal distribution, U, the test of Mann and
 * Whitney, the estimate of Hodges and Lehmann, what so many values can show at all, and
 * which of many tests to believe.
 */
#ifndef PTOOL_QUERY_RANK_TESTS_H
#define PTOOL_QUERY_RANK_TESTS_H

#include <stdbool.h>
#include <stddef.h>

/* The z with P(Z > z) = p, for 0 < p < 1. */
double normal_quantile_above(double p);

/*
 * How Mann and Whitney's U is distributed when two samples without ties come from
 * one population: every order of the m + n values is as likely as any other.
 *
 *	P(u; m, n) = (m P(u - n; m - 1, n) + n P(u; m, n - 1)) / (m + n)
 *
 * (Mann, Whitney 1947), by which the largest value belongs to either sample.  All
 * terms are positive, so that the smallest probabilities are as exact as the others.
 */

/* m * n at most: what is beyond takes too long, and its normal quantiles are as good. */
#define U_DISTRIBUTION_PAIRS_MAX 10000
/* For p, which many pairs of samples want. */
#define U_DISTRIBUTION_P_PAIRS_MAX 2500

/* Are both samples of some values, and few enough for that? */
static inline bool u_distribution_is_for_p(size_t m, size_t n)
{
	return m && n && m <= U_DISTRIBUTION_P_PAIRS_MAX / n;
}

struct u_distribution {
	size_t m, n;     /* sizes of the samples, 1 or more; m >= n */
	double *at_most; /* owned: P(U <= u) for u = 0 to m * n */
};

/*
 * In either order: it is the same.  Takes (m n)^2 / 4 steps, and room for m n^2 numbers,
 * n the smaller.  u_distribution_release() frees; it accepts a zeroed one.
 */
void u_distribution_init(struct u_distribution *d, size_t a, size_t b);
void u_distribution_release(struct u_distribution *d);

/* The smallest u with P(U <= u) >= p, for p up to 0.5: R's qwilcox(p, m, n). */
size_t u_distribution_quantile(const struct u_distribution *d, double p);

/*
 * Mann and Whitney's test of two samples, two-sided: may they come from one
 * population?  It asks for the order of the values alone, so that one slow step is
 * no reason to believe in a change.
 *
 * Without ties and up to U_DISTRIBUTION_P_PAIRS_MAX pairs p is exact, and always where
 * one side has one value; else by the normal approximation with corrections for ties and
 * for continuity, which is what SciPy's mannwhitneyu(method="asymptotic") gives, but no
 * lower than the sizes allow.
 */

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
	double p;       /* 1 when all values are equal */
	double least_p; /* the smallest that p, exact or not, could have been */
	bool is_exact;
};

/* `exact` is the distribution for the two sizes, or NULL: then always approximate. */
struct mann_whitney mann_whitney(struct sample a, struct sample b,
				 const struct u_distribution *exact);
/* The same in a time that does not depend on how many zeros there are. */
struct mann_whitney mann_whitney_sparse(struct sparse_sample a, struct sparse_sample b,
					const struct u_distribution *exact);

/*
 * By how much the values of one sample are larger than those of another: Hodges and
 * Lehmann's estimate, the median of all differences, and its interval, two order
 * statistics of them, as R's wilcox.test(new, base, conf.int = TRUE, exact = TRUE)
 * gives it.  It goes with Mann and Whitney's test: the interval has 0 outside where
 * the test without ties is significant.
 */
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

/*
 * What Mann and Whitney's test of samples of some sizes can tell at all, and how
 * many values a side it would take.
 */

/* A normal population is told from its shifted self in so many of 100 cases. */
#define RANK_POWER_PCT 80

/* The smallest two-sided p of samples without ties: 2 / (m + n over n), at most 1. */
double rank_power_least_p(size_t m, size_t n);

/*
 * Can any order of samples of these sizes be less likely than alpha?  If not, neither is
 * what the normal approximation says of ties: it is wrong for so few.
 */
bool rank_power_can_decide(size_t m, size_t n, double alpha);

/*
 * The fewest values a side with which one of `tests` tests can have a p that stands
 * up to all of them: p < alpha / tests.  0 < alpha < 1.
 */
size_t rank_power_sides(double alpha, size_t tests);

/*
 * The smallest shift that is found at alpha in RANK_POWER_PCT of 100 cases or a few more,
 * in the unit of the deviations: U of normal populations that far apart has the mean and
 * variance of Lehmann (Nonparametrics, 1975, 2.3), and is taken for normal.  Of 5 and more
 * values a side it is within 5 % of what simulation gives, of fewer too large by up to
 * 20 %.  `exact` as in mann_whitney(); NaN when these sizes can find none, and of one
 * value a side, whose U is nowhere near normal.
 */
double rank_power_least_shift(double deviation_a, size_t m, double deviation_b, size_t n,
			      const struct u_distribution *exact, double alpha);

/*
 * Which of many tests to believe: Benjamini and Hochberg's q (1995), R's
 * p.adjust(p, "BH").  Of the tests with q below alpha, at most alpha are expected
 * to be false.
 */

/* q[i] belongs to p[i]; the arrays may be the same. */
void benjamini_hochberg(const double *p, double *q, size_t n);

#endif
