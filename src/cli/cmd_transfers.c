/* ptool transfers: copies and sets of the devices, and who waited for them. */
#include <string.h>

#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "query/transfers_table.h"
#include "query/work_choice.h"

struct transfers_opts {
	const char *operand, *by;
	bool list;
	int64_t limit;
	struct filter_opts filter;
	struct scope_opts scope;
	struct output_opts output;
};

/* By enum transfers_by. */
static const char *const by_names[] = { "kind", "op", "step", "device", NULL };

#define FIELD(member) offsetof(struct transfers_opts, member)

/* clang-format off */
static const struct opt transfers_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "what tells rows apart: kind and memory, those and the operator or the step, or the device alone",
	  .choices = by_names, .offset = FIELD(by), .type = OPT_CHOICE },
	{ .name = "list", .help = "a row for each copy and set",
	  .offset = FIELD(list), .type = OPT_FLAG },
	{ .name = "limit", .arg = "ROWS", .help = "show this many rows, 0 for all",
	  .offset = FIELD(limit), .type = OPT_UINT, .short_name = 'n' },
	OPT_END
};

static const struct opt_group transfers_groups[] = {
	OPERAND_GROUP(struct transfers_opts, operand),
	{ .opts = transfers_options },
	FILTER_GROUP(struct transfers_opts, filter),
	SCOPE_GROUP(struct transfers_opts, scope),
	OUTPUT_GROUP(struct transfers_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct transfers_opts defaults = { .by = "kind", .output = OUTPUT_DEFAULTS };

static int open_transfers(const struct reading *r, const void *options,
			  struct table **out, struct err *err)
{
	struct transfers_request request = *(const struct transfers_request *)options;

	request.for_people = r->for_people;
	return transfers_open(r->store, r->scope, &request, out, err);
}

static enum transfers_by by_of(const struct transfers_opts *o)
{
	size_t by = 0;

	while (by_names[by + 1] && strcmp(by_names[by], o->by) != 0)
		by++;
	return o->list ? TRANSFERS_SINGLE : (enum transfers_by)by;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct transfers_opts o;
	struct err err = ERR_INIT;
	struct filter filter;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (filter_options_compile(&o.filter, &filter, &err) < 0)
		return message_error(self->name, NULL, &err);
	const struct transfers_request request = { .filter = &filter,
						   .by = by_of(&o),
						   .limit = o.limit };
	if (work_choice_check(&filter, &err) < 0)
		code = message_error(self->name, NULL, &err);
	else
		code = reading_run(&(struct reading_plan){ .command = self->name,
							   .operand = o.operand,
							   .scope = &o.scope,
							   .output = &o.output,
							   .open = open_transfers,
							   .options = &request });
	filter_release(&filter);
	return code;
}

static const char *const examples[] = { "ptool transfers trace.json",
					"ptool transfers --by op",
					"ptool transfers --list --min-dur 1ms",
					"ptool transfers --by device --format csv",
					NULL };

const struct command cmd_transfers = {
	.name = "transfers",
	.summary = "Show copies and sets, and who waited for them",
	.groups = transfers_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.run = run,
};
