/* ptool kernels: what ran on the devices, by kernel. */
#include "cli/filtered.h"
#include "query/devices/work_filter.h"
#include "query/kernels/kernels.h"

struct kernels_opts {
	struct filtered_opts on;
	struct view_opts view;
	struct opt_strings by;
	bool launches, copies;
};

static const char *sort_at(size_t i)
{
	return view_options_sort_at(&kernels_view, i);
}

static const char *by_at(size_t i)
{
	return view_by_at(&kernels_view, i);
}

#define FIELD(member)      offsetof(struct kernels_opts, member)
#define INTO(type, member) OPT_INTO(type, struct kernels_opts, member)

/* clang-format off */
static const struct opt kernels_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "group rows by the name and these, joined by commas (op: operator, grid, block, registers, shared memory)",
	  .choice_at = by_at, INTO(STRINGS, by), .is_list = true },
	{ .name = "launches", .help = "show launch delay, queue time, and the share that is launch-bound",
	  INTO(FLAG, launches) },
	{ .name = "copies", .help = "include memory copies and sets",
	  INTO(FLAG, copies) },
	VIEW_OPTIONS(FIELD(view), sort_at),
	OPT_END
};

static const struct opt_group kernels_groups[] = {
	FILTERED_OPERAND(struct kernels_opts),
	{ .opts = kernels_options },
	FILTERED_GROUPS(struct kernels_opts),
	OPT_GROUP_END
};
/* clang-format on */

static const struct kernels_opts defaults = { .view = { .limit = 20 },
					      .on = FILTERED_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct kernels_opts *o = options;
	struct kernels_query *query = request;

	*query = (struct kernels_query){
		.filter = filter,
		.with_copies = o->copies,
		.show = { .asked = o->launches ? KERNELS_LAUNCHES : 0,
			  .for_people = reading_is_for_people(&o->on.output) },
	};
	for (size_t i = 0; i < o->by.n; i++)
		query->show.asked |= view_by(&kernels_view, o->by.items[i]);
	if (work_filter_check(filter, err) < 0)
		return -1;
	return view_options_read(&o->view, &kernels_view, &query->show, err);
}

static int open_kernels(const struct reading *r, const void *request, struct table **out,
			struct err *err)
{
	return kernels_open(r->store, r->scope, request, out, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct kernels_opts o;
	struct kernels_query request;
	return filtered_run(self, argc, argv,
			    &(struct filtered_plan){ .options = &o,
						     .on = &o.on,
						     .view = &kernels_view,
						     .show = &o.view,
						     .request = &request,
						     .make = make_request,
						     .open = open_kernels });
}

static const char *const examples[] = { "ptool kernels trace.json",
					"ptool kernels --by op --focus gemm",
					"ptool kernels --launches --sort launch_delay",
					"ptool kernels --by rank,device --format csv",
					NULL };

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
	.run = run,
};
