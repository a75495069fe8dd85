/*
 * Two sides of recordings compared: base, and what came after it.  A delta is always
 * new - base.  Each side is one or several runs of the same program; rows are what the
 * dimension says (query/diff_load.h), measured per step or per run.
 *
 *	diff_open(&d, &request, err);     reads all runs of both sides
 *	d.rows[0]                         the largest delta
 *	diff_release(&d);
 */
#ifndef PTOOL_QUERY_DIFF_H
#define PTOOL_QUERY_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intern.h"
#include "query/diff/diff_load.h"
#include "query/diff/diff_test.h"

/* One run of a side; all borrowed. */
struct diff_run {
	struct store *store;
	const struct scope *scope;
	const char *name; /* of the operand it came from */
};

enum diff_which { DIFF_BASE, DIFF_NEW, NDIFF_SIDES };

struct diff_request {
	const struct diff_run *runs[NDIFF_SIDES];
	size_t nruns[NDIFF_SIDES]; /* at least one; of the new side 0: base alone */
	const struct diff_dimension
		*by;                 /* NULL: operators, or functions of call graphs */
	const struct filter *filter; /* borrowed */
	enum diff_metric metric;     /* NDIFF_METRICS: the dimension's usual one */
	bool total;                  /* of a run, not of a step */
	bool first_step;             /* only what stands in the first step */
	bool within_run;             /* the steps of one run a side may decide */
	double alpha, min_effect_pct;
};

/* What the headline is about. */
enum diff_subject {
	DIFF_OF_STEPS,      /* host time of a step */
	DIFF_OF_RECORDINGS, /* first event to the end of the last */
	DIFF_OF_ROWS        /* what the rows add up to */
};

struct diff_side {
	size_t nruns;
	struct diff_steps *steps; /* owned; by run */
	struct diff_sums sums;
	/* Self times of call graphs whose rows are not: what the headline adds up. */
	struct diff_sums self_sums;
	/* What sums are divided by: of all, and of each replicate. */
	int64_t units, *replicate_units;
	size_t nreplicates;
	double *samples; /* owned; the headline's, one a replicate of its own */
	size_t nsamples;
	int64_t subject; /* the headline's mean, in its unit, rounded */
};

enum diff_status { DIFF_CHANGED, DIFF_EQUAL, DIFF_ADDED, DIFF_REMOVED, DIFF_RENAMED };

struct diff_measure {
	int64_t calls,
		amount; /* sums over the side; divided by its units they are a row's */
	int64_t mean;   /* amount / units, rounded half away from 0 */
	uint32_t row;   /* in the sums; DIFF_NO_ROW when the side has none */
};

struct diff_row {
	struct diff_measure of[NDIFF_SIDES];
	int64_t delta, from_calls, from_duration;
	double delta_pct;      /* of base; NaN: one side has none, or base is 0 */
	struct diff_test test; /* is_tested: it holds enough of base's total */
	enum diff_status status;
};

#define DIFF_NO_ROW UINT32_MAX

/* What took much longer than the rest of its side, by the rule of ptool steps. */
struct diff_outliers {
	bool *is[NDIFF_SIDES]; /* owned; by sample of the headline; NULL: none is */
	size_t n[NDIFF_SIDES];
	double change_pct, median_pct; /* of base without them; NaN: there is none */
};

struct diff_account;

struct diff {
	const struct diff_request *request; /* borrowed */
	const struct diff_dimension *by;
	enum diff_metric metric;
	bool is_metric_chosen; /* device time, because device work explains most */
	enum unit unit;        /* of amounts and deltas */
	bool is_call_graph;    /* or sampled stacks, which are compared as one ... */
	bool is_sampled;       /* ... and which it is */
	bool has_steps;        /* every run has */
	bool per_step;         /* rows are divided by steps */
	bool within_run;       /* rows' replicates are the steps of one run a side */
	enum diff_subject subject;
	bool subject_per_step;   /* the headline is of one step, not of all */
	bool subject_within_run; /* its samples are steps */
	bool is_one_run; /* a side: nothing says how much runs differ by themselves */
	bool may_decide; /* the replicates say how sure a change is */
	struct diff_side sides[NDIFF_SIDES];
	struct intern names;   /* of rows: numbers are rows of the sums */
	struct diff_row *rows; /* owned; the largest delta first */
	size_t nrows;
	size_t ntested;
	struct diff_headline headline;
	struct diff_outliers outliers;
	struct diff_account *account; /* owned; NULL: not needed so far */
	bool has_significant_row;
	bool is_one_sided; /* the filters left rows on one side alone */
	const struct diff_relaxing *relaxings; /* static; NULL: exact names alone */
	const char *culprit;                   /* of a failure: the run's name, or NULL */
};

/*
 * diff_release() in both cases.  ERR_EMPTY: nothing is there to compare, or the sides
 * share nothing; ERR_USAGE: what was asked for does not go together.
 */
int diff_open(struct diff *d, const struct diff_request *request, struct err *err);
void diff_release(struct diff *d);

/* Total times of a call graph hold each other: its headline is of self times. */
bool diff_has_self_sums(const struct diff *d);
/* Rows are (also) of device work or idle devices, whose times need not add up to the headline. */
bool diff_is_of_devices(const struct diff *d);
/* The row's name on a side; of the other when this one has none. */
struct str diff_row_name(const struct diff *d, const struct diff_row *row,
			 enum diff_which which);
/* Calls per unit of the side. */
double diff_row_calls(const struct diff *d, const struct diff_row *row,
		      enum diff_which which);

#endif
