/* ptool list: single slices. */
#include "cli/sample_options.h"
#include "cli/table_command.h"
#include "query/samples/sample_choose.h"
#include "query/samples/sample_list.h"
#include "query/slices/slice_list.h"

struct list_opts {
	struct table_opts on;
	struct view_opts show; /* without its direction */
	struct sample_opts samples;
};

struct list_asked {
	struct slice_list_request request;
	struct filter filter; /* with the choice of samples */
};

#define INTO(type, member) OPT_INTO(type, struct list_opts, member)

/* clang-format off */
static const struct opt list_options[] = {
	{ .name = "sort", .arg = "KEY", .help = "sort by start (the default), name, dur or self, the longest first; 'help' lists them",
	  .value_of = view_options_sort_at, .of = &slice_list_view, INTO(STRING, show.sort), .short_name = 's' },
	{ .name = "limit", .arg = "ROWS", .help = "show this many rows, 0 for all",
	  INTO(UINT, show.limit), .short_name = 'n' },
	OPT_END
};

static const struct opt_group list_groups[] = {
	TABLE_OPERAND,
	{ .opts = list_options },
	SAMPLE_GROUP(struct list_opts, samples),
	TABLE_FILTERED_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct list_opts defaults = { .show.limit = VIEW_LIMIT_PEOPLE,
					   .on = TABLE_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct list_opts *o = options;
	struct list_asked *asked = request;

	(void)err;
	asked->filter = *filter; /* borrows what it holds */
	sample_options_set(&o->samples, &asked->filter);
	asked->request = (struct slice_list_request){ .filter = &asked->filter };
	return 0;
}

static int open_list(const struct reading *r, void *request, struct table **out,
		     struct err *err)
{
	struct list_asked *asked = request;
	const struct view_request *show = &asked->request.show;
	enum scope_kind kind;

	if (scope_kind(r->scope, &kind, err) < 0 ||
	    sample_choice_check(&asked->filter.samples, r->scope, err) < 0)
		return -1;
	if (kind != SCOPE_SAMPLES)
		return slice_list_open(r->store, r->scope, &asked->request, out, err);
	if (show->sort && show->sort != view_field(&slice_list_view, "start_ns"))
		return err_set(
			err, ERR_USAGE,
			"--sort does not apply to sampled stacks: they are in the order "
			"of the file, or the heaviest first if the file has no order");
	const struct view_request sampled = { .limit = show->limit,
					      .for_people = r->for_people };
	return sample_list_open(r->store, r->scope, &asked->filter, &sampled, out, err);
}

static const char *const examples[] = {
	"ptool list --limit 20", "ptool list --sort dur --limit 10 --cat kernel",
	"ptool list --focus '^aten::copy_' --step 3..5 --format csv -o copies.csv", NULL
};

static const struct table_command table = {
	.request_size = sizeof(struct list_asked),
	.make = make_request,
	.open = open_list,
	.view = &slice_list_view,
	.sorting = offsetof(struct list_opts, show),
	.show = offsetof(struct list_asked, request.show),
	.nothing = "no slice matches",
	.lacks = "slices",
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
	.views = COMMAND_VIEWS(&slice_list_view, &sample_list_view),
	.exits = EXITS_READING(
		"there are slices",
		"no slice matches, or no such run or profile is in the store"),
	.table = &table,
};
