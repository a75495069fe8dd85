/* ptool tree: what was called by what, and what that took. */
#include <stdlib.h>

#include "cli/filtered.h"
#include "cli/message.h"
#include "query/calls/tree.h"

struct tree_opts {
	struct filtered_opts on;
	const char *min, *root_at, *by;
	int64_t depth, limit;
	bool kernels, instances;
};

/* The options, and the expression of one of them. */
struct tree_plan {
	struct tree_opts o;
	struct filter root_at;
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
	{ .name = "by", .arg = "WHAT", .help = "keep the steps of training apart",
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
	FILTERED_OPERAND(struct tree_opts),
	{ .opts = tree_options },
	FILTERED_GROUPS(struct tree_opts),
	OPT_GROUP_END
};
/* clang-format on */

static const struct tree_opts defaults = { .depth = 100,
					   .min = "1",
					   .on = FILTERED_DEFAULTS };

/* A time has a unit, a share has none or a percent sign. */
static int parse_min(const char *text, struct call_tree_request *r, struct err *err)
{
	double *pct = &r->min_share_pct;
	char *end;

	if (filter_parse_time(str_of(text), &r->min_ns))
		return 0;

	*pct = strtod(text, &end);
	if (end != text && *end == '%')
		end++;
	if (end != text && !*end && *pct >= 0 && *pct <= 100)
		return 0;
	return err_set(
		err, ERR_USAGE,
		"--min wants 0 to 100 percent or a time with its unit (1ms), not '%.100s'",
		text);
}

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct tree_plan *plan = options;
	const struct tree_opts *o = &plan->o;
	struct tree_request *r = request;

	*r = (struct tree_request){
		.calls = { .filter = filter,
			   .root_at = o->root_at ? &plan->root_at : NULL,
			   .by_step = o->by != NULL,
			   .depth = o->depth,
			   .kernels = o->kernels,
			   .by_instance = o->instances },
		.limit = o->limit,
		.for_people = reading_is_for_people(&o->on.output),
		.width = output_width(&o->on.output),
	};
	if (parse_min(o->min, &r->calls, err) < 0)
		return -1;
	if (filter->streams.n || filter->devices.n)
		return err_set(err, ERR_USAGE,
			       "--stream and --device choose device work, which has no "
			       "callers: see 'ptool list' and 'ptool top'");
	return 0;
}

static int open_tree(const struct reading *r, const void *request, struct table **out,
		     struct err *err)
{
	return tree_open(r->store, r->scope, request, out, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct tree_plan plan = { .root_at = { .focus = NULL } };
	struct tree_request request;
	struct err err = ERR_INIT;
	int code;

	if (!command_parse(self, argc, argv, &plan.o, &code))
		return code;
	const struct filter_texts root = { .focus = plan.o.root_at,
					   .focus_as = "--root-at" };
	if (filter_compile(&root, &plan.root_at, &err) < 0)
		return message_error(self->name, NULL, &err);
	code = filtered_read(self->name, &(struct filtered_plan){ .options = &plan,
								  .on = &plan.o.on,
								  .request = &request,
								  .make = make_request,
								  .open = open_tree });
	filter_release(&plan.root_at);
	return code;
}

static const char *const examples[] = { "ptool tree trace.json --depth 4",
					"ptool tree --min 5",
					"ptool tree train.prof --root-at forward",
					"ptool tree --min 0 --format csv -o tree.csv",
					NULL };

const struct command cmd_tree = {
	.name = "tree",
	.part = COMMAND_PYTHON,
	.question = "What calls what, and where does its time go?",
	.summary = "Show what called what, as a tree",
	.groups = tree_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&tree_view),
	.exits = EXITS_READING(
		"there are calls",
		"no call matches; or the run holds both traces and call graphs: choose with --profile"),
	.run = run,
};
