/* ptool kernels: what ran on the devices, by kernel. */
#include "cli/table_command.h"
#include "query/kernels/kernels.h"

struct kernels_opts {
	struct table_opts on;
	struct view_opts view;
	struct opt_strings by;
	bool launches, copies;
};

#define INTO(type, member) OPT_INTO(type, struct kernels_opts, member)

/* clang-format off */
static const struct opt kernels_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "group rows by the name and these, joined by commas (op: operator, grid, block, registers, shared memory; family: in place of the name)",
	  .choice_of = view_options_by_at, .of = &kernels_view, INTO(STRINGS, by), .is_list = true },
	{ .name = "launches", .help = "show launch delay, queue time, and the share that is launch-bound",
	  INTO(FLAG, launches) },
	{ .name = "copies", .help = "include memory copies and sets",
	  INTO(FLAG, copies) },
	VIEW_OPTIONS(struct kernels_opts, view, &kernels_view),
	OPT_END
};

static const struct opt_group kernels_groups[] = {
	TABLE_OPERAND,
	{ .opts = kernels_options },
	TABLE_FILTERED_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct kernels_opts defaults = { .view = { .limit = 20 },
					      .on = TABLE_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct kernels_opts *o = options;
	struct kernels_query *query = request;

	(void)err;
	*query = (struct kernels_query){
		.filter = filter,
		.with_copies = o->copies,
		.show = { .asked = o->launches ? KERNELS_LAUNCHES : 0,
			  .for_people = reading_is_for_people(&o->on.output) },
	};
	for (size_t i = 0; i < o->by.n; i++)
		query->show.asked |= view_by(&kernels_view, o->by.items[i]);
	if (!(query->show.asked & KERNELS_BY_FAMILY))
		query->show.asked |= KERNELS_BY_NAME;
	return 0;
}

TABLE_OPEN(kernels_open)

static const char *const examples[] = { "ptool kernels trace.json",
					"ptool kernels --by op --focus gemm",
					"ptool kernels --launches --sort launch_delay",
					"ptool kernels --by rank,device --format csv",
					NULL };

static const struct table_command table = {
	.request_size = sizeof(struct kernels_query),
	.make = make_request,
	.open = open_table,
	.view = &kernels_view,
	.sorting = offsetof(struct kernels_opts, view),
	.show = offsetof(struct kernels_query, show),
	.is_of_devices = true,
};

const struct command cmd_kernels = {
	.name = "kernels",
	.part = COMMAND_GPU,
	.question = "Which kernels run, and do they use Tensor Cores?",
	.summary = "Show kernels: times, occupancy, Tensor Cores, launches",
	.groups = kernels_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&kernels_view),
	.exits = EXITS_READING("there are kernels",
			       "no kernel was recorded, or none matches"),
	.table = &table,
};
