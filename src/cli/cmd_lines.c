/* ptool lines: what each line of a function took, as line_profiler prints it. */
#include "cli/table_command.h"
#include "query/lines/line_profile.h"

struct lines_opts {
	struct table_opts on;
	struct view_opts view;
};

static const char *sort_at(size_t i)
{
	return view_options_sort_at(&lines_view, i);
}

/* clang-format off */
static const struct opt lines_options[] = {
	{ .name = "sort", .arg = "KEY", .help = "one table of all lines, sorted by this column; 'help' lists them",
	  .value_at = sort_at, OPT_INTO(STRING, struct lines_opts, view.sort), .short_name = 's' },
	{ .name = "reverse", .help = "reverse the order of --sort",
	  OPT_INTO(FLAG, struct lines_opts, view.reverse), .short_name = 'r' },
	{ .name = "limit", .arg = "N", .help = "show this many functions, or lines with --sort; 0 for all",
	  OPT_INTO(UINT, struct lines_opts, view.limit), .short_name = 'n' },
	OPT_END
};

static const struct opt lines_filters[] = {
	{ .name = "focus", .arg = "RE", .help = "only functions whose file:line(name) matches the regular expression",
	  OPT_INTO(STRING, struct filter_opts, focus), .short_name = 'F' },
	{ .name = "ignore", .arg = "RE", .help = "no functions whose file:line(name) matches the regular expression",
	  OPT_INTO(STRING, struct filter_opts, ignore), .short_name = 'N' },
	OPT_END
};

static const struct opt_group lines_groups[] = {
	TABLE_OPERAND,
	{ .opts = lines_options },
	{ "Filters", lines_filters, offsetof(struct table_opts, filter), true },
	TABLE_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct lines_opts defaults = { .on = TABLE_DEFAULTS,
					    .view.limit = VIEW_LIMIT_PEOPLE };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct lines_opts *o = options;
	struct line_request *r = request;

	r->filter = filter;
	r->show.for_people = reading_is_for_people(&o->on.output);
	if (o->view.reverse && !o->view.sort)
		return err_set(err, ERR_USAGE, "--reverse needs --sort");
	return 0;
}

TABLE_OPEN(lines_open)

static const char *const examples[] = { "ptool lines script.py.lprof",
					"ptool lines --focus 'train.py.*step'",
					"ptool lines --sort time --limit 10",
					"ptool lines report.txt --format csv", NULL };

static const struct table_command table = {
	.request_size = sizeof(struct line_request),
	.make = make_request,
	.open = open_table,
	.view = &lines_view,
	.sorting = offsetof(struct lines_opts, view),
	.show = offsetof(struct line_request, show),
};

const struct command cmd_lines = {
	.name = "lines",
	.part = COMMAND_PYTHON,
	.question = "Which line of a function takes the time or the memory?",
	.summary = "Show the lines of functions, with time and memory",
	.groups = lines_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&lines_view),
	.exits = EXITS_READING("there are lines",
			       "no lines were recorded, or no function matches"),
	.table = &table,
};
