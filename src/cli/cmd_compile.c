/* ptool compile: regions of torch.compile, their graph breaks, and time spent compiling. */
#include <string.h>

#include "cli/table_command.h"
#include "query/compile/compile.h"

struct compile_opts {
	struct table_opts on;
	struct view_opts view;
	const char *by;
};

#define INTO(type, member) OPT_INTO(type, struct compile_opts, member)

/* By enum compile_by. */
static const char *const bys[] = { "frame", "region", "step", NULL };

/* clang-format off */
static const struct opt compile_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "what a row is: a frame, one version of it (frame/number), or a step",
	  .choices = bys, INTO(CHOICE, by) },
	VIEW_OPTIONS(struct compile_opts, view, &compile_view),
	OPT_END
};

/* Of the shared filters those that ranges of torch.compile have. */
static const struct opt compile_filters[] = {
	{ .name = "thread", .arg = "THREADS", .help = "only these threads (ids or names)",
	  INTO(STRINGS, on.filter.thread), .is_list = true },
	{ .name = "step", .arg = "A..B", .help = "only what is in these steps, both ends included",
	  INTO(STRING, on.filter.step) },
	{ .name = "time", .arg = "A..B", .help = "only what starts in this interval of the recording (1ms..2.5ms)",
	  INTO(STRING, on.filter.time) },
	OPT_END
};

static const struct opt_group compile_groups[] = {
	TABLE_OPERAND,
	{ .opts = compile_options },
	{ "Filters", compile_filters, 0, true },
	TABLE_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct compile_opts defaults = { .by = "frame",
					      .view = { .limit = VIEW_LIMIT_PEOPLE },
					      .on = TABLE_DEFAULTS };

static enum compile_by by_of(const struct compile_opts *o)
{
	int i = 0;

	while (bys[i] && strcmp(bys[i], o->by) != 0)
		i++;
	return (enum compile_by)i;
}

static const struct view *view_of(const void *options)
{
	return by_of(options) == COMPILE_BY_STEP ? &compile_steps_view : &compile_view;
}

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct compile_opts *o = options;

	(void)err;
	*(struct compile_query *)request = (struct compile_query){
		.filter = filter,
		.by = by_of(o),
		.show = { .for_people = reading_is_for_people(&o->on.output) },
	};
	return 0;
}

static int open_compile(const struct reading *r, void *request, struct table **out,
			struct err *err)
{
	return compile_open(r->store, r->scope, request, out, err);
}

static const char *const examples[] = { "ptool compile trace.json",
					"ptool compile --by region --sort compile",
					"ptool compile --by step --step 3..5",
					"ptool compile --format csv", NULL };

static const struct table_command table = {
	.request_size = sizeof(struct compile_query),
	.make = make_request,
	.open = open_compile,
	.view_of = view_of,
	.sorting = offsetof(struct compile_opts, view),
	.show = offsetof(struct compile_query, show),
};

const struct command cmd_compile = {
	.name = "compile",
	.part = COMMAND_PYTHON,
	.question = "What does torch.compile do, and what does it cost?",
	.summary = "Show compiled regions, graph breaks, recompiles, time compiling",
	.groups = compile_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&compile_view, &compile_steps_view),
	.exits = EXITS_READING("there are compiled regions",
			       "no compiled region was recorded, or none matches"),
	.table = &table,
};
