/* What a budget makes of the rows of a run: one number. */
#include <stdlib.h>

#include "base/sort.h"
#include "query/gate/gate.h"
#include "query/stats/middle.h"

/* The smallest value that `pct` percent of all are at most: nearest rank. */
static double percentile(double *values, size_t n, size_t pct)
{
	size_t rank = (n * pct + 99) / 100;

	qsort(values, n, sizeof(*values), sort_compare_double);
	return values[rank ? rank - 1 : 0];
}

static double sum(double *values, size_t n)
{
	double all = 0;

	for (size_t i = 0; i < n; i++)
		all += values[i];
	return all;
}

static double mean(double *values, size_t n)
{
	return sum(values, n) / (double)n;
}

static double least(double *values, size_t n)
{
	return percentile(values, n, 0);
}

static double most(double *values, size_t n)
{
	return percentile(values, n, 100);
}

static double p90(double *values, size_t n)
{
	return percentile(values, n, 90);
}

static double p95(double *values, size_t n)
{
	return percentile(values, n, 95);
}

static double p99(double *values, size_t n)
{
	return percentile(values, n, 99);
}

static double count(double *values, size_t n)
{
	(void)values;
	return (double)n;
}

const struct gate_stat gate_stats[] = {
	{ "median", "the middle of the rows' values", 1, middle_median },
	{ "mean", "their mean", 1, mean },
	{ "sum", "what they add up to", 1, sum },
	{ "min", "the smallest", 1, least },
	{ "max", "the largest", 1, most },
	{ "p90", "the value that 90 % of the rows do not exceed", 1, p90 },
	{ "p95", "likewise, 95 %", 1, p95 },
	{ "p99", "likewise, 99 %", 1, p99 },
	{ "count", "how many rows have a value", 0, count },
	{ .name = NULL },
};
