/* ptool advise: what slows training down, and what to try. */
#include <stdlib.h>

#include "base/alloc.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "cli/rule_options.h"

struct advise_opts {
	const char *operand;
	struct opt_strings rule;
	bool evidence, verbose;
	struct scope_opts scope;
	struct output_opts output;
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
	OPERAND_GROUP(struct advise_opts, operand),
	{ .opts = advise_options },
	SCOPE_GROUP(struct advise_opts, scope),
	OUTPUT_GROUP(struct advise_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct advise_opts defaults = { .output = OUTPUT_DEFAULTS };

static int open_advise(const struct reading *r, const void *options, struct table **out,
		       struct err *err)
{
	struct advise_request request = *(const struct advise_request *)options;

	request.for_people = r->for_people;
	return advise_open(r->store, r->scope, &request, out, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct advise_opts o;
	struct err err = ERR_INIT;
	size_t n;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	struct rule_choice *choices = xcalloc(rule_count(), sizeof(*choices));
	if (rule_options_parse(&o.rule, choices, &n, &err) < 0) {
		code = message_error(self->name, NULL, &err);
	} else {
		const struct advise_request request = { .choices = choices,
							.n = n,
							.evidence = o.evidence,
							.verbose = o.verbose };
		code = reading_run(&(struct reading_plan){ .command = self->name,
							   .operand = o.operand,
							   .scope = &o.scope,
							   .output = &o.output,
							   .open = open_advise,
							   .options = &request });
	}
	free(choices);
	return code;
}

static const char *const examples[] = { "ptool advise trace.json", "ptool help rules",
					"ptool advise --rule data-loading:min_pct=2",
					"ptool advise --evidence --format csv", NULL };

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
		"the recording is a call graph; or there is no such run, rank or profile"),
	.run = run,
};
