/* The dimensions of a comparison: see diff_load.h. */
#include <string.h>

#include "query/diff/diff_load.h"
#include "query/diff/diff_relax.h"

#define TIMES   (DIFF_METRIC(DIFF_SELF) | DIFF_METRIC(DIFF_TOTAL) | DIFF_METRIC(DIFF_CALLS))
#define DEVICE  DIFF_METRIC(DIFF_DEVICE)
#define MEMORY  DIFF_METRIC(DIFF_MEMORY)
#define LENGTHS DIFF_METRIC(DIFF_SELF) | DIFF_METRIC(DIFF_TOTAL)

static const struct diff_dimension by_operator = {
	.name = "operator",
	.help = "operators, labels and calls of the runtime, as in ptool top",
	.title = "Operator",
	.metrics = TIMES | DEVICE | MEMORY,
	.unit = UNIT_NS,
	.of_traces = true,
	.load = diff_load_operators,
	.relaxings = diff_loader_relaxings,
	.relaxings_across = diff_call_relaxings,
};

static const struct diff_dimension by_kernel = {
	.name = "kernel",
	.help = "device work: kernels, copies and sets",
	.title = "Kernel",
	.metrics = TIMES | DEVICE,
	.unit = UNIT_NS,
	.of_traces = true,
	.load = diff_load_kernels,
	.relaxings = diff_kernel_relaxings,
};

static const struct diff_dimension by_function = {
	.name = "function",
	.help = "functions of call graphs, and Python frames of traces",
	.title = "Function",
	.metrics = TIMES,
	.unit = UNIT_NS,
	.is_whole = true,
	.of_traces = true,
	.of_call_graphs = true,
	.load = diff_load_functions,
	.relaxings = diff_function_relaxings,
	.relaxings_across = diff_function_relaxings,
};

static const struct diff_dimension by_annotation = {
	.name = "annotation",
	.help = "labels of record_function",
	.title = "Label",
	.metrics = TIMES | DEVICE,
	.unit = UNIT_NS,
	.of_traces = true,
	.load = diff_load_annotations,
	.relaxings = diff_loader_relaxings,
	.relaxings_across = diff_loader_relaxings,
};

static const struct diff_dimension by_step = {
	.name = "step",
	.help = "steps by their numbers",
	.title = "Step",
	.metrics = LENGTHS,
	.unit = UNIT_NS,
	.is_whole = true,
	.of_traces = true,
	.load = diff_load_steps,
};

static const struct diff_dimension by_memory = {
	.name = "memory",
	.help = "peaks of allocated memory, by device",
	.title = "Memory",
	.metrics = MEMORY,
	.usual = DIFF_MEMORY,
	.unit = UNIT_BYTES,
	.is_whole = true,
	.of_traces = true,
	.load = diff_load_memory,
};

static const struct diff_dimension by_idle = {
	.name = "idle",
	.help = "causes of a device's idle time, as in ptool gaps",
	.title = "Cause",
	.metrics = TIMES,
	.unit = UNIT_NS,
	.of_traces = true,
	.load = diff_load_idle,
};

static const struct diff_dimension by_name = {
	.name = "name",
	.help = "slices of all kinds by their exact names",
	.title = "Name",
	.metrics = TIMES,
	.unit = UNIT_NS,
	.of_traces = true,
	.load = diff_load_names,
};

const struct diff_dimension *const diff_dimensions[] = {
	&by_operator, &by_kernel, &by_function, &by_annotation, &by_step, &by_memory,
	&by_idle,     &by_name,   NULL
};

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
	for (size_t i = 0; diff_dimensions[i]; i++)
		if (strcmp(diff_dimensions[i]->name, name) == 0)
			return diff_dimensions[i];
	return NULL;
}

const char *diff_dimension_name(size_t i)
{
	return diff_dimensions[i] ? diff_dimensions[i]->name : NULL;
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
