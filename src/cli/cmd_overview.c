/* ptool overview, or just ptool FILE: the most important numbers on one screen. */
#include <string.h>

#include "base/alloc.h"
#include "cli/command.h"
#include "cli/reading.h"
#include "query/overview/overview.h"

#define ARGUMENTS_MAX ((size_t)64 * 1024)

struct overview_opts {
	const char *operand;
	struct scope_opts scope;
	struct output_opts output;
};

/* clang-format off */
static const struct opt_group overview_groups[] = {
	OPERAND_GROUP(struct overview_opts, operand),
	SCOPE_GROUP(struct overview_opts, scope),
	OUTPUT_GROUP(struct overview_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct overview_opts defaults = { .output = OUTPUT_DEFAULTS };

/* As a shell takes it for one word. */
static void add_word(struct buf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./:,+@%-=";

	if (out->n)
		buf_add_char(out, ' ');
	if (*word && strspn(word, plain) == strlen(word)) {
		buf_add_text(out, word);
		return;
	}
	buf_add_char(out, '\'');
	for (; *word; word++)
		if (*word == '\'')
			buf_add_text(out, "'\\''");
		else
			buf_add_char(out, *word);
	buf_add_char(out, '\'');
}

static void add_option(struct buf *out, const char *name, const char *value)
{
	if (!value)
		return;
	add_word(out, name);
	add_word(out, value);
}

/* "trace.json.gz"; of a store its run, too. */
static const char *name_of(const struct reading *r, struct buf *out)
{
	const char *slash = strrchr(r->path, '/');

	buf_add_text(out, slash && slash[1] ? slash + 1 : r->path);
	if (store_is(r->path))
		buf_addf(out, ", run %s", r->scope->profiles[0].run);
	return out->p;
}

static int open_overview(const struct reading *r, const void *options, struct table **out,
			 struct err *err)
{
	const struct overview_opts *o = options;
	struct buf arguments, name;

	buf_init(&arguments, ARGUMENTS_MAX);
	buf_init(&name, ARGUMENTS_MAX);
	buf_add_text(&arguments, "");
	add_option(&arguments, "--run", o->scope.run);
	add_option(&arguments, "--rank", o->scope.rank);
	add_option(&arguments, "--profile", o->scope.profile);
	if (o->operand)
		add_word(&arguments, o->operand);
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

static int run(const struct command *self, int argc, char **argv)
{
	struct overview_opts o;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	return reading_run(&(struct reading_plan){ .command = self->name,
						   .operand = o.operand,
						   .scope = &o.scope,
						   .output = &o.output,
						   .open = open_overview,
						   .options = &o });
}

static const char *const examples[] = { "ptool trace.json", "ptool",
					"ptool overview --rank 0",
					"ptool overview --format json trace.json", NULL };

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
	.run = run,
};
