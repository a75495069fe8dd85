/*
 * Budgets, judged: numbers of recordings against a limit, or against those of a baseline.
 *
 *	gate_judge(&trial, &limits, &result);   each for itself
 *	gate_decide(results, n, alpha);         all together: which failures to believe
 */
#ifndef PTOOL_QUERY_GATE_H
#define PTOOL_QUERY_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "query/stats/rank_tests.h"

enum gate_verdict { GATE_PASS, GATE_FAIL, GATE_INCONCLUSIVE };

/* Intervals are of this confidence; a pass is one whose interval is within the tolerance. */
#define GATE_INTERVAL_PCT 95

/* The numbers of a side, one for each of its runs (or steps); borrowed, finite. */
struct gate_side {
	const double *values;
	size_t n;
};

struct gate_trial {
	struct gate_side base, new_side; /* base.n is 0: against `limit` */
	bool is_paired;                  /* values of one place belong together */
	bool is_row;                     /* of a budget of each row: never the headline */
	bool higher_is_better;
	double limit;
	double tolerance; /* percent of base's middle, or deviations of base's runs */
	bool is_in_noise; /* ... and which */
	/* Borrowed, or NULL: of the sizes that were judged last, made anew for others. */
	struct u_distribution *exact;
};

struct gate_result {
	enum gate_verdict verdict;
	double base, value;       /* middles of the sides; base NaN: there is none */
	double change_pct;        /* of base; NaN: base is 0, or there is none */
	double low_pct, high_pct; /* NaN: fewer than two values a side */
	double tolerance_pct;     /* NaN: against a limit, or no noise is known */
	double p, q;              /* NaN: not tested */
	bool is_worse;            /* worse than the tolerance, by the estimate */
	double lowest_p;          /* that a test of these values could have given */
	size_t tests;             /* whose q is of them all; 0: none */
	bool can_decide;          /* values are enough for some p below alpha */
	bool is_lost; /* a row that seems worse, which no p that it can have would show */
	bool has_noise; /* else base's values are equal, and the new ones all say the same */
	bool is_within;     /* the interval is within the tolerance */
	bool is_headline;   /* tested alone */
	bool is_row;        /* the trial's */
	size_t outliers[2]; /* of base and the new side; left out of all of this */
	/* In percent of base, in the column's unit where base is 0; NaN: not known. */
	double worse, allowed;
	double deviation; /* of a run, or of a pair */
};

#define GATE_RUNS_MAX 1000

/* All but verdict and q of those that are tested. */
void gate_judge(const struct gate_trial *trial, double alpha, struct gate_result *out);
/*
 * The verdicts: the first that is tested is the headline, believed when p < alpha; the
 * others when their q, by Benjamini and Hochberg, is.
 */
void gate_decide(struct gate_result *results, size_t n, double alpha);
/* Does the row keep its budget from passing?  Its interval does not count. */
bool gate_row_is_open(const struct gate_result *row);

/*
 * Runs a side that are likely to decide what is inconclusive, at least 2; 0: no number up
 * to GATE_RUNS_MAX.
 */
size_t gate_runs_needed(const struct gate_trial *trial, const struct gate_result *r,
			double alpha);

/* What a gate of these trials does, at the noise that its baselines have. */
struct gate_power {
	double aa_pct; /* of gates of one program so many fail */
	double aa_inconclusive_pct;
	double *least_80,
		*least_90; /* owned; by trial, percent of base; NaN: none is seen */
};

/*
 * Simulated from the values of each baseline, `nnew` of them (0: as many as base) for the
 * new side; the same numbers give the same answer.  gate_power_release() frees.
 */
void gate_power_make(const struct gate_trial *trials, size_t n, size_t nnew, double alpha,
		     struct gate_power *out);
void gate_power_release(struct gate_power *p);

/* One number of a run's rows. */
struct gate_stat {
	const char *name; /* NULL ends the list */
	const char *help;
	size_t least;                           /* of so many values there is one */
	double (*of)(double *values, size_t n); /* may sort them */
};
extern const struct gate_stat gate_stats[];

#endif
