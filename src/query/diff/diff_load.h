/*
 * What a comparison compares: the dimensions, each of which reads a run's rows from
 * its store.  A new one is a file with its loader and a row in diff_dimension.c.
 */
#ifndef PTOOL_QUERY_DIFF_LOAD_H
#define PTOOL_QUERY_DIFF_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/table.h"
#include "query/diff/diff_match.h"
#include "query/diff/diff_steps.h"
#include "query/diff/diff_sums.h"
#include "query/filter.h"
#include "query/scope.h"

/* What is measured of each row. */
enum diff_metric {
	DIFF_SELF,
	DIFF_TOTAL,
	DIFF_DEVICE,
	DIFF_MEMORY,
	DIFF_CALLS,
	NDIFF_METRICS
};

#define DIFF_METRIC(metric) (1U << (metric))

/* Value i of --metric; NULL behind the last. */
const char *diff_metric_name(size_t i);
/* "Self time", ... */
const char *diff_metric_title(enum diff_metric metric);

/* Reading one run; all borrowed. */
struct diff_loading {
	struct store *store;
	const struct scope *scope;
	const struct filter *filter;
	enum diff_metric metric;
	const struct diff_steps *steps; /* only what stands in these counts; NULL: all */
	struct intern *names;           /* of rows: of both sides the same numbers */
	struct diff_sums *to;
	uint32_t replicate; /* of the run, or ... */
	bool by_step;       /* ... its steps', numbered from here */
};

/* Where some calls stand. */
struct diff_place {
	int64_t profile_id;
	int64_t step; /* its N, when in_step */
	bool in_step;
};

/* Adds calls of a row, unless they stand in no step that is asked for. */
void diff_loading_add(const struct diff_loading *l, struct str name,
		      struct diff_place place, int64_t calls, int64_t amount);

struct diff_dimension {
	const char *name; /* value of --by */
	const char *help;
	const char *title;      /* of the column of names */
	unsigned metrics;       /* DIFF_METRIC() of those it has */
	enum diff_metric usual; /* without --metric */
	enum unit unit; /* of `usual`, which DIFF_CALLS and DIFF_MEMORY override */
	bool is_whole;  /* of a run as a whole: its rows are never divided by steps */
	bool of_traces, of_call_graphs;
	/* ERR_EMPTY: the run has none, or none is left by the filters. */
	int (*load)(const struct diff_loading *l, struct err *err);
	/*
	 * How a row may have been renamed; NULL: exact names alone.  And where one side ran
	 * with CUDA, the other with HIP.
	 */
	const struct diff_relaxing *relaxings, *relaxings_across;
};

/* Ends with NULL. */
extern const struct diff_dimension *const diff_dimensions[];
/* NULL when there is none. */
const struct diff_dimension *diff_dimension_find(const char *name);
/* Value i of --by; NULL behind the last. */
const char *diff_dimension_name(size_t i);
/* The unit of the amounts. */
enum unit diff_dimension_unit(const struct diff_dimension *by, enum diff_metric metric);

/* The loaders: the file diff_load_<what>.c each. */
int diff_load_operators(const struct diff_loading *l, struct err *err);
int diff_load_kernels(const struct diff_loading *l, struct err *err);
int diff_load_names(const struct diff_loading *l, struct err *err);
int diff_load_annotations(const struct diff_loading *l, struct err *err);
int diff_load_functions(const struct diff_loading *l, struct err *err);
int diff_load_steps(const struct diff_loading *l, struct err *err);
int diff_load_idle(const struct diff_loading *l, struct err *err);
int diff_load_memory(const struct diff_loading *l, struct err *err);

/* Labels one by one: diff_load_names.c. */
int diff_load_label_slices(const struct diff_loading *l, struct err *err);
/* Is it a label, and no step? */
bool diff_is_label(struct str name);

#endif
