/* ptool kernels: what ran on the devices, by kernel. */
#include <string.h>

#include "cli/filtered.h"
#include "cli/sort_keys.h"
#include "query/devices/work_filter.h"
#include "query/kernels/kernels.h"

struct kernels_opts {
	struct filtered_opts on;
	const char *sort;
	struct opt_strings by;
	int64_t limit;
	bool reverse, launches, copies;
};

static const char *sort_at(size_t i)
{
	return sort_keys_at(kernel_sort_keys, i);
}

#define FIELD(member) offsetof(struct kernels_opts, member)

/* clang-format off */
static const struct opt kernels_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "group rows by the name and these, joined by commas (op: operator, grid, block, registers, shared memory)",
	  .choice_at = kernels_by_name, .offset = FIELD(by), .type = OPT_STRINGS, .is_list = true },
	{ .name = "launches", .help = "launch delay, queue time and what is bound by launches",
	  .offset = FIELD(launches), .type = OPT_FLAG },
	{ .name = "copies", .help = "memory copies and sets too",
	  .offset = FIELD(copies), .type = OPT_FLAG },
	{ .name = "sort", .arg = "KEY", .help = "sort by this column; 'help' lists them",
	  .value_at = sort_at, .offset = FIELD(sort), .type = OPT_STRING, .short_name = 's' },
	{ .name = "reverse", .help = "the other direction",
	  .offset = FIELD(reverse), .type = OPT_FLAG, .short_name = 'r' },
	{ .name = "limit", .arg = "ROWS", .help = "show this many rows, 0 for all",
	  .offset = FIELD(limit), .type = OPT_UINT, .short_name = 'n' },
	OPT_END
};

static const struct opt_group kernels_groups[] = {
	FILTERED_OPERAND(struct kernels_opts),
	{ .opts = kernels_options },
	FILTERED_GROUPS(struct kernels_opts),
	OPT_GROUP_END
};
/* clang-format on */

static const struct kernels_opts defaults = { .limit = 20, .on = FILTERED_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct kernels_opts *o = options;
	struct kernels_query *query = request;

	*query = (struct kernels_query){ .filter = filter,
					 .limit = o->limit,
					 .reverse = o->reverse,
					 .launches = o->launches,
					 .with_copies = o->copies,
					 .width = output_width(&o->on.output),
					 .for_people =
						 reading_is_for_people(&o->on.output) };
	for (size_t i = 0; i < o->by.n; i++)
		if (kernels_by_add(query, o->by.items[i], err) < 0)
			return -1;
	if (work_filter_check(filter, err) < 0)
		return -1;
	return sort_keys_find(o->sort, kernel_sort_keys, &query->sort, err);
}

static int open_kernels(const struct reading *r, const void *request, struct table **out,
			struct err *err)
{
	return kernels_open(r->store, r->scope, request, out, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct kernels_opts o;
	struct kernels_query query;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (o.sort && strcmp(o.sort, OPT_LISTS) == 0)
		return sort_keys_list(self, kernel_sort_keys, NULL, &o.on.output);
	return filtered_read(self->name, &(struct filtered_plan){ .options = &o,
								  .on = &o.on,
								  .request = &query,
								  .make = make_request,
								  .open = open_kernels });
}

static const char *const examples[] = { "ptool kernels trace.json",
					"ptool kernels --by op --focus gemm",
					"ptool kernels --launches --sort launch_delay",
					"ptool kernels --by rank,device --format csv",
					NULL };

const struct command cmd_kernels = {
	.name = "kernels",
	.summary = "Show kernels: times, occupancy, Tensor Cores, launches",
	.groups = kernels_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.run = run,
};
