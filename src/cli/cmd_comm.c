/* ptool comm: collectives, and across ranks who waited for whom. */
#include "cli/table_command.h"
#include "query/comm/comm.h"
#include "query/comm/comm_imbalance.h"

struct comm_opts {
	struct table_opts on;
	struct view_opts view;
	const char *by;
	bool list, ranks, imbalance;
};

/* By enum comm_by. */
static const char *const by_names[] = { "collective", "size", "rank", "tp", "dp",
					"pp",         "ep",   "cp",   NULL };
#define BY_AXES 3

#define INTO(type, member) OPT_INTO(type, struct comm_opts, member)

/* clang-format off */
static const struct opt comm_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "a row for each collective, type and group, for each message size of these, for each rank, or for each place in an axis of the job",
	  .choices = by_names, INTO(CHOICE, by) },
	{ .name = "list", .help = "show every collective",
	  INTO(FLAG, list) },
	{ .name = "ranks", .help = "compare the ranks of a run: which rank waited for which",
	  INTO(FLAG, ranks) },
	{ .name = "imbalance", .help = "compare the time of experts (MoE) on the ranks of a run: how uneven it is, and what that costs",
	  INTO(FLAG, imbalance) },
	VIEW_OPTIONS(struct comm_opts, view, &comm_view),
	OPT_END
};

static const struct opt_group comm_groups[] = {
	TABLE_OPERAND,
	{ .opts = comm_options },
	TABLE_FILTERED_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct comm_opts defaults = { .by = "collective", .on = TABLE_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct comm_opts *o = options;
	struct comm_request *to = request;
	size_t by = opt_choice_place(by_names, o->by);

	if (o->list && by)
		return err_set(err, ERR_USAGE,
			       "--list shows single collectives, --by sums them up: give "
			       "one");
	*to = (struct comm_request){
		.filter = filter,
		.by = o->list        ? COMM_SINGLE
		      : by < BY_AXES ? (enum comm_by)by
				     : (enum comm_by)(COMM_BY_AXES + by - BY_AXES),
		.across_ranks = o->ranks,
	};
	to->show.asked = comm_columns(to->by, o->ranks);
	if (!o->imbalance)
		return 0;
	if (o->ranks || (to->by != COMM_BY_COLLECTIVE && to->by != COMM_BY_RANK &&
			 to->by != COMM_SINGLE))
		return err_set(err, ERR_USAGE,
			       "--imbalance takes --by rank or --list, and no --ranks");
	if (filter_is_given(filter))
		return err_set(err, ERR_USAGE,
			       "--imbalance needs the whole recording: "
			       "it takes no filters");
	to->imbalance = true;
	to->show.asked = comm_imbalance_columns(to->by);
	return 0;
}

/* Experts are in slices: all of a store then. */
static void need_of(const void *from, struct fetch_need *out)
{
	if (!((const struct comm_request *)from)->imbalance)
		out->tables = FETCH_SMALL ",comm_part";
}

TABLE_OPEN(comm_open)

static const struct view *view_of(const void *options)
{
	const struct comm_opts *o = options;

	return o->imbalance ? &comm_imbalance_view : comm_view_of(o->ranks);
}

static const char *const examples[] = {
	"ptool comm trace.json",
	"ptool comm --by size",
	"ptool comm --ranks",
	"ptool comm --imbalance --by rank",
	"ptool comm --ranks --list --format csv -o waits.csv",
	NULL
};

static const struct table_command table = {
	.request_size = sizeof(struct comm_request),
	.make = make_request,
	.need = need_of,
	.open = open_table,
	.view_of = view_of,
	.sorting = offsetof(struct comm_opts, view),
	.show = offsetof(struct comm_request, show),
	.is_of_devices = true,
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
	.views = COMMAND_VIEWS(&comm_view, &comm_ranks_view, &comm_imbalance_view),
	.exits = EXITS_READING(
		"there are collectives",
		"no collective matches, or none was recorded; with --ranks: there is only one rank, or no two ranks share a collective"),
	.table = &table,
};
