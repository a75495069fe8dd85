/* ptool devices: how busy the devices were, and with what. */
#include "cli/table_command.h"
#include "query/devices/devices.h"

struct devices_opts {
	struct table_opts on;
	const char *by;
	struct view_opts view;
};

/* enum axis is added to BY_AXES */
enum { BY_DEVICE, BY_AXES };
static const char *const by_names[] = { [BY_DEVICE] = "device",
					[BY_AXES + AXIS_TP] = "tp",
					[BY_AXES + AXIS_DP] = "dp",
					[BY_AXES + AXIS_PP] = "pp",
					[BY_AXES + AXIS_EP] = "ep",
					[BY_AXES + AXIS_CP] = "cp",
					NULL };

/* clang-format off */
static const struct opt devices_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "a row for each device, or each place in an axis of the job",
	  .choices = by_names, OPT_INTO(CHOICE, struct devices_opts, by) },
	VIEW_OPTIONS(struct devices_opts, view, &devices_view),
	OPT_END
};

static const struct opt_group devices_groups[] = {
	TABLE_OPERAND,
	{ .opts = devices_options },
	TABLE_FILTERED_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct devices_opts defaults = { .by = "device", .on = TABLE_DEFAULTS };

static int by_of(const struct devices_opts *o)
{
	return (int)opt_choice_place(by_names, o->by);
}

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	struct devices_request *to = request;
	int by = by_of(options);

	(void)err;
	*to = (struct devices_request){ .filter = filter,
					.axis = (enum axis)(by ? by - BY_AXES : 0),
					.by_axis = by >= BY_AXES };
	return 0;
}

static const struct view *view_of(const void *options)
{
	return by_of(options) >= BY_AXES ? &devices_by_axis_view : &devices_view;
}

static int open_devices(const struct reading *r, void *request, struct table **out,
			struct err *err)
{
	const struct devices_request *asked = request;

	return asked->by_axis ? devices_by_axis_open(r->store, r->scope, asked, out, err)
			      : devices_open(r->store, r->scope, asked, out, err);
}

static const char *const examples[] = { "ptool devices trace.json",
					"ptool devices --step 3..5",
					"ptool devices --by pp stores/",
					"ptool devices --rank 0 --format json", NULL };

static const struct table_command table = {
	.request_size = sizeof(struct devices_request),
	.make = make_request,
	.open = open_devices,
	.view_of = view_of,
	.sorting = offsetof(struct devices_opts, view),
	.show = offsetof(struct devices_request, show),
	.is_of_devices = true,
};

const struct command cmd_devices = {
	.name = "devices",
	.part = COMMAND_GPU,
	.question = "How busy is each GPU, and with what?",
	.summary = "Show how busy the devices were, and with what",
	.groups = devices_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&devices_view, &devices_by_axis_view),
	.exits = EXITS_READING("there is device work",
			       "no device work was recorded, or none matches"),
	.table = &table,
};
