/* ptool trend: runs in the order of time, and where they changed. */
#include "cli/table_command.h"
#include "query/trend/trend.h"

struct trend_opts {
	struct table_opts on;
	struct view_opts view;
	const char *column;
};

/* clang-format off */
static const struct opt trend_options[] = {
	{ .name = "column", .arg = "WHAT", .help = "value to draw as a curve and to search for changes: median step, busy or idle time of a device in a step, peak memory",
	  .choices = trend_column_names, OPT_INTO(CHOICE, struct trend_opts, column) },
	VIEW_OPTIONS(struct trend_opts, view, &trend_view),
	OPT_END
};

static const struct opt_group trend_groups[] = {
	TABLE_OPERAND,
	{ .opts = trend_options },
	TABLE_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct trend_opts defaults = { .column = "step", .on = TABLE_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct trend_opts *o = options;

	(void)filter, (void)err;
	*(struct trend_request *)request = (struct trend_request){
		.column = (enum trend_column)opt_choice_place(trend_column_names,
							      o->column),
	};
	return 0;
}

TABLE_OPEN(trend_open)

static const char *const examples[] = { "ptool trend runs.db",
					"ptool trend runs.db --column peak",
					"ptool trend runs.db --sort change -n 3",
					"ptool trend runs.db --format csv -o trend.csv",
					NULL };

static const struct table_command table = {
	.request_size = sizeof(struct trend_request),
	.make = make_request,
	.open = open_table,
	.view = &trend_view,
	.sorting = offsetof(struct trend_opts, view),
	.show = offsetof(struct trend_request, show),
	.all_runs = true,
};

const struct command cmd_trend = {
	.name = "trend",
	.part = COMMAND_START,
	.question = "When did runs become slower?",
	.summary = "Show runs over time, and where they changed",
	.groups = trend_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&trend_view),
	.exits = EXITS_READING("there are runs with steps or memory",
			       "no run has steps or memory, or none matches"),
	.table = &table,
};
