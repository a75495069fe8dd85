/* ptool info: the runs and profiles of a store, and what was recorded. */
#include "cli/command.h"
#include "cli/reading.h"
#include "query/info.h"

struct info_opts {
	const char *operand;
	struct scope_opts scope;
	struct output_opts output;
};

/* clang-format off */
static const struct opt_group info_groups[] = {
	OPERAND_GROUP(struct info_opts, operand),
	SCOPE_GROUP(struct info_opts, scope),
	OUTPUT_GROUP(struct info_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct info_opts defaults = { .output = OUTPUT_DEFAULTS };

static int open_info(const struct reading *r, const void *options, struct table **out,
		     struct err *err)
{
	(void)options;
	return info_open(r->store, r->scope, r->path, r->for_people, out, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct info_opts o;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	return reading_run(&(struct reading_plan){ .command = self->name,
						   .operand = o.operand,
						   .scope = &o.scope,
						   .output = &o.output,
						   .all_runs = true,
						   .open = open_info });
}

static const char *const examples[] = { "ptool info", "ptool info trace.json",
					"ptool info --format json | jq .rows", NULL };

const struct command cmd_info = {
	.name = "info",
	.part = COMMAND_START,
	.question = "What was recorded, on which devices?",
	.summary = "List the runs and profiles of a store, and what was recorded",
	.groups = info_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&info_view),
	.exits = EXITS_READING("there is something to list",
			       "the store holds no run, or none as asked for"),
	.run = run,
};
