/* ptool devices: how busy the devices were, and with what. */
#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "query/devices.h"
#include "query/work_filter.h"

struct devices_opts {
	const char *operand;
	struct filter_opts filter;
	struct scope_opts scope;
	struct output_opts output;
};

/* clang-format off */
static const struct opt_group devices_groups[] = {
	OPERAND_GROUP(struct devices_opts, operand),
	FILTER_GROUP(struct devices_opts, filter),
	SCOPE_GROUP(struct devices_opts, scope),
	OUTPUT_GROUP(struct devices_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct devices_opts defaults = { .output = OUTPUT_DEFAULTS };

static int open_devices(const struct reading *r, const void *options, struct table **out,
			struct err *err)
{
	const struct devices_request request = { .filter = options,
						 .for_people = r->for_people };

	return devices_open(r->store, r->scope, &request, out, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct devices_opts o;
	struct err err = ERR_INIT;
	struct filter filter;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (filter_options_compile(&o.filter, &filter, &err) < 0)
		return message_error(self->name, NULL, &err);
	if (work_filter_check(&filter, &err) < 0)
		code = message_error(self->name, NULL, &err);
	else
		code = reading_run(&(struct reading_plan){ .command = self->name,
							   .operand = o.operand,
							   .scope = &o.scope,
							   .output = &o.output,
							   .open = open_devices,
							   .options = &filter });
	filter_release(&filter);
	return code;
}

static const char *const examples[] = { "ptool devices trace.json",
					"ptool devices --step 3..5",
					"ptool devices --rank 0 --format json", NULL };

const struct command cmd_devices = {
	.name = "devices",
	.summary = "Show how busy the devices were, and with what",
	.groups = devices_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.run = run,
};
