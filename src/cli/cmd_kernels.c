/* ptool kernels: what ran on the devices, by kernel. */
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "cli/sort_keys.h"
#include "cli/terminal.h"
#include "query/kernels.h"

struct kernels_opts {
	const char *operand, *sort;
	struct opt_strings by;
	int64_t limit;
	bool reverse, launches, copies;
	struct filter_opts filter;
	struct scope_opts scope;
	struct output_opts output;
};

#define FIELD(member) offsetof(struct kernels_opts, member)

/* clang-format off */
static const struct opt kernels_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "what tells rows apart beside the name: op (operator, grid, block, registers, shared memory), rank, profile, device, stream, step",
	  .offset = FIELD(by), .type = OPT_STRINGS },
	{ .name = "launches", .help = "launch delay, queue time and what is bound by launches",
	  .offset = FIELD(launches), .type = OPT_FLAG },
	{ .name = "copies", .help = "memory copies and sets too",
	  .offset = FIELD(copies), .type = OPT_FLAG },
	{ .name = "sort", .arg = "KEY", .help = "sort by this column; 'help' lists them",
	  .offset = FIELD(sort), .type = OPT_STRING, .short_name = 's' },
	{ .name = "reverse", .help = "the other direction",
	  .offset = FIELD(reverse), .type = OPT_FLAG, .short_name = 'r' },
	{ .name = "limit", .arg = "ROWS", .help = "show this many rows, 0 for all",
	  .offset = FIELD(limit), .type = OPT_UINT, .short_name = 'n' },
	OPT_END
};

static const struct opt_group kernels_groups[] = {
	OPERAND_GROUP(struct kernels_opts, operand),
	{ .opts = kernels_options },
	FILTER_GROUP(struct kernels_opts, filter),
	SCOPE_GROUP(struct kernels_opts, scope),
	OUTPUT_GROUP(struct kernels_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct kernels_opts defaults = { .limit = 20, .output = OUTPUT_DEFAULTS };

static int make_query(const struct kernels_opts *o, const struct filter *filter,
		      struct kernels_query *query, struct err *err)
{
	bool to_stdout = !o->output.path || strcmp(o->output.path, "-") == 0;

	*query =
		(struct kernels_query){ .filter = filter,
					.limit = o->limit,
					.reverse = o->reverse,
					.launches = o->launches,
					.with_copies = o->copies,
					.width = to_stdout ? terminal_width(STDOUT_FILENO)
							   : 0 };
	for (size_t i = 0; i < o->by.n; i++)
		if (kernels_by_add(query, o->by.items[i], err) < 0)
			return -1;
	if (filter->threads.n || filter->categories.n)
		return err_set(err, ERR_USAGE,
			       "--thread and --cat choose slices of the host: 'ptool "
			       "top' and 'ptool list' know them");
	return sort_keys_find(o->sort, kernel_sort_keys, &query->sort, err);
}

static int open_kernels(const struct reading *r, const void *options, struct table **out,
			struct err *err)
{
	struct kernels_query query = *(const struct kernels_query *)options;

	query.for_people = r->for_people;
	return kernels_open(r->store, r->scope, &query, out, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct kernels_query query;
	struct kernels_opts o;
	struct filter filter;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (o.sort && strcmp(o.sort, "help") == 0)
		return sort_keys_list(self, kernel_sort_keys, &o.output);
	if (filter_options_compile(&o.filter, &filter, &err) < 0)
		return message_error(self->name, NULL, &err);
	if (make_query(&o, &filter, &query, &err) < 0)
		code = message_error(self->name, NULL, &err);
	else
		code = reading_run(&(struct reading_plan){ .command = self->name,
							   .operand = o.operand,
							   .scope = &o.scope,
							   .output = &o.output,
							   .open = open_kernels,
							   .options = &query });
	filter_release(&filter);
	return code;
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
