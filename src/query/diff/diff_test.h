/*
 * What is believed of a comparison: the headline, tested alone, and rows, of which
 * those that hold enough of base's total are tested together.
 */
#ifndef PTOOL_QUERY_DIFF_TEST_H
#define PTOOL_QUERY_DIFF_TEST_H

#include <stdbool.h>
#include <stddef.h>

#include "query/stats/rank_tests.h"

/* A row is tested when base holds at least so much of base's total in it. */
#define DIFF_TESTED_PCT 0.5

struct diff_limits {
	double alpha;
	double min_effect_pct; /* a smaller change is not worth a word */
};

/* Tests of many pairs of samples of the same sizes. */
struct diff_tester {
	struct u_distribution exact;
	bool has_exact;
	size_t sizes[2];
};

/* Both sizes are at least 1; diff_tester_release() frees. */
void diff_tester_init(struct diff_tester *t, size_t nbase, size_t nnew);
void diff_tester_release(struct diff_tester *t);
/*
 * Of samples in any order, which are sorted; `n` of base and of the new side: how many
 * are there, and all others of their sizes are 0.
 */
double diff_tester_p(struct diff_tester *t, double *const values[2], const size_t n[2]);

struct diff_test {
	double p, q;       /* NaN: none */
	double change_pct; /* of base, for the decision; may be infinite, or NaN */
	bool is_tested;    /* among those that q is of; set by who knows the shares */
	bool is_significant;
};

/* Sets q and is_significant, of those that are tested and have a p. */
void diff_test_rows(struct diff_test *rows, size_t n, const struct diff_limits *limits);

enum diff_verdict {
	DIFF_UNDECIDED, /* no order of so few values is unlikely enough */
	DIFF_NO_CHANGE, /* none that is significant */
	DIFF_SLOWER,    /* or larger */
	DIFF_FASTER     /* or smaller */
};

struct diff_headline {
	struct hodges_lehmann shift; /* in the samples' unit */
	double p;                    /* NaN with DIFF_UNDECIDED for want of values */
	double change_pct; /* the shift, of base's mean without its sign; NaN: that is 0 */
	double low_pct, high_pct;
	double least_pct; /* the smallest change that was likely to be seen; NaN: none */
	enum diff_verdict verdict;
	size_t sizes[2];
	bool has_interval; /* two values a side, or enough for a verdict */
};

void diff_test_headline(const double *base, size_t nbase, const double *new_side,
			size_t nnew, const struct diff_limits *limits,
			struct diff_headline *out);

#endif
