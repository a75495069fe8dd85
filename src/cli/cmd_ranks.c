/* ptool ranks: what each rank's time went to, and which one holds up the others. */
#include "cli/table_command.h"
#include "query/ranks/ranks.h"

struct ranks_opts {
	struct table_opts on;
	struct view_opts view;
	const char *by;
	bool what_if;
};

/* By enum rank_by. */
static const char *const by_names[] = {
	"rank", "step", "tp", "dp", "pp", "ep", "cp", NULL
};

/* clang-format off */
static const struct opt ranks_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "a row for each rank, for each step of each rank (with a map of who held up the others when), or for each place in an axis of the job",
	  .choices = by_names, OPT_INTO(CHOICE, struct ranks_opts, by) },
	{ .name = "what-if", .help = "simulate the run without stragglers: what they cost, by kind and by rank",
	  OPT_INTO(FLAG, struct ranks_opts, what_if) },
	VIEW_OPTIONS(struct ranks_opts, view, &ranks_view),
	OPT_END
};

static const struct opt_group ranks_groups[] = {
	TABLE_OPERAND,
	{ .opts = ranks_options },
	TABLE_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct ranks_opts defaults = {
	.by = "rank",
	.view = { .limit = VIEW_LIMIT_PEOPLE },
	.on = TABLE_DEFAULTS,
};

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct ranks_opts *o = options;
	struct ranks_request *to = request;

	(void)filter;
	*to = (struct ranks_request){
		.by = (enum rank_by)opt_choice_place(by_names, o->by),
		.what_if = o->what_if,
	};
	if (o->what_if && to->by != RANKS_BY_RANK)
		return err_set(err, ERR_USAGE,
			       "--what-if replays whole runs, so it takes no --by");
	to->show.asked = ranks_columns(to->by);
	return 0;
}

TABLE_OPEN(ranks_open)

static const struct view *view_of(const void *options)
{
	return ((const struct ranks_opts *)options)->what_if ? &ranks_whatif_view
							     : &ranks_view;
}

static const char *const examples[] = { "ptool ranks run.db",
					"ptool ranks --by step",
					"ptool ranks --what-if",
					"ptool ranks --sort late -n 5",
					"ptool ranks --format csv -o ranks.csv",
					NULL };

static const struct table_command table = {
	.request_size = sizeof(struct ranks_request),
	.make = make_request,
	.open = open_table,
	.view_of = view_of,
	.sorting = offsetof(struct ranks_opts, view),
	.show = offsetof(struct ranks_request, show),
};

const struct command cmd_ranks = {
	.name = "ranks",
	.part = COMMAND_RANKS,
	.question = "Which rank holds up the others, and why?",
	.summary = "Show what each rank's time went to, and which hold up others",
	.groups = ranks_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&ranks_view, &ranks_whatif_view),
	.exits = EXITS_READING("there are several ranks",
			       "no recording says its rank, or there is only one rank"),
	.table = &table,
};
