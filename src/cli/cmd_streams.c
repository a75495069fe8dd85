/* ptool streams: what the streams of devices did, and how much work waited in them. */
#include "cli/table_command.h"
#include "cli/view_options.h"
#include "query/devices/stream_rows.h"

#define PARTS_MAX 100000 /* a row for each and each stream is held in memory */

struct streams_opts {
	struct table_opts on;
	struct view_opts view;
	int64_t by_time;
};

/* clang-format off */
static const struct opt streams_options[] = {
	{ .name = "by-time", .arg = "N", .help = "split the time of each stream into N equal parts",
	  OPT_INTO(UINT, struct streams_opts, by_time) },
	VIEW_OPTIONS(struct streams_opts, view, &streams_view),
	OPT_END
};

static const struct opt_group streams_groups[] = {
	TABLE_OPERAND,
	{ .opts = streams_options },
	TABLE_FILTERED_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct streams_opts defaults = { .on = TABLE_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct streams_opts *o = options;

	struct streams_request *to = request;

	*to = (struct streams_request){ .filter = filter, .nparts = o->by_time };
	if (o->by_time > PARTS_MAX)
		return err_set(err, ERR_USAGE, "--by-time wants at most %d parts",
			       PARTS_MAX);
	return 0;
}

TABLE_OPEN(streams_open)

static const struct view *view_of(const void *options)
{
	return streams_view_of(((const struct streams_opts *)options)->by_time);
}

static const char *const examples[] = { "ptool streams trace.json",
					"ptool streams --device 0 --by-time 50",
					"ptool streams --focus nccl --format csv", NULL };

static const struct table_command table = {
	.request_size = sizeof(struct streams_request),
	.make = make_request,
	.open = open_table,
	.view_of = view_of,
	.sorting = offsetof(struct streams_opts, view),
	.show = offsetof(struct streams_request, show),
	.is_of_devices = true,
};

const struct command cmd_streams = {
	.name = "streams",
	.part = COMMAND_GPU,
	.question = "What does each stream do, and how long does work queue?",
	.summary = "Show what each stream did, and how much work waited in it",
	.groups = streams_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&streams_view, &stream_parts_view),
	.exits = EXITS_READING("there is device work",
			       "no device work was recorded, or none matches"),
	.table = &table,
};
