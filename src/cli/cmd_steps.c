/* ptool steps: what each step of training took, and what the device did in it. */
#include <string.h>

#include "cli/table_command.h"
#include "query/roofline/device_peaks.h"
#include "query/roofline/step_mfu.h"
#include "query/steps/steps.h"
#include "query/steps/steps_by_axis.h"
#include "query/steps/steps_by_phase.h"

struct steps_opts {
	struct table_opts on;
	const char *by, *bounds;
	const char *peak;
	int64_t model_flops;
	bool phases, mfu;
	struct view_opts view;
};

struct steps_wish {
	struct steps_request steps; /* first: `show` is its own */
	struct mfu_request mfu;
};

#define INTO(type, member) OPT_INTO(type, struct steps_opts, member)

static const char *const bounds_names[] = {
	[BOUNDS_HOST] = "host", [BOUNDS_TENSORBOARD] = "tensorboard", NULL
};

/* enum axis is added to BY_AXES */
enum { BY_STEP, BY_PHASE, BY_AXES };
static const char *const by_names[] = {
	[BY_STEP] = "step",         [BY_PHASE] = "phase",
	[BY_AXES + AXIS_TP] = "tp", [BY_AXES + AXIS_DP] = "dp",
	[BY_AXES + AXIS_PP] = "pp", [BY_AXES + AXIS_EP] = "ep",
	[BY_AXES + AXIS_CP] = "cp", NULL
};

/* clang-format off */
static const struct opt steps_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "a row for each step, each phase of an inference engine (prefill, decode), or each place in an axis of the job",
	  .choices = by_names, INTO(CHOICE, by) },
	{ .name = "phases", .help = "split steps into data loading, copies, forward, backward, optimizer",
	  INTO(FLAG, phases) },
	{ .name = "mfu", .help = "show the share of the device's peak that each step reaches",
	  INTO(FLAG, mfu) },
	{ .name = "model-flops", .arg = "N", .help = "with --mfu: floating-point operations of a step on each device (default: the sum of known operators)",
	  INTO(UINT, model_flops) },
	{ .name = "peak", .arg = "TYPE=TFLOPS", .help = "with --mfu: the device's peaks, such as bf16=989 (TFLOP/s)",
	  INTO(STRING, peak) },
	{ .name = "bounds", .arg = "WHOSE",
	  .help = "step boundaries: as recorded on the host, or as TensorBoard moves them",
	  .choices = bounds_names, INTO(CHOICE, bounds) },
	{ .name = "step", .arg = "A..B", .help = "only these steps, both ends included",
	  INTO(STRING, on.filter.step) },
	FILTER_PHASE(struct steps_opts, on.filter.phase),
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
	const struct steps_wish *wish = request;

	if (wish->mfu.is_asked)
		return step_mfu_open(r->store, r->scope, &wish->steps, &wish->mfu, out,
				     err);
	return steps_open(r->store, r->scope, &wish->steps, out, err);
}

static int by_of(const struct steps_opts *o)
{
	return (int)opt_choice_place(by_names, o->by);
}

static int check_mfu(const struct steps_opts *o, struct err *err)
{
	struct device_peaks peaks = { .device = NULL };
	bool is_host = strcmp(o->bounds, bounds_names[BOUNDS_HOST]) == 0;

	if (!o->mfu && (o->peak || o->model_flops))
		return err_set(err, ERR_USAGE, "%s is for --mfu",
			       o->peak ? "--peak" : "--model-flops");
	if (o->mfu && (o->phases || !is_host || by_of(o) != BY_STEP))
		return err_set(err, ERR_USAGE,
			       "--mfu counts whole steps: give it without --phases, "
			       "--bounds and "
			       "--by %s",
			       by_of(o) == BY_STEP ? by_names[BY_PHASE] : o->by);
	return o->peak ? device_peaks_set(o->peak, &peaks, err) : 0;
}

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct steps_opts *o = options;
	int by = by_of(o);
	struct steps_wish *wish = request;

	if (check_mfu(o, err) < 0)
		return -1;
	if (by != BY_STEP && (o->phases || o->on.filter.device.n ||
			      strcmp(o->bounds, bounds_names[BOUNDS_HOST]) != 0))
		return err_set(err, ERR_USAGE,
			       "--by %s adds up whole steps: give it without --phases, "
			       "--device and --bounds",
			       o->by);
	if (o->phases && strcmp(o->bounds, bounds_names[BOUNDS_HOST]) != 0)
		return err_set(err, ERR_USAGE,
			       "--phases uses the host's step boundaries: give it "
			       "without --bounds %s",
			       o->bounds);
	if (o->phases && o->on.filter.device.n)
		return err_set(err, ERR_USAGE,
			       "--phases shows the host: give it without --device");
	wish->mfu = (struct mfu_request){ .is_asked = o->mfu,
					  .peaks = o->peak,
					  .model_flops = o->model_flops };
	wish->steps = (struct steps_request){
		.filter = filter,
		.bounds = (enum step_bounds_by)opt_choice_place(bounds_names, o->bounds),
		.axis = (enum axis)(by >= BY_AXES ? by - BY_AXES : 0),
		.by_axis = by >= BY_AXES,
		.by_phase = by == BY_PHASE,
		.phases = o->phases,
		.show.asked = steps_columns(o->phases),
	};
	return 0;
}

static const struct view *view_of(const void *options)
{
	const struct steps_opts *o = options;

	if (o->mfu)
		return &step_mfu_view;
	if (by_of(o) >= BY_AXES)
		return &steps_by_axis_view;
	return by_of(o) == BY_PHASE ? &steps_by_phase_view : &steps_view;
}

static void need_of(const void *from, struct fetch_need *out)
{
	const struct steps_request *request = &((const struct steps_wish *)from)->steps;

	if (((const struct steps_wish *)from)->mfu.is_asked)
		return;
	out->tables = request->by_phase ? FETCH_SMALL ",step_part,op_stat"
					: FETCH_SMALL ",step_part";
	out->grains = request->by_phase ? FETCH_OPS_OF_STEPS : 0;
}

static const char *const examples[] = { "ptool steps trace.json",
					"ptool steps --phases",
					"ptool steps --by phase",
					"ptool steps --by pp stores/",
					"ptool steps --mfu --peak bf16=989",
					"ptool steps --sort total --limit 5",
					"ptool steps --step 3..5 --bounds tensorboard",
					"ptool steps --format csv -o steps.csv",
					NULL };

static const struct table_command table = {
	.request_size = sizeof(struct steps_wish),
	.make = make_request,
	.open = open_steps,
	.view_of = view_of,
	.need = need_of,
	.sorting = offsetof(struct steps_opts, view),
	.show = offsetof(struct steps_wish, steps.show),
};

const struct command cmd_steps = {
	.name = "steps",
	.part = COMMAND_START,
	.question = "How long is a step, and what is it spent on?",
	.summary = "Show how long each step is, and what its time goes to",
	.groups = steps_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&steps_view, &steps_by_phase_view, &steps_by_axis_view,
			       &step_mfu_view),
	.exits = EXITS_READING(
		"there are steps",
		"neither steps, operators nor device work were recorded; no step matches; or it is a call graph, which has no steps"),
	.table = &table,
};
