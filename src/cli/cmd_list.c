/* ptool list: single slices. */
#include "base/decimal.h"
#include "cli/filtered.h"
#include "query/slices/slice_list.h"

struct list_opts {
	struct filtered_opts on;
	struct view_opts show; /* its limit and direction are not used */
	const char *limit;
};

/* Rows that people are shown without --limit; machines get all. */
#define PEOPLE_LIMIT 20

#define INTO(type, member) OPT_INTO(type, struct list_opts, member)

static const char *sort_at(size_t i)
{
	return view_options_sort_at(&slice_list_view, i);
}

/* clang-format off */
static const struct opt list_options[] = {
	{ .name = "sort", .arg = "KEY", .help = "sort by start (the default), name, dur or self, the longest first; 'help' lists them",
	  .value_at = sort_at, INTO(STRING, show.sort), .short_name = 's' },
	{ .name = "limit", .arg = "ROWS", .help = "show this many rows, 0 for all (default: 20 in people's tables, else all)",
	  INTO(STRING, limit), .short_name = 'n' },
	OPT_END
};

static const struct opt_group list_groups[] = {
	FILTERED_OPERAND(struct list_opts),
	{ .opts = list_options },
	FILTERED_GROUPS(struct list_opts),
	OPT_GROUP_END
};
/* clang-format on */

static const struct list_opts defaults = { .on = FILTERED_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct list_opts *o = options;
	bool people = reading_is_for_people(&o->on.output);
	struct slice_list_request *r = request;

	struct view_request show = { .limit = 0 };

	if (view_options_read(&o->show, &slice_list_view, &show, err) < 0)
		return -1;
	*r = (struct slice_list_request){
		.filter = filter,
		.sort = show.sort,
		.limit = people ? PEOPLE_LIMIT : 0,
		.for_people = people,
	};
	if (o->limit &&
	    (decimal_text_int(str_of(o->limit), &r->limit) != DECIMAL_OK || r->limit < 0))
		return err_set(err, ERR_USAGE,
			       "--limit wants a non-negative number, not '%.100s'",
			       o->limit);
	return 0;
}

static int open_list(const struct reading *r, const void *request, struct table **out,
		     struct err *err)
{
	return slice_list_open(r->store, r->scope, request, out, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct list_opts o;
	struct slice_list_request request;

	return filtered_run(self, argc, argv,
			    &(struct filtered_plan){ .options = &o,
						     .on = &o.on,
						     .view = &slice_list_view,
						     .show = &o.show,
						     .request = &request,
						     .make = make_request,
						     .open = open_list,
						     .nothing = "no slice matches",
						     .lacks = "slices" });
}

static const char *const examples[] = {
	"ptool list --limit 20", "ptool list --sort dur --limit 10 --cat kernel",
	"ptool list --focus '^aten::copy_' --step 3..5 --format csv -o copies.csv", NULL
};

const struct command cmd_list = {
	.name = "list",
	.part = COMMAND_STORE,
	.question = "What happened at this moment?",
	.summary = "List single slices, in the order of time",
	.groups = list_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&slice_list_view),
	.exits = EXITS_READING(
		"there are slices",
		"no slice matches, or no such run or profile is in the store"),
	.run = run,
};
