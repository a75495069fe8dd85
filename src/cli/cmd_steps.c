/* ptool steps: what each step of training took, and what the device did in it. */
#include <string.h>

#include "cli/table_command.h"
#include "query/steps/steps.h"
#include "query/steps/steps_by_phase.h"

struct steps_opts {
	struct table_opts on;
	const char *by, *bounds;
	bool phases;
	struct view_opts view;
};

#define INTO(type, member) OPT_INTO(type, struct steps_opts, member)

static const char *const bounds_names[] = {
	[BOUNDS_HOST] = "host", [BOUNDS_TENSORBOARD] = "tensorboard", NULL
};

static const char *const by_names[] = { "step", "phase", NULL };

/* clang-format off */
static const struct opt steps_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "a row for each step, or for all of a phase: prefill, decode, as engines' annotations tell",
	  .choices = by_names, INTO(CHOICE, by) },
	{ .name = "phases", .help = "split steps into data loading, copies, forward, backward, optimizer",
	  INTO(FLAG, phases) },
	{ .name = "bounds", .arg = "WHOSE",
	  .help = "step boundaries: as recorded on the host, or as TensorBoard moves them",
	  .choices = bounds_names, INTO(CHOICE, bounds) },
	{ .name = "step", .arg = "A..B", .help = "only these steps, both ends included",
	  INTO(STRING, on.filter.step) },
	{ .name = "device", .arg = "N", .help = "only these devices",
	  INTO(STRINGS, on.filter.device) },
	VIEW_OPTIONS(struct steps_opts, view, &steps_view),
	OPT_END
};

static const struct opt_group steps_groups[] = {
	TABLE_OPERAND,
	{ .opts = steps_options },
	TABLE_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct steps_opts defaults = { .by = "step",
					    .bounds = "host",
					    .on = TABLE_DEFAULTS };

static int open_steps(const struct reading *r, void *request, struct table **out,
		      struct err *err)
{
	return steps_open(r->store, r->scope, request, out, err);
}

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct steps_opts *o = options;
	bool by_phase = opt_choice_place(by_names, o->by) == 1;

	if (by_phase && (o->phases || o->on.filter.device.n ||
			 strcmp(o->bounds, bounds_names[BOUNDS_HOST]) != 0))
		return err_set(err, ERR_USAGE,
			       "--by phase adds up whole steps: without --phases, "
			       "--device and --bounds");
	if (o->phases && strcmp(o->bounds, bounds_names[BOUNDS_HOST]) != 0)
		return err_set(err, ERR_USAGE,
			       "--phases use the host's bounds: without --bounds %s",
			       o->bounds);
	if (o->phases && o->on.filter.device.n)
		return err_set(err, ERR_USAGE,
			       "--phases are on the host: without --device");
	*(struct steps_request *)request = (struct steps_request){
		.filter = filter,
		.bounds = (enum step_bounds_by)opt_choice_place(bounds_names, o->bounds),
		.by_phase = by_phase,
		.phases = o->phases,
		.show.asked = steps_columns(o->phases),
	};
	return 0;
}

static const struct view *view_of(const void *options)
{
	const struct steps_opts *o = options;

	return opt_choice_place(by_names, o->by) == 1 ? &steps_by_phase_view
						      : &steps_view;
}

static void need_of(const void *from, struct fetch_need *out)
{
	const struct steps_request *request = from;

	out->tables = request->by_phase ? FETCH_SMALL ",step_part,op_stat"
					: FETCH_SMALL ",step_part";
	out->grains = request->by_phase ? FETCH_OPS_OF_STEPS : 0;
}

static const char *const examples[] = { "ptool steps trace.json",
					"ptool steps --phases",
					"ptool steps --by phase",
					"ptool steps --sort total --limit 5",
					"ptool steps --step 3..5 --bounds tensorboard",
					"ptool steps --format csv -o steps.csv",
					NULL };

static const struct table_command table = {
	.request_size = sizeof(struct steps_request),
	.make = make_request,
	.open = open_steps,
	.view_of = view_of,
	.need = need_of,
	.sorting = offsetof(struct steps_opts, view),
	.show = offsetof(struct steps_request, show),
};

const struct command cmd_steps = {
	.name = "steps",
	.part = COMMAND_START,
	.question = "How long is a step, and what is it spent on?",
	.summary = "Show what each step of training took",
	.groups = steps_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&steps_view, &steps_by_phase_view),
	.exits = EXITS_READING(
		"there are steps",
		"neither steps, operators nor device work were recorded; no step matches; or it is a call graph, which has no steps"),
	.table = &table,
};
