/* ptool overview, or just ptool FILE: the most important numbers on one screen. */
#include <string.h>

#include "base/shell_word.h"
#include "cli/scope_options.h"
#include "cli/table_command.h"
#include "query/overview/overview.h"

#define ARGUMENTS_MAX ((size_t)64 * 1024)

/* clang-format off */
static const struct opt_group overview_groups[] = {
	TABLE_OPERAND,
	TABLE_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct table_opts defaults = TABLE_DEFAULTS;

static void add_option(struct buf *out, const char *name, const char *value)
{
	if (!value)
		return;
	shell_word_add(out, name);
	shell_word_add(out, value);
}

/* Is a store called as what was read into it: run.db of run.json.gz? */
static bool is_named_after(const char *store, const char *run)
{
	size_t n = strcspn(store, ".");

	return strncmp(store, run, n) == 0 && (run[n] == '.' || run[n] == '\0');
}

/* "trace.json.gz"; of a store its run, too, where that says more. */
static const char *name_of(const struct reading *r, struct buf *out)
{
	const char *name = scope_run_end(r->path);
	const char *run = scope_run_end(r->scope->profiles[0].run);

	buf_add_text(out, name);
	if (store_is(r->path) && !is_named_after(name, run))
		buf_addf(out, ", run %s", run);
	return out->p;
}

static int open_overview(const struct reading *r, void *none, struct table **out,
			 struct err *err)
{
	const struct table_opts *o = r->options;
	struct buf arguments, name;

	(void)none;
	buf_init(&arguments, ARGUMENTS_MAX);
	buf_init(&name, ARGUMENTS_MAX);
	buf_add_text(&arguments, "");
	add_option(&arguments, "--run", o->scope.run);
	add_option(&arguments, "--rank", o->scope.rank);
	add_option(&arguments, "--profile", o->scope.profile);
	if (o->operand)
		shell_word_add(&arguments, o->operand);
	const struct overview_request request = { .name = name_of(r, &name),
						  .arguments =
							  arguments.n ? arguments.p : "",
						  .for_people = r->for_people,
						  .width = output_width(&o->output) };
	int rc = overview_open(r->store, r->scope, &request, out, err);
	buf_release(&arguments);
	buf_release(&name);
	return rc;
}

static const char *const examples[] = { "ptool trace.json", "ptool",
					"ptool overview --rank 0",
					"ptool overview --format json trace.json", NULL };

static const struct table_command table = {
	.open = open_overview,
};

const struct command cmd_overview = {
	.name = "overview",
	.part = COMMAND_START,
	.question = "What matters most, on one screen?",
	.summary = "Show the most important numbers of a recording on one screen",
	.groups = overview_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&overview_view),
	.exits = EXITS_READING("the screen was written",
			       "the store holds no run, or none as asked for"),
	.table = &table,
};
