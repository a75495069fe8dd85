/*
 * ptool doctor: what was wrong with the input and what was done about it, and
 * what the recording cannot tell.
 */
#include "cli/table_command.h"
#include "query/findings.h"

struct doctor_opts {
	struct table_opts on;
	const char *severity;
};

/* By enum severity. */
static const char *const severity_choices[] = { "info", "warning", "error", NULL };

#define INTO(type, member) OPT_INTO(type, struct doctor_opts, member)

/* clang-format off */
static const struct opt doctor_options[] = {
	{ .name = "severity", .arg = "LEVEL", .help = "only findings of this severity and worse",
	  .choices = severity_choices, INTO(CHOICE, severity) },
	OPT_END
};

static const struct opt_group doctor_groups[] = {
	TABLE_OPERAND,
	{ .opts = doctor_options },
	TABLE_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct doctor_opts defaults = { .severity = "info", .on = TABLE_DEFAULTS };

static int open_doctor(const struct reading *r, void *request, struct table **out,
		       struct err *err)
{
	const struct doctor_opts *o = r->options;
	size_t least = opt_choice_place(severity_choices, o->severity);

	(void)request;
	return findings_open(r->store, r->scope, (enum severity)least, r->for_people, out,
			     err);
}

static const char *const examples[] = { "ptool doctor", "ptool doctor trace.json",
					"ptool doctor --severity error --format csv",
					NULL };

static const struct table_command table = {
	.open = open_doctor,
};

const struct command cmd_doctor = {
	.name = "doctor",
	.part = COMMAND_STORE,
	.question = "Is the recording complete, and how do I record better?",
	.summary = "List what was damaged in the input, and what the recording lacks",
	.groups = doctor_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&findings_view),
	.exits = EXITS_READING("the findings were listed, even if there are none",
			       "no such run or profile is in the store"),
	.table = &table,
};
