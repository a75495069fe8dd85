/* The dimensions of a comparison, and what their loaders fill: see diff_load.h. */
#include "query/diff/diff_load.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"

void diff_sums_add(struct diff_sums *s, struct diff_sum sum)
{
	if (s->n) {
		struct diff_sum *last = &s->items[s->n - 1];
		if (last->row == sum.row && last->replicate == sum.replicate) {
			last->calls = sum_add(last->calls, sum.calls);
			last->amount = sum_add(last->amount, sum.amount);
			return;
		}
	}
	*ARRAY_PUSH(s->items, s->n, s->cap) = sum;
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct diff_sum *items = context;
	const struct diff_sum *x = &items[a], *y = &items[b];

	return x->row != y->row ? x->row < y->row : x->replicate < y->replicate;
}

void diff_sums_merge(struct diff_sums *s)
{
	uint32_t *at = sorted_places(s->n, is_before, s->items);
	struct diff_sums merged = { .n = 0 };

	for (size_t i = 0; i < s->n; i++)
		diff_sums_add(&merged, s->items[at[i]]);
	free(at);
	free(s->items);
	*s = merged;
}

void diff_sums_release(struct diff_sums *s)
{
	free(s->items);
	*s = (struct diff_sums){ .n = 0 };
}

size_t diff_sums_first(const struct diff_sums *s, uint32_t row)
{
	size_t at;

	SEARCH(at, 0, s->n, s->items[at].row < row);
	return at;
}

#define TIMES   (DIFF_METRIC(DIFF_SELF) | DIFF_METRIC(DIFF_TOTAL) | DIFF_METRIC(DIFF_CALLS))
#define DEVICE  DIFF_METRIC(DIFF_DEVICE)
#define MEMORY  DIFF_METRIC(DIFF_MEMORY)
#define LENGTHS (DIFF_METRIC(DIFF_SELF) | DIFF_METRIC(DIFF_TOTAL))

/* clang-format off */
static const struct diff_dimension dimensions[] = {
	{ .name = "operator", .title = "Operator", .metrics = TIMES | DEVICE | MEMORY,
	  .help = "operators, labels and runtime calls, as in ptool top",
	  .nothing = "no operator was recorded, or none matches",
	  .unit = UNIT_NS, .has_split = true, .load = diff_load_operators,
	  .relaxings = diff_loader_relaxings, .relaxings_across = diff_call_relaxings },
	{ .name = "kernel", .title = "Kernel", .metrics = TIMES | DEVICE,
	  .help = "device work: kernels, copies and sets",
	  .nothing = "no device work was recorded (ProfilerActivity.CUDA), or none matches",
	  .unit = UNIT_NS, .has_split = true, .load = diff_load_kernels,
	  .relaxings = diff_kernel_relaxings },
	{ .name = "function", .title = "Function", .metrics = TIMES,
	  .help = "functions of call graphs, and Python frames of traces",
	  .nothing = "no Python frame was recorded (with_stack=True), or none matches",
	  .unit = UNIT_NS, .has_split = true, .of_call_graphs = true,
	  .is_whole = true, .load = diff_load_functions,
	  .relaxings = diff_function_relaxings, .relaxings_across = diff_function_relaxings },
	{ .name = "line", .title = "Line", .usual = DIFF_TOTAL,
	  .metrics = DIFF_METRIC(DIFF_TOTAL) | DIFF_METRIC(DIFF_CALLS) | MEMORY,
	  .help = "lines of line_profiler and memory_profiler, as file:line(function)",
	  .nothing = "no line ran, or none matches",
	  .unit = UNIT_NS, .has_split = true, .of_call_graphs = true, .is_whole = true,
	  .load = diff_load_lines },
	{ .name = "annotation", .title = "Label", .metrics = TIMES | DEVICE,
	  .help = "labels of record_function",
	  .nothing = "no label (record_function) was recorded, or none matches",
	  .unit = UNIT_NS, .has_split = true, .also_reads = "annotation_stat", .load = diff_load_annotations,
	  .relaxings = diff_loader_relaxings, .relaxings_across = diff_loader_relaxings },
	{ .name = "step", .title = "Step", .metrics = LENGTHS,
	  .help = "steps by their numbers",
	  .nothing = "no step was recorded (profiler.step()), or none matches",
	  .unit = UNIT_NS, .is_whole = true, .load = diff_load_steps },
	{ .name = "memory", .title = "Memory", .metrics = MEMORY, .usual = DIFF_MEMORY,
	  .help = "peaks of allocated memory, by device",
	  .nothing = "no running total of memory was recorded (profile_memory=True), or none matches",
	  .unit = UNIT_BYTES, .is_whole = true, .also_reads = "memory_part", .load = diff_load_memory },
	{ .name = "idle", .title = "Cause", .metrics = TIMES,
	  .help = "causes of a device's idle time, as in ptool gaps",
	  .nothing = "no device was idle, or no device work was recorded (ProfilerActivity.CUDA)",
	  .unit = UNIT_NS, .has_split = true, .also_reads = "gap_call_part", .load = diff_load_idle },
	{ .name = "name", .title = "Name", .metrics = TIMES,
	  .help = "slices of all kinds by their exact names",
	  .nothing = "no slice was recorded, or none matches",
	  .unit = UNIT_NS, .has_split = true, .load = diff_load_names },
};
/* clang-format on */

#define NDIMENSIONS (sizeof(dimensions) / sizeof(*dimensions))

static const struct metric {
	const char *name, *title;
} metrics[NDIFF_METRICS] = {
	[DIFF_SELF] = { "self", "self time" },
	[DIFF_TOTAL] = { "total", "total time" },
	[DIFF_DEVICE] = { "device", "device time" },
	[DIFF_MEMORY] = { "memory", "memory" },
	[DIFF_CALLS] = { "calls", "calls" },
};

const char *diff_metric_name(size_t i)
{
	return i < NDIFF_METRICS ? metrics[i].name : NULL;
}

const char *diff_metric_title(enum diff_metric metric)
{
	return metrics[metric].title;
}

const struct diff_dimension *diff_dimension_find(const char *name)
{
	for (size_t i = 0; i < NDIMENSIONS; i++)
		if (strcmp(dimensions[i].name, name) == 0)
			return &dimensions[i];
	return NULL;
}

const char *diff_dimension_name(size_t i)
{
	return i < NDIMENSIONS ? dimensions[i].name : NULL;
}

enum unit diff_dimension_unit(const struct diff_dimension *by, enum diff_metric metric)
{
	if (metric == DIFF_CALLS)
		return UNIT_COUNT;
	return metric == DIFF_MEMORY ? UNIT_BYTES : by->unit;
}

void diff_loading_add(const struct diff_loading *l, struct str name,
		      struct diff_place place, int64_t calls, int64_t amount)
{
	uint32_t replicate = l->replicate;

	if (l->steps) {
		size_t at = place.in_step ? diff_steps_find(l->steps, place.profile_id,
							    place.step)
					  : DIFF_NO_STEP;
		if (at == DIFF_NO_STEP)
			return;
		if (l->by_step)
			replicate += l->steps->items[at].replicate;
	}
	diff_sums_add(l->to, (struct diff_sum){ .row = intern_add(l->names, name),
						.replicate = replicate,
						.calls = calls,
						.amount = amount });
}

int diff_load(const struct diff_dimension *by, const struct diff_loading *l,
	      struct err *err)
{
	struct diff_loading own = *l;

	own.before = l->to->n;
	if (by->load(&own, err) < 0)
		return -1;
	return l->to->n > own.before ? 0 : err_set(err, ERR_EMPTY, "%s", by->nothing);
}
