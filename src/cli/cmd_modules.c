/* ptool modules: the tree of nn.Module calls, with host and device time. */
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "cli/terminal.h"
#include "query/modules.h"

struct modules_opts {
	const char *operand;
	int64_t depth;
	struct filter_opts filter;
	struct scope_opts scope;
	struct output_opts output;
};

/* clang-format off */
static const struct opt modules_options[] = {
	{ .name = "depth", .arg = "LEVELS", .help = "show so many levels, 0 for all",
	  .offset = offsetof(struct modules_opts, depth), .type = OPT_UINT },
	OPT_END
};

static const struct opt_group modules_groups[] = {
	OPERAND_GROUP(struct modules_opts, operand),
	{ .opts = modules_options },
	FILTER_GROUP(struct modules_opts, filter),
	SCOPE_GROUP(struct modules_opts, scope),
	OUTPUT_GROUP(struct modules_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct modules_opts defaults = { .output = OUTPUT_DEFAULTS };

static int open_modules(const struct reading *r, const void *options, struct table **out,
			struct err *err)
{
	struct modules_query query = *(const struct modules_query *)options;

	query.for_people = r->for_people;
	return modules_open(r->store, r->scope, &query, out, err);
}

static int check(const struct filter *filter, struct err *err)
{
	if (!filter->streams.n && !filter->devices.n && !filter->categories.n)
		return 0;
	return err_set(
		err, ERR_USAGE,
		"--stream, --device and --cat do not choose modules: 'ptool kernels' "
		"and 'ptool top' know them");
}

static int run(const struct command *self, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct modules_opts o;
	struct filter filter;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (filter_options_compile(&o.filter, &filter, &err) < 0)
		return message_error(self->name, NULL, &err);
	bool to_stdout = !o.output.path || strcmp(o.output.path, "-") == 0;
	const struct modules_query query = {
		.filter = &filter,
		.depth = o.depth,
		.width = to_stdout ? terminal_width(STDOUT_FILENO) : 0,
	};
	if (check(&filter, &err) < 0)
		code = message_error(self->name, NULL, &err);
	else
		code = reading_run(&(struct reading_plan){ .command = self->name,
							   .operand = o.operand,
							   .scope = &o.scope,
							   .output = &o.output,
							   .open = open_modules,
							   .options = &query });
	filter_release(&filter);
	return code;
}

static const char *const examples[] = { "ptool modules trace.json",
					"ptool modules --depth 2 --step 3",
					"ptool modules --focus Linear --format csv",
					NULL };

const struct command cmd_modules = {
	.name = "modules",
	.summary = "Show nn.Module calls as a tree, with host and device time",
	.groups = modules_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.run = run,
};
