/* Colours of a page: see report_colors.h. */
#include "cli/report_colors.h"

#include "query/gaps/gap_cause.h"
#include "query/steps/steps.h"

#define OTHER "other"

static const struct {
	enum step_category category;
	const char *color;
} categories[] = {
	{ STEP_KERNEL, "kernel" },   { STEP_COMMUNICATION, "comm" },
	{ STEP_MEMCPY, "memcpy" },   { STEP_MEMSET, "memset" },
	{ STEP_RUNTIME, "runtime" }, { STEP_DATA_LOADING, "data" },
	{ STEP_OPERATORS, "cpu" },
};

static const struct {
	enum gap_cause cause;
	const char *color;
} causes[] = {
	{ GAP_SYNC, "memset" },          { GAP_READ, "memset" },
	{ GAP_COPY, "memcpy" },          { GAP_ENGINE, "memcpy" },
	{ GAP_LOADER, "data" },          { GAP_COLLECTION, "data" },
	{ GAP_COMMUNICATION, "comm" },   { GAP_LATE_RANK, "comm" },
	{ GAP_LATENCY, "runtime" },      { GAP_CALL, "runtime" },
	{ GAP_MALLOC, "runtime" },       { GAP_OPERATOR, "cpu" },
	{ GAP_PYTHON, "python" },        { GAP_OPTIMIZER, "note" },
	{ GAP_ANNOTATION, "note" },      { GAP_COMPILE, "note" },
	{ GAP_ORDER, "kernel" },         { GAP_EVENT, "kernel" },
	{ GAP_GRAPH_START, "kernel" },   { GAP_GRAPH_NODES, "kernel" },
	{ GAP_GRAPH_END, "kernel" },     { GAP_GRAPH_BETWEEN, "kernel" },
	{ GAP_GRAPH_LAUNCH, "runtime" },
};

const char *report_color(struct str name)
{
	for (size_t i = 0; i < sizeof(categories) / sizeof(*categories); i++)
		if (str_is(name, steps_category_name(categories[i].category)))
			return categories[i].color;
	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		if (str_is(name, gap_causes[causes[i].cause].title))
			return causes[i].color;
	return OTHER;
}

const char *report_color_at(size_t n)
{
	static const char *const colors[] = { "kernel", "data",   "memcpy", "runtime",
					      "python", "memset", "comm" };

	return n < sizeof(colors) / sizeof(*colors) ? colors[n] : OTHER;
}
