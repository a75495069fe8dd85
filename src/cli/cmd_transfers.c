/* ptool transfers: copies and sets of the devices, and who waited for them. */
#include "cli/table_command.h"
#include "query/comm/transfers.h"

struct transfers_opts {
	struct table_opts on;
	struct view_opts view;
	const char *by;
	bool list;
};

/* By enum transfers_by. */
static const char *const by_names[] = { "kind", "op", "step", "device", NULL };

#define INTO(type, member) OPT_INTO(type, struct transfers_opts, member)

/* clang-format off */
static const struct opt transfers_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "a row for each kind of copy and memory, for each operator or step of these, or for each device",
	  .choices = by_names, INTO(CHOICE, by) },
	{ .name = "list", .help = "show every copy and set",
	  INTO(FLAG, list) },
	VIEW_OPTIONS(struct transfers_opts, view, &transfers_view),
	OPT_END
};

static const struct opt_group transfers_groups[] = {
	TABLE_OPERAND,
	{ .opts = transfers_options },
	TABLE_FILTERED_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct transfers_opts defaults = { .by = "kind", .on = TABLE_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct transfers_opts *o = options;
	struct transfers_request *to = request;
	size_t by = opt_choice_place(by_names, o->by);

	if (o->list && by)
		return err_set(err, ERR_USAGE,
			       "--list shows single transfers, --by sums them up: give "
			       "one");
	*to = (struct transfers_request){
		.filter = filter,
		.by = o->list ? TRANSFERS_SINGLE : (enum transfers_by)by,
	};
	to->show.asked = transfers_columns(to->by);
	return 0;
}

TABLE_OPEN(transfers_open)

static const char *const examples[] = { "ptool transfers trace.json",
					"ptool transfers --by op",
					"ptool transfers --list --min-dur 1ms",
					"ptool transfers --by device --format csv",
					NULL };

static const struct table_command table = {
	.request_size = sizeof(struct transfers_request),
	.make = make_request,
	.open = open_table,
	.view = &transfers_view,
	.sorting = offsetof(struct transfers_opts, view),
	.show = offsetof(struct transfers_request, show),
	.is_of_devices = true,
};

const struct command cmd_transfers = {
	.name = "transfers",
	.part = COMMAND_GPU,
	.question = "Which copies are slow, and who waits for them?",
	.summary = "Show memory copies and sets, and what waited for them",
	.groups = transfers_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&transfers_view),
	.exits = EXITS_READING("there are transfers",
			       "no transfer matches, or no device work was recorded"),
	.table = &table,
};
