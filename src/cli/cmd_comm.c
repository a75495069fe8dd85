/* ptool comm: collectives, and across ranks who waited for whom. */
#include "cli/filtered.h"
#include "query/comm/comm.h"
#include "query/devices/work_filter.h"

struct comm_opts {
	struct filtered_opts on;
	struct view_opts view;
	const char *by;
	bool list, ranks;
};

static const char *sort_at(size_t i)
{
	return view_options_sort_at(comm_view_of(false), i);
}

/* By enum comm_by. */
static const char *const by_names[] = { "collective", "size", "rank", NULL };

#define FIELD(member)      offsetof(struct comm_opts, member)
#define INTO(type, member) OPT_INTO(type, struct comm_opts, member)

/* clang-format off */
static const struct opt comm_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "group rows by collective, type and group; by these and message size; or by rank",
	  .choices = by_names, INTO(CHOICE, by) },
	{ .name = "list", .help = "show every collective",
	  INTO(FLAG, list) },
	{ .name = "ranks", .help = "compare the ranks of a run: who waited for whom",
	  INTO(FLAG, ranks) },
	VIEW_OPTIONS(FIELD(view), sort_at),
	OPT_END
};

static const struct opt_group comm_groups[] = {
	FILTERED_OPERAND(struct comm_opts),
	{ .opts = comm_options },
	FILTERED_GROUPS(struct comm_opts),
	OPT_GROUP_END
};
/* clang-format on */

static const struct comm_opts defaults = { .by = "collective", .on = FILTERED_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct comm_opts *o = options;
	struct comm_request *to = request;
	size_t by = opt_choice_place(by_names, o->by);

	if (o->list && by)
		return err_set(err, ERR_USAGE,
			       "--list has a row for each collective, and --by adds up");
	*to = (struct comm_request){
		.filter = filter,
		.by = o->list ? COMM_SINGLE : (enum comm_by)by,
		.across_ranks = o->ranks,
		.show.for_people = reading_is_for_people(&o->on.output),
	};
	to->show.asked = comm_columns(to->by, o->ranks);
	if (work_filter_check(filter, err) < 0)
		return -1;
	return view_options_read(&o->view, comm_view_of(o->ranks), &to->show, err);
}

static int open_comm(const struct reading *r, const void *request, struct table **out,
		     struct err *err)
{
	return comm_open(r->store, r->scope, request, out, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct comm_opts o;
	struct comm_request request;

	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (view_options_want_help(&o.view))
		return view_options_help(self, comm_view_of(o.ranks), &o.on.output);
	return filtered_read(self->name, &(struct filtered_plan){ .options = &o,
								  .on = &o.on,
								  .request = &request,
								  .make = make_request,
								  .open = open_comm });
}

static const char *const examples[] = {
	"ptool comm trace.json", "ptool comm --by size", "ptool comm --ranks",
	"ptool comm --ranks --list --format csv -o waits.csv", NULL
};

const struct command cmd_comm = {
	.name = "comm",
	.part = COMMAND_RANKS,
	.question = "What do collectives cost, and which rank is late?",
	.summary = "Show collectives, and which ranks waited",
	.groups = comm_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&comm_view, &comm_ranks_view),
	.exits = EXITS_READING(
		"there are collectives",
		"no collective matches, or none was recorded; with --ranks: there is only one rank, or no two ranks share a collective"),
	.run = run,
};
