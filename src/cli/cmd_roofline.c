/* ptool roofline: how fast operators were, and how fast the device could have been. */
#include "cli/table_command.h"
#include "query/roofline/roofline.h"

struct roofline_opts {
	struct table_opts on;
	struct view_opts view;
	const char *peak;
};

#define INTO(type, member) OPT_INTO(type, struct roofline_opts, member)

/* clang-format off */
static const struct opt roofline_options[] = {
	{ .name = "peak", .arg = "TYPE=TFLOPS", .help = "the device's peaks, such as bf16=989,bw=3350 (TFLOP/s of fp64, fp32, tf32, fp16, bf16, fp8, fp4, int8; GB/s of bw)",
	  INTO(STRING, peak) },
	VIEW_OPTIONS(struct roofline_opts, view, &roofline_view),
	OPT_END
};

static const struct opt_group roofline_groups[] = {
	TABLE_OPERAND,
	{ .opts = roofline_options },
	TABLE_FILTERED_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct roofline_opts defaults = { .view = { .limit = VIEW_LIMIT_PEOPLE },
					       .on = TABLE_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct roofline_opts *o = options;
	struct device_peaks peaks = { .device = NULL };

	*(struct roofline_query *)request = (struct roofline_query){
		.filter = filter,
		.peaks = o->peak,
		.show.for_people = reading_is_for_people(&o->on.output),
	};
	return o->peak ? device_peaks_set(o->peak, &peaks, err) : 0;
}

TABLE_OPEN(roofline_open)

static const char *const examples[] = { "ptool roofline trace.json",
					"ptool roofline --focus mm --sort peak",
					"ptool roofline --peak bf16=989,bw=3350",
					"ptool roofline --step 3 --format csv", NULL };

static const struct table_command table = {
	.request_size = sizeof(struct roofline_query),
	.make = make_request,
	.open = open_table,
	.view = &roofline_view,
	.sorting = offsetof(struct roofline_opts, view),
	.show = offsetof(struct roofline_query, show),
	.is_of_devices = true,
};

const struct command cmd_roofline = {
	.name = "roofline",
	.part = COMMAND_GPU,
	.question = "How fast could each operator be?",
	.summary = "Show operators' FLOPs, bytes and speed against the device's peak",
	.groups = roofline_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&roofline_view),
	.exits = EXITS_READING(
		"there are operators with shapes",
		"no shapes were recorded (record_shapes=True), or no operator matches"),
	.table = &table,
};
