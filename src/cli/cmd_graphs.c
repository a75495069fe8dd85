/* ptool graphs: the CUDA and HIP graphs that were replayed. */
#include "cli/table_command.h"
#include "query/graphs/graphs.h"

struct graphs_opts {
	struct table_opts on;
	struct view_opts view;
};

/* clang-format off */
static const struct opt graphs_options[] = {
	VIEW_OPTIONS(struct graphs_opts, view, &graphs_view),
	OPT_END
};

static const struct opt_group graphs_groups[] = {
	TABLE_OPERAND,
	{ .opts = graphs_options },
	TABLE_FILTERED_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct graphs_opts defaults = { .on = TABLE_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct graphs_opts *o = options;

	(void)err;
	*(struct graphs_query *)request = (struct graphs_query){
		.filter = filter,
		.show = { .for_people = reading_is_for_people(&o->on.output) },
	};
	return 0;
}

TABLE_OPEN(graphs_open)

static const char *const examples[] = { "ptool graphs trace.json",
					"ptool graphs --step 3..5 --format csv", NULL };

static const struct table_command table = {
	.request_size = sizeof(struct graphs_query),
	.make = make_request,
	.open = open_table,
	.view = &graphs_view,
	.sorting = offsetof(struct graphs_opts, view),
	.show = offsetof(struct graphs_query, show),
	.is_of_devices = true,
};

const struct command cmd_graphs = {
	.name = "graphs",
	.part = COMMAND_GPU,
	.question = "How long do replayed CUDA graphs take?",
	.summary = "Show the CUDA and HIP graphs that were replayed",
	.groups = graphs_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&graphs_view),
	.exits = EXITS_READING("graphs were replayed",
			       "no graph was replayed, or none matches"),
	.table = &table,
};
