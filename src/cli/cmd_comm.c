/* ptool comm: collectives, and across ranks who waited for whom. */
#include <string.h>

#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "query/comm.h"
#include "query/work_choice.h"

struct comm_opts {
	const char *operand, *by;
	bool list, ranks;
	int64_t limit;
	struct filter_opts filter;
	struct scope_opts scope;
	struct output_opts output;
};

/* By enum comm_by. */
static const char *const by_names[] = { "collective", "size", "rank", NULL };

#define FIELD(member) offsetof(struct comm_opts, member)

/* clang-format off */
static const struct opt comm_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "what tells rows apart: collective, type and group; those and the size of the message; or the rank alone",
	  .choices = by_names, .offset = FIELD(by), .type = OPT_CHOICE },
	{ .name = "list", .help = "a row for each collective",
	  .offset = FIELD(list), .type = OPT_FLAG },
	{ .name = "ranks", .help = "compare the ranks of a run: who waited for whom",
	  .offset = FIELD(ranks), .type = OPT_FLAG },
	{ .name = "limit", .arg = "ROWS", .help = "show this many rows, 0 for all",
	  .offset = FIELD(limit), .type = OPT_UINT, .short_name = 'n' },
	OPT_END
};

static const struct opt_group comm_groups[] = {
	OPERAND_GROUP(struct comm_opts, operand),
	{ .opts = comm_options },
	FILTER_GROUP(struct comm_opts, filter),
	SCOPE_GROUP(struct comm_opts, scope),
	OUTPUT_GROUP(struct comm_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct comm_opts defaults = { .by = "collective",
					   .output = OUTPUT_DEFAULTS };

static int open_comm(const struct reading *r, const void *options, struct table **out,
		     struct err *err)
{
	struct comm_request request = *(const struct comm_request *)options;

	request.for_people = r->for_people;
	return comm_open(r->store, r->scope, &request, out, err);
}

static enum comm_by by_of(const struct comm_opts *o)
{
	size_t by = 0;

	while (by_names[by + 1] && strcmp(by_names[by], o->by) != 0)
		by++;
	return o->list ? COMM_SINGLE : (enum comm_by)by;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct comm_opts o;
	struct err err = ERR_INIT;
	struct filter filter;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (filter_options_compile(&o.filter, &filter, &err) < 0)
		return message_error(self->name, NULL, &err);
	const struct comm_request request = { .filter = &filter,
					      .by = by_of(&o),
					      .across_ranks = o.ranks,
					      .limit = o.limit };
	if (work_choice_check(&filter, &err) < 0)
		code = message_error(self->name, NULL, &err);
	else
		code = reading_run(&(struct reading_plan){ .command = self->name,
							   .operand = o.operand,
							   .scope = &o.scope,
							   .output = &o.output,
							   .open = open_comm,
							   .options = &request });
	filter_release(&filter);
	return code;
}

static const char *const examples[] = {
	"ptool comm trace.json", "ptool comm --by size", "ptool comm --ranks",
	"ptool comm --ranks --list --format csv -o waits.csv", NULL
};

const struct command cmd_comm = {
	.name = "comm",
	.summary = "Show collectives, and which ranks waited",
	.groups = comm_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.run = run,
};
