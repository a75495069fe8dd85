/* ptool list: single slices. */
#include <string.h>

#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "query/slice_list.h"

struct list_opts {
	const char *operand, *sort;
	int64_t limit;
	struct filter_opts filter;
	struct scope_opts scope;
	struct output_opts output;
};

#define FIELD(member) offsetof(struct list_opts, member)

/* By enum slice_list_order. */
static const char *const orders[] = { "start", "dur", "self", "name", NULL };

/* clang-format off */
static const struct opt list_options[] = {
	{ .name = "sort", .arg = "KEY", .help = "by start or name, or the largest dur or self first",
	  .choices = orders, .offset = FIELD(sort), .type = OPT_CHOICE },
	{ .name = "limit", .arg = "ROWS", .help = "stop after so many; 0 is all",
	  .offset = FIELD(limit), .type = OPT_UINT, .short_name = 'n' },
	OPT_END
};

static const struct opt_group list_groups[] = {
	OPERAND_GROUP(struct list_opts, operand),
	{ .opts = list_options },
	FILTER_GROUP(struct list_opts, filter),
	SCOPE_GROUP(struct list_opts, scope),
	OUTPUT_GROUP(struct list_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct list_opts defaults = { .sort = "start", .output = OUTPUT_DEFAULTS };

static enum slice_list_order order_of(const char *word)
{
	size_t i = 0;

	while (strcmp(orders[i], word) != 0)
		i++;
	return (enum slice_list_order)i;
}

static int open_list(const struct reading *r, const void *options, struct table **out,
		     struct err *err)
{
	struct slice_list_request request = *(const struct slice_list_request *)options;

	request.for_people = r->for_people;
	return slice_list_open(r->store, r->scope, &request, out, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct list_opts o;
	struct err err = ERR_INIT;
	struct filter filter;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (filter_options_compile(&o.filter, &filter, &err) < 0)
		return message_error(self->name, NULL, &err);
	struct slice_list_request request = { .filter = &filter,
					      .order = order_of(o.sort),
					      .limit = o.limit };
	code = reading_run(&(struct reading_plan){ .command = self->name,
						   .operand = o.operand,
						   .scope = &o.scope,
						   .output = &o.output,
						   .open = open_list,
						   .options = &request,
						   .nothing = "no slice matches" });
	filter_release(&filter);
	return code;
}

static const char *const examples[] = {
	"ptool list --limit 20", "ptool list --sort dur --limit 10 --cat kernel",
	"ptool list --focus '^aten::copy_' --step 3..5 --format csv -o copies.csv", NULL
};

const struct command cmd_list = {
	.name = "list",
	.summary = "List single slices, in the order of time",
	.groups = list_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.run = run,
};
