/* ptool tree: what was called by what, and what that took. */
#include "cli/min_option.h"
#include "cli/sample_options.h"
#include "cli/table_command.h"
#include "query/calls/tree.h"
#include "query/samples/sample_choose.h"

struct tree_opts {
	struct table_opts on;
	const char *min, *root_at, *by;
	int64_t depth, limit;
	bool kernels, instances;
	struct sample_opts samples;
};

struct tree_asked {
	struct tree_request request;
	struct filter root_at; /* which the request borrows, as this: */
	struct filter filter;
};

#define INTO(type, member) OPT_INTO(type, struct tree_opts, member)

static const char *const splits[] = { "step", NULL };

/* clang-format off */
static const struct opt tree_options[] = {
	{ .name = "depth", .arg = "LEVELS", .help = "show this many levels, 0 for all",
	  INTO(UINT, depth) },
	{ .name = "min", .arg = "PERCENT|TIME", .help = "sum up calls below this share of the busy time (5) or this time (1ms); 0 shows all",
	  INTO(STRING, min) },
	{ .name = "root-at", .arg = "RE", .help = "start paths at matching names, not at the outermost call",
	  INTO(STRING, root_at) },
	{ .name = "by", .arg = "WHAT", .help = "show each step of training by itself",
	  INTO(CHOICE, by), .choices = splits },
	{ .name = "kernels", .help = "show device work below the calls that launched it",
	  INTO(FLAG, kernels) },
	{ .name = "instances", .help = "show every call by itself, in order of start",
	  INTO(FLAG, instances) },
	{ .name = "limit", .arg = "ROWS", .help = "show at most this many children per call, 0 for all",
	  INTO(UINT, limit), .short_name = 'n' },
	OPT_END
};

static const struct opt_group tree_groups[] = {
	TABLE_OPERAND,
	{ .opts = tree_options },
	SAMPLE_GROUP(struct tree_opts, samples),
	TABLE_FILTERED_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct tree_opts defaults = { .depth = 100,
					   .min = "1",
					   .on = TABLE_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct tree_opts *o = options;
	struct tree_asked *asked = request;
	struct tree_request *r = &asked->request;
	const struct filter_texts root = { .focus = o->root_at, .focus_as = "--root-at" };

	if (filter_compile(&root, &asked->root_at, err) < 0)
		return -1;
	asked->filter = *filter; /* borrows what it holds */
	sample_options_set(&o->samples, &asked->filter);
	*r = (struct tree_request){
		.calls = { .filter = &asked->filter,
			   .root_at = o->root_at ? &asked->root_at : NULL,
			   .by_step = o->by != NULL,
			   .depth = o->depth,
			   .kernels = o->kernels,
			   .by_instance = o->instances },
		.limit = o->limit,
		.for_people = reading_is_for_people(&o->on.output),
		.width = output_width(&o->on.output),
	};
	if (min_option_parse(o->min, &r->calls.min_ns, &r->calls.min_share_pct, err) < 0)
		return -1;
	if (filter->streams.n || filter->devices.n)
		return err_set(err, ERR_USAGE,
			       "--stream and --device choose device work, which has no "
			       "callers: see 'ptool list' and 'ptool top'");
	return 0;
}

static int open_tree(const struct reading *r, void *request, struct table **out,
		     struct err *err)
{
	struct tree_asked *asked = request;

	if (sample_choice_check(&asked->filter.samples, r->scope, err) < 0)
		return -1;
	return tree_open(r->store, r->scope, &asked->request, out, err);
}

static void release(void *request)
{
	filter_release(&((struct tree_asked *)request)->root_at);
}

static const char *const examples[] = { "ptool tree trace.json --depth 4",
					"ptool tree --min 5",
					"ptool tree train.prof --root-at forward",
					"ptool tree --min 0 --format csv -o tree.csv",
					NULL };

static const struct table_command table = {
	.request_size = sizeof(struct tree_asked),
	.make = make_request,
	.open = open_tree,
	.release = release,
};

const struct command cmd_tree = {
	.name = "tree",
	.part = COMMAND_PYTHON,
	.question = "What calls what, and where does its time go?",
	.summary = "Show what called what, as a tree",
	.groups = tree_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&tree_view, &sampled_tree_view),
	.exits = EXITS_READING(
		"there are calls",
		"no call matches; or the run holds both traces and call graphs: choose with --profile"),
	.table = &table,
};
