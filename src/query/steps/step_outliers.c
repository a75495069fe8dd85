/* Which steps take much longer than the others: see step_outliers.h. */
#include "query/steps/step_outliers.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/sum.h"

/* Fewer steps than this say nothing about which one is long. */
#define STEPS_LEAST 3
/* A long step is so much above the median: 1 / 10 of it, and 5 median deviations. */
#define PART       10
#define DEVIATIONS 5

int64_t step_median(int64_t *ns, size_t n)
{
	qsort(ns, n, sizeof(*ns), sort_compare_int64);
	int64_t low = ns[(n - 1) / 2];
	return low + sum_sub(ns[n / 2], low) / 2;
}

bool step_usual_of(int64_t *ns, size_t n, struct step_usual *out)
{
	if (n < STEPS_LEAST)
		return false;
	out->median_ns = step_median(ns, n);
	for (size_t i = 0; i < n; i++) {
		int64_t off_ns = sum_sub(ns[i], out->median_ns);
		ns[i] = off_ns < 0 ? sum_sub(0, off_ns) : off_ns;
	}
	int64_t deviation_ns = step_median(ns, n), part_ns = out->median_ns / PART;
	int64_t above_ns = deviation_ns < INT64_MAX / DEVIATIONS
				   ? deviation_ns * DEVIATIONS
				   : INT64_MAX;
	out->limit_ns = sum_add(out->median_ns, above_ns > part_ns ? above_ns : part_ns);
	return true;
}
