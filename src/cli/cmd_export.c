/* ptool export: what was recorded, in the formats of other programs. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/export_stacks.h"
#include "cli/exporter.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/sample_options.h"
#include "cli/scope_options.h"
#include "cli/table_command.h"
#include "cli/terminal.h"
#include "query/filter_nothing.h"
#include "query/samples/sample_choose.h"

struct export_opts {
	const char *operand, *to, *weight, *table;
	struct filter_opts filter;
	struct sample_opts samples;
	struct scope_opts scope;
	struct output_opts output;
};

static const char *format_at(size_t i)
{
	return exporters[i] ? exporters[i]->name : NULL;
}

/* By enum export_weight. */
static const char *const weights[] = { "host", "device", NULL };

#define INTO(type, member) OPT_INTO(type, struct export_opts, member)

/* clang-format off */
static const struct opt export_options[] = {
	{ .name = "to", .arg = "FORMAT", .help = "what to write",
	  .choice_at = format_at, INTO(CHOICE, to) },
	{ .name = "weight", .arg = "TIME", .help = "weight of the stacks: time of the host, or of the device work that it launched",
	  .choices = weights, INTO(CHOICE, weight) },
	{ .name = "table", .arg = "NAME", .help = "table or view of the store, for parquet",
	  INTO(STRING, table) },
	OUTPUT_FILE_OPTIONS(struct export_opts, "write to this file; its suffix may choose the format"),
	OPT_END
};

static const struct opt_group export_groups[] = {
	OPERAND_GROUP(struct export_opts, operand),
	{ .opts = export_options },
	FILTER_GROUP(struct export_opts, filter),
	SAMPLE_GROUP(struct export_opts, samples),
	SCOPE_GROUP(struct export_opts, scope),
	OPT_GROUP_END
};
/* clang-format on */

static const struct export_opts defaults = { .output = OUTPUT_FILE_DEFAULTS };

