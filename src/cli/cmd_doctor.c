/* ptool doctor: what was wrong with the input, and what was done about it. */
#include "cli/command.h"
#include "cli/reading.h"
#include "query/findings.h"

struct doctor_opts {
	const char *operand;
	struct scope_opts scope;
	struct output_opts output;
};

/* clang-format off */
static const struct opt_group doctor_groups[] = {
	OPERAND_GROUP(struct doctor_opts, operand),
	SCOPE_GROUP(struct doctor_opts, scope),
	OUTPUT_GROUP(struct doctor_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct doctor_opts defaults = { .output = OUTPUT_DEFAULTS };

static int open_doctor(const struct reading *r, const void *options, struct table **out,
		       struct err *err)
{
	(void)options;
	return findings_open(r->store, r->scope, r->for_people, out, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct doctor_opts o;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	return reading_run(&(struct reading_plan){ .command = self->name,
						   .operand = o.operand,
						   .scope = &o.scope,
						   .output = &o.output,
						   .open = open_doctor });
}

static const char *const examples[] = { "ptool doctor", "ptool doctor trace.json",
					"ptool doctor --rank 3 --format csv", NULL };

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "List what was damaged or missing in the input, and what was done",
	.groups = doctor_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.run = run,
};
