/* ptool modules: the tree of nn.Module calls, with host and device time. */
#include <string.h>

#include "cli/table_command.h"
#include "query/kernels/modules.h"

struct modules_opts {
	struct table_opts on;
	int64_t depth, limit;
	const char *sort;
};

static const char *const orders[] = { "time", "start", NULL };

/* clang-format off */
static const struct opt modules_options[] = {
	{ .name = "depth", .arg = "LEVELS", .help = "show this many levels, 0 for all",
	  OPT_INTO(UINT, struct modules_opts, depth) },
	{ .name = "sort", .arg = "KEY", .help = "order below each module: most time first, or order of first calls",
	  OPT_INTO(CHOICE, struct modules_opts, sort), .choices = orders, .short_name = 's' },
	{ .name = "limit", .arg = "ROWS", .help = "show this many rows, 0 for all",
	  OPT_INTO(UINT, struct modules_opts, limit), .short_name = 'n' },
	OPT_END
};

static const struct opt_group modules_groups[] = {
	TABLE_OPERAND,
	{ .opts = modules_options },
	TABLE_FILTERED_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct modules_opts defaults = { .sort = "time", .on = TABLE_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct modules_opts *o = options;

	*(struct modules_query *)request = (struct modules_query){
		.filter = filter,
		.depth = o->depth,
		.show = { .limit = o->limit,
			  .for_people = reading_is_for_people(&o->on.output) },
		.by_start = strcmp(o->sort, "start") == 0,
		.width = output_width(&o->on.output),
	};
	if (!filter->streams.n && !filter->devices.n && !filter->categories.n)
		return 0;
	return err_set(err, ERR_USAGE,
		       "--stream, --device and --cat do not apply to modules: see 'ptool "
		       "kernels' and 'ptool top'");
}

TABLE_OPEN(modules_open)

static const char *const examples[] = { "ptool modules trace.json",
					"ptool modules --depth 2 --step 3",
					"ptool modules --sort start -n 30",
					"ptool modules --focus Linear --format csv",
					NULL };

static const struct table_command table = {
	.request_size = sizeof(struct modules_query),
	.make = make_request,
	.open = open_table,
};

const struct command cmd_modules = {
	.name = "modules",
	.part = COMMAND_PYTHON,
	.question = "Which nn.Module takes the time?",
	.summary = "Show nn.Module calls as a tree, with host and device time",
	.groups = modules_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&modules_view),
	.exits = EXITS_READING(
		"there are modules",
		"no module was recorded (with_stack=True), or none matches"),
	.table = &table,
};