static const struct exporter *choose(const struct export_opts *o, struct err *err)
{
	const struct exporter *e = o->to ? exporter_find(o->to) : NULL;

	if (!o->to && !output_to_stdout(&o->output))
		e = exporter_for_path(o->output.path);
	if (!e) {
		err_set(err, ERR_USAGE,
			"no format is given: --to FORMAT names one, such "
			"as %s",
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

/* What the format has no place for, once it is written. */
static void tell_losses(const struct exporter *e, const struct export_losses *losses)
{
	if (losses->renamed)
		message_note("export", NULL,
			     "%lld names have characters that %s cannot hold; they were "
			     "replaced",
			     (long long)losses->renamed, e->name);
	if (losses->name_bytes)
		message_note("export", NULL,
			     "names of more than %lld bytes are cut: %s repeats them",
			     (long long)losses->name_bytes, e->name);
	if (losses->args)
		message_note("export", NULL,
			     "args of more than %d bytes are left out of some events: %s "
			     "repeats them",
			     SPELT_PART, e->name);
	if (losses->negative)
		message_note("export", NULL,
			     "%lld functions took less time than their callees: their "
			     "self time is written as 0",
			     (long long)losses->negative);
	if (losses->series)
		message_note("export", NULL,
			     "%lld series are left out: %s would add them to others of "
			     "their unit",
			     (long long)losses->series, e->name);
	if (losses->rounded)
		message_note("export", NULL,
			     "%lld weights have digits behind the point: they are "
			     "rounded, as %s holds whole numbers",
			     (long long)losses->rounded, e->name);
	if (losses->is_estimated)
		message_note("export", NULL,
			     "paths are estimated: a call graph records callers and "
			     "callees");
	if (losses->is_shortened)
		message_note("export", NULL,
			     "stacks deeper than %d frames lack frames in the middle: "
			     "these lose total time; self times and sums are whole",
			     STACK_FRAMES_MAX);
	if (losses->is_cut)
		message_note("export", NULL,
			     "the estimate was cut at a million paths; --focus chooses "
			     "fewer");
}

static int write_to(const struct exporter *e, const struct export_opts *o,
		    const struct export_request *request, struct err *err)
{
	struct export_losses losses = { 0 };
	struct output out;

	if (output_open(&out, "export", &o->output, err) < 0)
		return -1;
	errno = 0;
	int rc = e->write(request, out.stream, &losses, err);
	if (ferror(out.stream))
		out.write_errno = errno;
	struct err closing = ERR_INIT;
	if (output_close(&out, rc == 0, rc == 0 ? err : &closing) < 0)
		rc = -1;
	if (rc == 0 && !o->output.quiet)
		tell_losses(e, &losses);
	return rc;
}

static int write_all(const struct exporter *e, const struct export_opts *o,
		     const struct filter *filter, struct store *store, struct err *err)
{
	struct scope scope;
	struct export_request request = { .store = store,
					  .scope = &scope,
					  .filter = filter,
					  .table = o->table,
					  .title = operand_name(o->operand) };

	if (o->weight && strcmp(o->weight, weights[EXPORT_DEVICE]) == 0)
		request.weight = EXPORT_DEVICE;
	if (scope_options_load(store, &o->scope, &scope, err) < 0)
		return -1;
	if (sample_choice_check(&filter->samples, &scope, err) < 0 ||
	    filter_find_steps(filter, store, &scope, err) < 0) {
		scope_release(&scope);
		return -1;
	}
	int rc = write_to(e, o, &request, err);
	if (rc < 0 && err->kind == ERR_EMPTY)
		filter_explain(store, &scope, filter, err);
	scope_release(&scope);
	return rc;
}

/* What the format cannot heed is refused, not ignored. */
static int check_asked(const struct exporter *e, const struct export_opts *o,
		       const struct filter *filter, struct err *err)
{
	if (!e->takes_filters && filter_is_given(filter))
		return err_set(err, ERR_USAGE,
			       "%s files hold whole profiles: give no filters", e->name);
	if (!e->takes_weight && o->weight)
		return err_set(err, ERR_USAGE,
			       "--weight is for formats of stacks, not "
			       "for %s",
			       e->name);
	if (!e->takes_table && o->table)
		return err_set(err, ERR_USAGE, "--table is for parquet, not for %s",
			       e->name);
	if (e->takes_table && (o->scope.run || o->scope.rank || o->scope.profile))
		return err_set(
			err, ERR_USAGE,
			"--table writes the whole table: 'ptool sql --format parquet' "
			"writes the rows of a query");
	return 0;
}

static int export_operand(const struct command *self, const struct exporter *e,
			  const struct export_opts *o, const struct filter *filter,
			  struct operand *operand)
{
	struct err err = ERR_INIT;

	if (write_all(e, o, filter, operand->store, &err) == 0)
		return EXIT_OK;
	operand_explain(operand, &err);
	return message_error_reading(self->name, operand->path, &err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct export_opts o;
	struct err err = ERR_INIT;
	struct operand operand;
	struct filter filter;
	const struct exporter *e;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	const struct operand_wish wish = { .command = self->name,
					   .path = o.operand,
					   .is_quiet = o.output.quiet,
					   .scope = &o.scope,
					   .wants_slices = true };
	/* before a raw file is ingested for nothing */
	if (!(e = choose(&o, &err)) || scope_options_check(&o.scope, &err) < 0 ||
	    output_check(&o.output, &err) < 0 ||
	    filter_options_compile(&o.filter, &filter, &err) < 0)
		return message_error(self->name, NULL, &err);
	sample_options_set(&o.samples, &filter);
	if (check_asked(e, &o, &filter, &err) < 0) {
		code = message_error(self->name, NULL, &err);
	} else if (operand_open_for(&wish, &operand, &err) < 0) {
		code = message_error(self->name, operand_name(o.operand), &err);
	} else {
		code = export_operand(self, e, &o, &filter, &operand);
		operand_close(&operand);
	}
	filter_release(&filter);
	return code;
}

static const char *const examples[] = {
	"ptool export --to pstats -o train.prof",
	"ptool export --to pstats trace.json | gprof2dot -f pstats /dev/stdin",
	"ptool export --to speedscope trace.json -o trace.speedscope.json", NULL
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
	.question = "Write a profile for snakeviz, speedscope, pprof and others",
	.summary = "Write a recording in another program's format",
	.groups = export_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
	.run = run,
};
