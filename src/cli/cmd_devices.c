/* ptool devices: how busy the devices were, and with what. */
#include "cli/filtered.h"
#include "query/devices/devices.h"
#include "query/devices/work_filter.h"

struct devices_opts {
	struct filtered_opts on;
};

/* clang-format off */
static const struct opt_group devices_groups[] = {
	FILTERED_OPERAND(struct devices_opts),
	FILTERED_GROUPS(struct devices_opts),
	OPT_GROUP_END
};
/* clang-format on */

static const struct devices_opts defaults = { .on = FILTERED_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct devices_opts *o = options;

	*(struct devices_request *)request = (struct devices_request){
		.filter = filter,
		.for_people = reading_is_for_people(&o->on.output),
	};
	return work_filter_check(filter, err);
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
						     .request = &request,
						     .make = make_request,
						     .open = open_devices });
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
