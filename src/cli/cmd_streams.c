/* ptool streams: what the streams of devices did, and how much work waited in them. */
#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "query/streams.h"
#include "query/work_filter.h"

#define PARTS_MAX 100000 /* a row for each and each stream is held in memory */

struct streams_opts {
	const char *operand;
	int64_t by_time;
	struct filter_opts filter;
	struct scope_opts scope;
	struct output_opts output;
};

/* clang-format off */
static const struct opt streams_options[] = {
	{ .name = "by-time", .arg = "N", .help = "show each stream in so many equal parts of the time",
	  .offset = offsetof(struct streams_opts, by_time), .type = OPT_UINT },
	OPT_END
};

static const struct opt_group streams_groups[] = {
	OPERAND_GROUP(struct streams_opts, operand),
	{ .opts = streams_options },
	FILTER_GROUP(struct streams_opts, filter),
	SCOPE_GROUP(struct streams_opts, scope),
	OUTPUT_GROUP(struct streams_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct streams_opts defaults = { .output = OUTPUT_DEFAULTS };

static int open_streams(const struct reading *r, const void *options, struct table **out,
			struct err *err)
{
	struct streams_request request = *(const struct streams_request *)options;

	request.for_people = r->for_people;
	return streams_open(r->store, r->scope, &request, out, err);
}

static int check(const struct streams_opts *o, const struct filter *filter,
		 struct err *err)
{
	if (o->by_time > PARTS_MAX)
		return err_set(err, ERR_USAGE, "--by-time wants at most %d parts",
			       PARTS_MAX);
	return work_filter_check(filter, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct streams_opts o;
	struct err err = ERR_INIT;
	struct filter filter;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (filter_options_compile(&o.filter, &filter, &err) < 0)
		return message_error(self->name, NULL, &err);
	const struct streams_request request = { .filter = &filter, .nparts = o.by_time };
	if (check(&o, &filter, &err) < 0)
		code = message_error(self->name, NULL, &err);
	else
		code = reading_run(&(struct reading_plan){ .command = self->name,
							   .operand = o.operand,
							   .scope = &o.scope,
							   .output = &o.output,
							   .open = open_streams,
							   .options = &request });
	filter_release(&filter);
	return code;
}

static const char *const examples[] = { "ptool streams trace.json",
					"ptool streams --device 0 --by-time 50",
					"ptool streams --focus nccl --format csv", NULL };

const struct command cmd_streams = {
	.name = "streams",
	.summary = "Show what each stream did, and how much work waited in it",
	.groups = streams_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.run = run,
};
