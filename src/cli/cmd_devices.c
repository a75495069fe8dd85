/* ptool devices: how busy the devices were, and with what. */
#include "cli/table_command.h"
#include "query/devices/devices.h"

struct devices_opts {
	struct table_opts on;
	struct view_opts view;
};

/* clang-format off */
static const struct opt devices_options[] = {
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

static const struct devices_opts defaults = { .on = TABLE_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	struct devices_request *to = request;

	(void)options, (void)err;
	*to = (struct devices_request){ .filter = filter };
	return 0;
}

static int open_devices(const struct reading *r, void *request, struct table **out,
			struct err *err)
{
	return devices_open(r->store, r->scope, request, out, err);
}

static const char *const examples[] = { "ptool devices trace.json",
					"ptool devices --step 3..5",
					"ptool devices --rank 0 --format json", NULL };

static const struct table_command table = {
	.request_size = sizeof(struct devices_request),
	.make = make_request,
	.open = open_devices,
	.view = &devices_view,
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
	.views = COMMAND_VIEWS(&devices_view),
	.exits = EXITS_READING("there is device work",
			       "no device work was recorded, or none matches"),
	.table = &table,
};
