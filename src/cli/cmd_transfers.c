/* ptool transfers: copies and sets of the devices, and who waited for them. */
#include "cli/filtered.h"
#include "query/comm/transfers.h"
#include "query/devices/work_filter.h"

struct transfers_opts {
	struct filtered_opts on;
	struct view_opts view;
	const char *by;
	bool list;
};

static const char *sort_at(size_t i)
{
	return view_options_sort_at(&transfers_view, i);
}

/* By enum transfers_by. */
static const char *const by_names[] = { "kind", "op", "step", "device", NULL };

#define FIELD(member)      offsetof(struct transfers_opts, member)
#define INTO(type, member) OPT_INTO(type, struct transfers_opts, member)

/* clang-format off */
static const struct opt transfers_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "group rows by kind and memory; by these and operator or step; or by device",
	  .choices = by_names, INTO(CHOICE, by) },
	{ .name = "list", .help = "show every copy and set",
	  INTO(FLAG, list) },
	VIEW_OPTIONS(FIELD(view), sort_at),
	OPT_END
};

static const struct opt_group transfers_groups[] = {
	FILTERED_OPERAND(struct transfers_opts),
	{ .opts = transfers_options },
	FILTERED_GROUPS(struct transfers_opts),
	OPT_GROUP_END
};
/* clang-format on */

static const struct transfers_opts defaults = { .by = "kind", .on = FILTERED_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct transfers_opts *o = options;
	struct transfers_request *to = request;
	size_t by = opt_choice_place(by_names, o->by);

	if (o->list && by)
		return err_set(err, ERR_USAGE,
			       "--list has a row for each transfer, and --by adds up");
	*to = (struct transfers_request){
		.filter = filter,
		.by = o->list ? TRANSFERS_SINGLE : (enum transfers_by)by,
		.show.for_people = reading_is_for_people(&o->on.output),
	};
	to->show.asked = transfers_columns(to->by);
	if (work_filter_check(filter, err) < 0)
		return -1;
	return view_options_read(&o->view, &transfers_view, &to->show, err);
}

static int open_transfers(const struct reading *r, const void *request,
			  struct table **out, struct err *err)
{
	return transfers_open(r->store, r->scope, request, out, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct transfers_opts o;
	struct transfers_request request;

	return filtered_run(self, argc, argv,
			    &(struct filtered_plan){ .options = &o,
						     .on = &o.on,
						     .view = &transfers_view,
						     .show = &o.view,
						     .request = &request,
						     .make = make_request,
						     .open = open_transfers });
}

static const char *const examples[] = { "ptool transfers trace.json",
					"ptool transfers --by op",
					"ptool transfers --list --min-dur 1ms",
					"ptool transfers --by device --format csv",
					NULL };

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
	.run = run,
};
