/*
 * What a comparison compares: the dimensions, each of which reads a run's rows from
 * its store.  A new one is a file with its loader and a row in diff_load.c.
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
#include "query/filter.h"
#include "query/scope.h"

/*
 * What one side measured: of each row (an operator, a kernel, ...) in each replicate (a
 * run, or a step of the one run) the calls and the amount.
 */
struct diff_sum {
	uint32_t row, replicate;
	int64_t calls;
	int64_t amount; /* ns, bytes or calls; bytes may be negative */
};

struct diff_sums {
	struct diff_sum
		*items; /* owned; by (row, replicate) once merged, each pair once */
	size_t n, cap;
};

void diff_sums_add(struct diff_sums *s, struct diff_sum sum);
/* Sums stay within int64: they stick at its ends. */
void diff_sums_merge(struct diff_sums *s);
void diff_sums_release(struct diff_sums *s);

/* Of a merged one: the place of the row's first item, or of that behind it. */
size_t diff_sums_first(const struct diff_sums *s, uint32_t row);

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
	size_t before;      /* what `to` held; set by diff_load() */
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
	bool of_call_graphs;
	bool has_split;      /* a delta is of more calls, or of longer ones */
	const char *nothing; /* why a run may have no row */
	/* the table that it reads in addition to those of every comparison; or NULL */
	const char *also_reads;
	int (*load)(const struct diff_loading *l, struct err *err);
	/*
	 * How a row may have been renamed; NULL: exact names alone.  And where one side ran
	 * with CUDA, the other with HIP.
	 */
	const struct diff_relaxing *relaxings, *relaxings_across;
};

/* ERR_EMPTY: the run has no row, or none is left by the filters. */
int diff_load(const struct diff_dimension *by, const struct diff_loading *l,
	      struct err *err);
/* NULL when there is none. */
const struct diff_dimension *diff_dimension_find(const char *name);
/* Value i of --by; NULL behind the last. */
const char *diff_dimension_name(size_t i);
/* The unit of the amounts. */
enum unit diff_dimension_unit(const struct diff_dimension *by, enum diff_metric metric);

/* The loaders of the dimensions: diff_load_ops.c, diff_load_slices.c, diff_load_whole.c. */
int diff_load_operators(const struct diff_loading *l, struct err *err);
int diff_load_kernels(const struct diff_loading *l, struct err *err);
int diff_load_names(const struct diff_loading *l, struct err *err);
int diff_load_annotations(const struct diff_loading *l, struct err *err);
int diff_load_functions(const struct diff_loading *l, struct err *err);
int diff_load_line_functions(const struct diff_loading *l, struct err *err);
int diff_load_lines(const struct diff_loading *l, struct err *err);
int diff_load_steps(const struct diff_loading *l, struct err *err);
int diff_load_idle(const struct diff_loading *l, struct err *err);
int diff_load_memory(const struct diff_loading *l, struct err *err);

#endif
