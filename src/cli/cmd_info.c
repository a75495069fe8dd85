/* ptool info: the runs and profiles of a store, and what was recorded. */
#include "cli/table_command.h"
#include "query/info.h"

/* clang-format off */
static const struct opt_group info_groups[] = {
	TABLE_OPERAND,
	TABLE_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct table_opts defaults = TABLE_DEFAULTS;

static int open_info(const struct reading *r, void *request, struct table **out,
		     struct err *err)
{
	(void)request;
	return info_open(r->store, r->scope, r->path, r->for_people, out, err);
}

static const char *const examples[] = { "ptool info", "ptool info trace.json",
					"ptool info --format json | jq .rows", NULL };

static const struct table_command table = {
	.open = open_info,
	.all_runs = true,
};

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
	.table = &table,
};
