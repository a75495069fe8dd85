/* ptool steps: what each step of training took, and what the device did in it. */
#include "cli/command.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "query/steps/steps.h"

struct steps_opts {
	const char *operand, *step;
	struct opt_strings device;
	bool host_ranges, phases;
	struct scope_opts scope;
	struct output_opts output;
};

#define FIELD(member) offsetof(struct steps_opts, member)

/* clang-format off */
static const struct opt steps_options[] = {
	{ .name = "phases", .help = "split steps into data loading, copies, forward, backward, optimizer",
	  .offset = FIELD(phases), .type = OPT_FLAG },
	{ .name = "host-ranges", .help = "bounds as ProfilerStep has them on the host, not moved",
	  .offset = FIELD(host_ranges), .type = OPT_FLAG },
	{ .name = "step", .arg = "A..B", .help = "only these steps, both ends included",
	  .offset = FIELD(step), .type = OPT_STRING },
	{ .name = "device", .arg = "N", .help = "only these devices",
	  .offset = FIELD(device), .type = OPT_STRINGS },
	OPT_END
};

static const struct opt_group steps_groups[] = {
	OPERAND_GROUP(struct steps_opts, operand),
	{ .opts = steps_options },
	SCOPE_GROUP(struct steps_opts, scope),
	OUTPUT_GROUP(struct steps_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct steps_opts defaults = { .output = OUTPUT_DEFAULTS };

static int open_steps(const struct reading *r, const void *options, struct table **out,
		      struct err *err)
{
	struct steps_request request = *(const struct steps_request *)options;

	request.for_people = r->for_people;
	return steps_open(r->store, r->scope, &request, out, err);
}

static int read_steps(const struct command *self, const struct steps_opts *o,
		      const struct filter *filter)
{
	const struct steps_request request = {
		.filter = filter,
		.host_ranges = o->host_ranges,
		.phases = o->phases,
		.width = output_width(&o->output),
	};

	return reading_run(&(struct reading_plan){ .command = self->name,
						   .operand = o->operand,
						   .scope = &o->scope,
						   .output = &o->output,
						   .open = open_steps,
						   .filter = filter,
						   .options = &request });
}

static int run(const struct command *self, int argc, char **argv)
{
	struct steps_opts o;
	struct err err = ERR_INIT;
	struct filter filter;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (o.phases && o.device.n)
		err_set(&err, ERR_USAGE,
			"--phases are the host's: they have no --device");
	else if (filter_compile(&(struct filter_texts){ .steps = o.step,
							.devices = o.device.items,
							.ndevices = o.device.n },
				&filter, &err) == 0) {
		code = read_steps(self, &o, &filter);
		filter_release(&filter);
		return code;
	}
	return message_error(self->name, NULL, &err);
}

static const char *const examples[] = { "ptool steps trace.json", "ptool steps --phases",
					"ptool steps --step 3..5 --host-ranges",
					"ptool steps --format csv -o steps.csv", NULL };

const struct command cmd_steps = {
	.name = "steps",
	.summary = "Show what each step of training took",
	.groups = steps_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.run = run,
};
