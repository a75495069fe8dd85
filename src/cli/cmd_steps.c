/* ptool steps: what each step of training took, and what the device did in it. */
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "cli/view_options.h"
#include "query/steps/steps.h"

struct steps_opts {
	const char *operand, *step, *bounds;
	struct opt_strings device;
	bool phases;
	struct view_opts view;
	struct scope_opts scope;
	struct output_opts output;
};

#define INTO(type, member) OPT_INTO(type, struct steps_opts, member)

static const char *sort_at(size_t i)
{
	return view_options_sort_at(&steps_view, i);
}

static const char *const bounds_names[] = {
	[BOUNDS_HOST] = "host", [BOUNDS_TENSORBOARD] = "tensorboard", NULL
};

/* clang-format off */
static const struct opt steps_options[] = {
	{ .name = "phases", .help = "split steps into data loading, copies, forward, backward, optimizer",
	  INTO(FLAG, phases) },
	{ .name = "bounds", .arg = "WHOSE",
	  .help = "step boundaries: as recorded on the host, or as TensorBoard moves them",
	  .choices = bounds_names, INTO(CHOICE, bounds) },
	{ .name = "step", .arg = "A..B", .help = "only these steps, both ends included",
	  INTO(STRING, step) },
	{ .name = "device", .arg = "N", .help = "only these devices",
	  INTO(STRINGS, device) },
	VIEW_OPTIONS(offsetof(struct steps_opts, view), sort_at),
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

static const struct steps_opts defaults = { .bounds = "host", .output = OUTPUT_DEFAULTS };

static int open_steps(const struct reading *r, const void *options, struct table **out,
		      struct err *err)
{
	return steps_open(r->store, r->scope, options, out, err);
}

static int read_steps(const struct command *self, const struct steps_opts *o,
		      const struct filter *filter)
{
	struct err err = ERR_INIT;
	struct steps_request request = {
		.filter = filter,
		.bounds = (enum step_bounds_by)opt_choice_place(bounds_names, o->bounds),
		.phases = o->phases,
		.show = { .asked = steps_columns(o->phases),
			  .for_people = reading_is_for_people(&o->output) },
	};

	if (view_options_read(&o->view, &steps_view, &request.show, &err) < 0)
		return message_error(self->name, NULL, &err);
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
	if (view_options_want_help(&o.view))
		return view_options_help(self, &steps_view, &o.output);
	if (o.phases && strcmp(o.bounds, bounds_names[BOUNDS_HOST]) != 0)
		err_set(&err, ERR_USAGE,
			"--phases use the host's bounds: without --bounds %s", o.bounds);
	else if (o.phases && o.device.n)
		err_set(&err, ERR_USAGE, "--phases are on the host: without --device");
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

static const char *const examples[] = { "ptool steps trace.json",
					"ptool steps --phases",
					"ptool steps --sort total --limit 5",
					"ptool steps --step 3..5 --bounds tensorboard",
					"ptool steps --format csv -o steps.csv",
					NULL };

const struct command cmd_steps = {
	.name = "steps",
	.part = COMMAND_START,
	.question = "How long is a step, and what is it spent on?",
	.summary = "Show what each step of training took",
	.groups = steps_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&steps_view),
	.exits = EXITS_READING(
		"there are steps",
		"neither steps, operators nor device work were recorded; no step matches; or it is a call graph, which has no steps"),
	.run = run,
};
