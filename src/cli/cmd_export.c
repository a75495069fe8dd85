/* ptool export: what was recorded, in the formats of other programs. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/exporter.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/scope_options.h"
#include "cli/terminal.h"

struct export_opts {
	const char *operand, *to;
	struct scope_opts scope;
	struct output_opts output;
};

static const char *format_at(size_t i)
{
	return exporters[i] ? exporters[i]->name : NULL;
}

#define INTO(type, member) OPT_INTO(type, struct export_opts, member)

/* clang-format off */
static const struct opt export_options[] = {
	{ .name = "to", .arg = "FORMAT", .help = "what to write",
	  .choice_at = format_at, INTO(CHOICE, to) },
	{ .name = "output", .arg = "FILE", .help = "write to this file; its suffix may choose the format",
	  INTO(STRING, output.path), .short_name = 'o' },
	{ .name = "force", .help = "replace FILE when it exists",
	  INTO(FLAG, output.force), .short_name = 'f' },
	{ .name = "quiet", .help = "do not report what was read into the cache",
	  INTO(FLAG, output.quiet), .short_name = 'q' },
	OPT_END
};

static const struct opt_group export_groups[] = {
	OPERAND_GROUP(struct export_opts, operand),
	{ .opts = export_options },
	SCOPE_GROUP(struct export_opts, scope),
	OPT_GROUP_END
};
/* clang-format on */

static const struct export_opts defaults = { .output = { .color = "never",
							 .no_pager = true } };

static const struct exporter *choose(const struct export_opts *o, struct err *err)
{
	const struct exporter *e = o->to ? exporter_find(o->to) : NULL;

	if (!o->to && !output_to_stdout(&o->output))
		e = exporter_for_path(o->output.path);
	if (!e) {
		err_set(err, ERR_USAGE, "--to FORMAT says what to write, %s for one",
			exporters[0]->name);
		return NULL;
	}
	if (e->is_binary && output_to_stdout(&o->output) && terminal_is(STDOUT_FILENO)) {
		err_set(err, ERR_USAGE,
			"%s is binary and is not written to a terminal: -o FILE writes a file",
			e->name);
		return NULL;
	}
	return e;
}

static int write_all(const struct exporter *e, const struct export_opts *o,
		     struct store *store, struct err *err)
{
	struct output out;
	struct scope scope;

	if (scope_options_load(store, &o->scope, &scope, err) < 0)
		return -1;
	int rc = output_open(&out, "export", &o->output, err);
	if (rc == 0) {
		errno = 0;
		rc = e->write(store, &scope, out.stream, err);
		if (ferror(out.stream))
			out.write_errno = errno;
		struct err closing = ERR_INIT;
		if (output_close(&out, rc == 0, rc == 0 ? err : &closing) < 0)
			rc = -1;
	}
	scope_release(&scope);
	return rc;
}

static bool is_of_store(const struct err *err)
{
	return err->kind == ERR_INPUT || err->kind == ERR_EMPTY;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct export_opts o;
	struct err err = ERR_INIT;
	struct operand operand;
	const struct exporter *e;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	/* before a raw file is ingested for nothing */
	if (!(e = choose(&o, &err)) || scope_options_check(&o.scope, &err) < 0 ||
	    output_check(&o.output, &err) < 0)
		return message_error(self->name, NULL, &err);
	if (operand_open(self->name, o.operand, o.output.quiet, &operand, &err) < 0)
		return message_error(self->name, operand_name(o.operand), &err);
	code = EXIT_OK;
	if (write_all(e, &o, operand.store, &err) < 0) {
		operand_explain(&operand, &err);
		code = message_error(self->name, is_of_store(&err) ? operand.path : NULL,
				     &err);
	}
	operand_close(&operand);
	return code;
}

static const char *const examples[] = {
	"ptool export --to pstats -o train.prof",
	"ptool export --to pstats trace.json | gprof2dot -f pstats /dev/stdin", NULL
};

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "the file was written" },
	{ EXIT_USAGE, "a mistake in the command line; the output exists, or is a terminal" },
	{ EXIT_EMPTY, "the recording holds nothing that the format can store" },
	EXITS_OF_READING,
};
/* clang-format on */

const struct command cmd_export = {
	.name = "export",
	.part = COMMAND_STORE,
	.question = "Write a profile for snakeviz, gprof2dot and others",
	.summary = "Write a recording in another program's format",
	.groups = export_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
	.run = run,
};
