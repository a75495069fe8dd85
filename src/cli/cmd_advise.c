/* ptool advise: what slows training down, and what to try. */
#include <stdlib.h>

#include "base/alloc.h"
#include "cli/rule_options.h"
#include "cli/table_command.h"

struct advise_opts {
	struct table_opts on;
	struct opt_strings rule;
	bool evidence, verbose;
};

static const char *rule_at(size_t i)
{
	return rules[i] ? rules[i]->name : NULL;
}

#define INTO(type, member) OPT_INTO(type, struct advise_opts, member)

/* clang-format off */
static const struct opt advise_options[] = {
	{ .name = "rule", .arg = "NAME[:KEY=VALUE,...]", .help = "only these rules, with other thresholds; 'ptool help rules' lists them",
	  .value_at = rule_at, INTO(STRINGS, rule) },
	{ .name = "evidence", .help = "show the numbers that findings are based on, one per row",
	  INTO(FLAG, evidence) },
	{ .name = "verbose", .help = "show the evidence for each finding, and why rules could not run",
	  INTO(FLAG, verbose) },
	OPT_END
};

static const struct opt_group advise_groups[] = {
	TABLE_OPERAND,
	{ .opts = advise_options },
	TABLE_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct advise_opts defaults = { .on = TABLE_DEFAULTS };

struct advise_asked {
	struct advise_request request;
	struct rule_choice *choices; /* owned; the request borrows them */
};

static int make_request(const void *options, const struct filter *filter, void *into,
			struct err *err)
{
	const struct advise_opts *o = options;
	struct advise_asked *asked = into;

	(void)filter;
	asked->choices = xcalloc(rule_count(), sizeof(*asked->choices));
	asked->request = (struct advise_request){ .choices = asked->choices,
						  .evidence = o->evidence,
						  .verbose = o->verbose };
	return rule_options_parse(&o->rule, asked->choices, &asked->request.n, err);
}

static void release(void *request)
{
	free(((struct advise_asked *)request)->choices);
}

static int open_advise(const struct reading *r, void *from, struct table **out,
		       struct err *err)
{
	struct advise_request *request = &((struct advise_asked *)from)->request;

	request->for_people = r->for_people;
	return advise_open(r->store, r->scope, request, out, err);
}

static const char *const examples[] = { "ptool advise trace.json", "ptool help rules",
					"ptool advise --rule data-loading:min_pct=2",
					"ptool advise --evidence --format csv", NULL };

static const struct table_command table = {
	.request_size = sizeof(struct advise_asked),
	.make = make_request,
	.open = open_advise,
	.release = release,
};

const struct command cmd_advise = {
	.name = "advise",
	.part = COMMAND_START,
	.question = "What should I change first?",
	.summary = "Find what slows training down, and say what to try",
	.groups = advise_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&advise_view),
	.exits = EXITS_READING(
		"the rules ran, whatever they found",
		"the recording is no trace; or there is no such run, rank or profile"),
	.table = &table,
};
