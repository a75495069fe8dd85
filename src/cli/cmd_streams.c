/* ptool streams: what the streams of devices did, and how much work waited in them. */
#include "cli/filtered.h"
#include "cli/view_options.h"
#include "query/devices/streams.h"
#include "query/devices/work_filter.h"

#define PARTS_MAX 100000 /* a row for each and each stream is held in memory */

struct streams_opts {
	struct filtered_opts on;
	struct view_opts view;
	int64_t by_time;
};

static const char *sort_at(size_t i)
{
	return view_options_sort_at(streams_view_of(0), i);
}

/* clang-format off */
static const struct opt streams_options[] = {
	{ .name = "by-time", .arg = "N", .help = "split the time of each stream into N equal parts",
	  OPT_INTO(UINT, struct streams_opts, by_time) },
	VIEW_OPTIONS(offsetof(struct streams_opts, view), sort_at),
	OPT_END
};

static const struct opt_group streams_groups[] = {
	FILTERED_OPERAND(struct streams_opts),
	{ .opts = streams_options },
	FILTERED_GROUPS(struct streams_opts),
	OPT_GROUP_END
};
/* clang-format on */

static const struct streams_opts defaults = { .on = FILTERED_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct streams_opts *o = options;

	struct streams_request *to = request;

	*to = (struct streams_request){ .filter = filter,
					.nparts = o->by_time,
					.show.for_people =
						reading_is_for_people(&o->on.output) };
	if (o->by_time > PARTS_MAX)
		return err_set(err, ERR_USAGE, "--by-time wants at most %d parts",
			       PARTS_MAX);
	if (work_filter_check(filter, err) < 0)
		return -1;
	return view_options_read(&o->view, streams_view_of(o->by_time), &to->show, err);
}

static int open_streams(const struct reading *r, const void *request, struct table **out,
			struct err *err)
{
	return streams_open(r->store, r->scope, request, out, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct streams_opts o;
	struct streams_request request;

	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (view_options_want_help(&o.view))
		return view_options_help(self, streams_view_of(o.by_time), &o.on.output);
	return filtered_read(self->name, &(struct filtered_plan){ .options = &o,
								  .on = &o.on,
								  .request = &request,
								  .make = make_request,
								  .open = open_streams });
}

static const char *const examples[] = { "ptool streams trace.json",
					"ptool streams --device 0 --by-time 50",
					"ptool streams --focus nccl --format csv", NULL };

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
	.run = run,
};
