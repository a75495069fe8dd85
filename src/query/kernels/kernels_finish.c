/*
 * Behind the last kernel: percentiles of durations, exact ones, and which operators
 * could use Tensor Cores.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/kernels/kernels_gather.h"
#include "query/kernels/tensor_core.h"

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The least value that so many percent of them do not exceed; n is never 0. */
static int64_t nearest_rank(const int64_t *sorted, size_t n, size_t percent)
{
	size_t rank = (n / 100 * percent) + (((n % 100 * percent) + 99) / 100);

	return sorted[rank ? rank - 1 : 0];
}

/* The durations group after group: a counting sort, and each group sorted. */
static void set_percentiles(struct gathering *g)
{
	struct kernels *out = g->out;
	int64_t *values = xrealloc_array(NULL, g->ndurations + 1, sizeof(*values));
	size_t *ends = xcalloc(out->n + 1, sizeof(*ends));

	for (size_t i = 1; i < out->n; i++)
		ends[i] = ends[i - 1] + (size_t)out->groups[i - 1].calls;
	for (size_t i = 0; i < g->ndurations; i++)
		values[ends[g->durations[i].group]++] = g->durations[i].ns;
	for (size_t i = 0; i < out->n; i++) {
		struct kernel_group *group = &out->groups[i];
		size_t n = (size_t)group->calls;
		int64_t *of_group = values + (ends[i] - n);
		qsort(of_group, n, sizeof(*of_group), by_value);
		group->p50_ns = nearest_rank(of_group, n, 50);
		group->p95_ns = nearest_rank(of_group, n, 95);
	}
	free(ends);
	free(values);
}

/* By its name, or because it launched a kernel that uses them. */
static void set_eligible(struct kernels *out)
{
	size_t n = out->texts.intern.n;
	uint8_t *used = xcalloc(n + 1, sizeof(*used));

	for (size_t i = 0; i < out->n; i++)
		if (out->groups[i].op != TEXT_NONE)
			used[out->groups[i].op] |=
				out->groups[i].tensor_core == TENSOR_CORE_YES;
	for (size_t i = 0; i < out->n; i++) {
		struct kernel_group *group = &out->groups[i];
		if (group->op != TEXT_NONE)
			group->op_eligible =
				used[group->op] ||
				tensor_core_op(text_pool_str(&out->texts, group->op));
	}
	free(used);
}

void kernels_finish(struct gathering *g)
{
	struct kernels *out = g->out;

	if (!g->query->sums_only)
		set_percentiles(g);
	set_eligible(out);
	for (size_t i = 0; i < out->n; i++) {
		const struct kernel_group *group = &out->groups[i];
		struct tensor_core_times *times = &out->tensor_core;
		out->calls += group->calls;
		out->total_ns = sum_add(out->total_ns, group->total_ns);
		if (group->tensor_core == TENSOR_CORE_YES)
			times->yes_ns = sum_add(times->yes_ns, group->total_ns);
		else if (group->tensor_core == TENSOR_CORE_UNKNOWN)
			times->unknown_ns = sum_add(times->unknown_ns, group->total_ns);
	}
}
