/* Time in steps, all of them added up: see step_cover.h. */
#include "query/steps/step_cover.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"

/* From `at_ns` to the next point `open` steps are open. */
struct cover_point {
	int64_t at_ns, open;
	struct mean_sum before; /* how long steps were open until then */
};

static void list_bounds(const struct step_bounds *bounds, const bool *counts,
			int64_t *starts, int64_t *ends)
{
	size_t n = 0;

	for (size_t i = 0; i < bounds->n; i++) {
		if (counts && !counts[i])
			continue;
		starts[n] = bounds->items[i].start_ns;
		ends[n++] = bounds->items[i].end_ns;
	}
	if (n) {
		qsort(starts, n, sizeof(*starts), sort_compare_int64);
		qsort(ends, n, sizeof(*ends), sort_compare_int64);
	}
}

/* `open` steps, from the point until then, on top of what was before it. */
static struct mean_sum open_until(const struct step_cover *c,
				  const struct cover_point *point, int64_t ns)
{
	struct mean_sum sum = point->before;
	int64_t length_ns = sum_sub(ns, point->at_ns);
	/* less than n * n: both are counts of steps in memory */
	int64_t rest_ns = point->open * (length_ns % c->n);

	mean_sum_add(&sum, point->open * (length_ns / c->n) + rest_ns / c->n,
		     rest_ns % c->n, c->n);
	return sum;
}

void step_cover_make(const struct step_bounds *bounds, const bool *counts,
		     struct step_cover *out)
{
	int64_t *starts = xrealloc_array(NULL, bounds->n + 1, sizeof(*starts));
	int64_t *ends = xrealloc_array(NULL, bounds->n + 1, sizeof(*ends));
	int64_t open = 0;

	*out = (struct step_cover){ .n = 0 };
	list_bounds(bounds, counts, starts, ends);
	for (size_t i = 0; i < bounds->n; i++)
		out->n += !counts || counts[i];
	out->points = xrealloc_array(NULL, 2 * (size_t)out->n + 1, sizeof(*out->points));
	for (int64_t s = 0, e = 0; e < out->n;) {
		bool is_start = s < out->n && starts[s] <= ends[e];
		struct cover_point *point = &out->points[out->npoints];
		*point = (struct cover_point){ .at_ns = is_start ? starts[s++]
								 : ends[e++] };
		if (out->npoints)
			point->before = open_until(out, point - 1, point->at_ns);
		open += is_start ? 1 : -1;
		point->open = open;
		out->npoints++;
	}
	free(starts);
	free(ends);
}

void step_cover_release(struct step_cover *c)
{
	free(c->points);
}

static struct mean_sum until(const struct step_cover *c, int64_t ns)
{
	size_t low = 0, high = c->npoints;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (c->points[middle].at_ns <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? open_until(c, &c->points[low - 1], ns) : (struct mean_sum){ 0, 0 };
}

struct mean_sum step_cover_of(const struct step_cover *c, const struct intervals *set)
{
	struct mean_sum sum = { 0, 0 };

	for (size_t i = 0; c->n && i < set->n; i++) {
		struct mean_sum from = until(c, set->items[i].start_ns);
		struct mean_sum to = until(c, set->items[i].end_ns);
		mean_sum_add(&sum, to.mean_ns - from.mean_ns - 1,
			     to.rest_ns - from.rest_ns + c->n, c->n);
	}
	return sum;
}

int64_t step_cover_length(const struct step_cover *c, const struct intervals *set)
{
	struct mean_sum sum = step_cover_of(c, set);

	return sum_add(sum_times(sum.mean_ns, c->n), sum.rest_ns);
}
