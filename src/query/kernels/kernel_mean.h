/*
 * Means of what kernels record, such as occupancy, weighted by their time.  Weights are
 * added up as integers for each value, and values from the least on, so that a mean is the
 * same bits in whatever order calls, or sums of parts, were added.
 */
#ifndef PTOOL_QUERY_KERNEL_MEAN_H
#define PTOOL_QUERY_KERNEL_MEAN_H

#include <stdint.h>

#include "base/table.h"

/* Zeroed is empty. */
struct kernel_mean {
	struct kernel_weight {
		double value; /* the first: they are sorted by it */
		int64_t ns;
	} least,
		*more; /* more is owned, in any order, values may be there several times */
	uint32_t n, cap;
};

/* Negative values are none. */
void kernel_mean_add(struct kernel_mean *mean, double value, int64_t ns);
/* Null when no call has it, or all that have it last 0 ns. */
struct cell kernel_mean_cell(const struct kernel_mean *mean);
/* Null, too, when those that have it last less than half of of_ns. */
struct cell kernel_mean_cell_of(const struct kernel_mean *mean, int64_t of_ns);
void kernel_mean_release(struct kernel_mean *mean);

#endif
