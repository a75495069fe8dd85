/* ptool devices: how busy the devices were, and with what. */
#include "cli/filtered.h"
#include "query/devices/devices.h"
#include "query/devices/work_filter.h"

struct devices_opts {
	struct filtered_opts on;
	struct view_opts view;
};

static const char *sort_at(size_t i)
{
	return view_options_sort_at(&devices_view, i);
}

/* clang-format off */
static const struct opt devices_options[] = {
	VIEW_OPTIONS(offsetof(struct devices_opts, view), sort_at),
	OPT_END
};

static const struct opt_group devices_groups[] = {
	FILTERED_OPERAND(struct devices_opts),
	{ .opts = devices_options },
	FILTERED_GROUPS(struct devices_opts),
	OPT_GROUP_END
};
/* clang-format on */

static const struct devices_opts defaults = { .on = FILTERED_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct devices_opts *o = options;

	struct devices_request *to = request;

	*to = (struct devices_request){ .filter = filter,
					.show.for_people =
						reading_is_for_people(&o->on.output) };
	if (work_filter_check(filter, err) < 0)
		return -1;
	return view_options_read(&o->view, &devices_view, &to->show, err);
}

static int open_devices(const struct reading *r, const void *request, struct table **out,
			struct err *err)
{
	return devices_open(r->store, r->scope, request, out, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct devices_opts o;
	struct devices_request request;

	return filtered_run(self, argc, argv,
			    &(struct filtered_plan){ .options = &o,
						     .on = &o.on,
						     .view = &devices_view,
						     .show = &o.view,
						     .request = &request,
						     .make = make_request,
						     .open = open_devices });
}

static const char *const examples[] = { "ptool devices trace.json",
					"ptool devices --step 3..5",
					"ptool devices --rank 0 --format json", NULL };

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
	.run = run,
};
