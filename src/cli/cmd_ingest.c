/* ptool ingest: files into a run of a store. */
#include <stdlib.h>
#include <string.h>

#include "base/expand.h"
#include "base/regex.h"
#include "cli/command.h"
#include "cli/ingest_told.h"
#include "cli/ingesting.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "query/graphs/graph_names.h"
#include "query/summary/summary.h"
#include "store/import.h"
#include "trace/torch_dialect.h"

struct ingest_opts {
	struct opt_args files;
	const char *store, *run, *input_format, *torch_version, *step_name, *memory_limit;
	const char *summaries, *names_from;
	struct opt_strings keep;
	const char *format;
	bool strict, quiet, summary_only, if_missing;
	int64_t jobs, max_expand;
};

#define INTO(type, member) OPT_INTO(type, struct ingest_opts, member)

static const char *format_at(size_t i)
{
	return readers[i] ? readers[i]->name : NULL;
}

static const char *const format_choices[] = { "json", NULL };
static const char *const keep_choices[] = { "args", NULL };

/* By enum import_summaries. */
static const char *const summaries_choices[] = { "auto", "yes", "no", NULL };

/* clang-format off */
static const struct opt ingest_options[] = {
	{ .name = "file", .arg = "FILE", .help = "a trace, a folder or an archive; - is standard input; compression is detected",
	  INTO(ARGS, files), .required = true },
	{ .name = "output", .arg = "STORE", .help = "the store (default: $PTOOL_STORE or ./ptool.db)",
	  INTO(STRING, store), .short_name = 'o' },
	{ .name = "run", .arg = "NAME", .help = "name of the run (default: the files' common path)",
	  INTO(STRING, run) },
	{ .name = "input-format", .arg = "FORMAT", .help = "read as this format, whatever the content looks like",
	  .choice_at = format_at, INTO(CHOICE, input_format) },
	{ .name = "torch-version", .arg = "X.Y", .help = "read PyTorch traces as this version wrote them, whatever they look like",
	  INTO(STRING, torch_version) },
	{ .name = "step-name", .arg = "RE", .help = "take annotations, or else Python frames, that match this regular expression as steps; its first group is the step's number",
	  INTO(STRING, step_name) },
	{ .name = "names-from", .arg = "TRACE", .help = "name the kernels of replayed graphs by this recording of the same program, in which they are captured or launched one by one",
	  INTO(STRING, names_from) },
	{ .name = "keep", .arg = "WHAT", .help = "also store data that no command shows (args, as JSON text)",
	  .choices = keep_choices, INTO(STRINGS, keep) },
	{ .name = "summary-only", .help = "leave the slices out of the store, which makes it small; commands that need slices then refuse it",
	  INTO(FLAG, summary_only) },
	{ .name = "summaries", .arg = "WHEN", .help = "also store sums, from which commands answer faster (auto: if there are several profiles, or one of several ranks)",
	  .choices = summaries_choices, INTO(CHOICE, summaries) },
	{ .name = "jobs", .arg = "N", .help = "number of threads (default: one per core that it may use)",
	  INTO(UINT, jobs), .short_name = 'j' },
	{ .name = "memory-limit", .arg = "SIZE", .help = "memory to use for a file's contents (default: half the machine's)",
	  INTO(STRING, memory_limit) },
	{ .name = "max-expand", .arg = "N", .help = "refuse input beyond 1 GiB that expands to more than N times its size",
	  INTO(UINT, max_expand) },
	{ .name = "strict", .help = "refuse input that would be repaired or skipped with a warning",
	  INTO(FLAG, strict) },
	{ .name = "if-missing", .help = "do nothing if the store was made from these files and they have not changed since",
	  INTO(FLAG, if_missing) },
	{ .name = "format", .arg = "FORMAT", .help = "also report on each file to standard output, as one JSON object per line",
	  .choices = format_choices, INTO(CHOICE, format) },
	{ .name = "quiet", .help = "only report problems",
	  INTO(FLAG, quiet), .short_name = 'q' },
	OPT_END
};
/* clang-format on */

static const struct opt_group ingest_groups[] = { { .opts = ingest_options },
						  OPT_GROUP_END };

static const struct ingest_opts defaults = { .summaries = "auto",
					     .max_expand = EXPAND_FACTOR };

/* What the types of the options do not say. */
static int check_options(const struct ingest_opts *o, struct err *err)
{
	if (o->run && !*o->run)
		return err_set(err, ERR_USAGE, "--run wants a name");
	if (o->store && !*o->store)
		return err_set(err, ERR_USAGE, "--output wants STORE");
	if (o->store && strcmp(o->store, "-") == 0)
		return err_set(err, ERR_USAGE, "a store is a file, not standard output");
	if (o->max_expand == 0)
		return err_set(err, ERR_USAGE, "--max-expand wants 1 or more");
	struct regex *step_name = NULL;
	int rc = o->step_name
			 ? regex_compile("--step-name", o->step_name, &step_name, err)
			 : 0;
	regex_free(step_name);
	return rc;
}

/* 0 when the option was not given. */
static int read_torch_version(const struct ingest_opts *o, int *version, struct err *err)
{
	char known[TORCH_VERSIONS_MAX];

	*version = 0;
	if (!o->torch_version ||
	    (torch_version_parse(str_of(o->torch_version), version) &&
	     torch_dialect_of_version(*version)))
		return 0;
	torch_versions_text(known);
	return err_set(err, ERR_USAGE, "--torch-version '%s' is none of %s",
		       o->torch_version, known);
}

/* The recording that names come from is opened, or read into the cache. */
static int open_names(const struct command *self, const struct ingest_opts *o,
		      struct operand *operand, struct graph_names_from *names,
		      struct err *err)
{
	static const struct scope_request newest = { .run = NULL };

	if (operand_open(self->name, o->names_from, o->quiet, operand, err) < 0)
		return -1;
	names->store = operand->store;
	if (scope_load(operand->store, &newest, &names->scope, err) == 0)
		return 0;
	operand_close(operand);
	return -1;
}

static void tell_names(const struct command *self, const struct ingest_opts *o,
		       const struct graph_names_from *names)
{
	if (o->quiet)
		return;
	if (names->replayed_ns == 0)
		message_note(self->name, o->names_from,
			     "has no graph to name: none was replayed");
	else
		message_note(self->name, o->names_from,
			     "names %.1f%% of the device time of replayed graphs",
			     100.0 * (double)names->named_ns /
				     (double)names->replayed_ns);
}

static int run_ingest(const struct command *self, int argc, char **argv)
{
	struct ingest_opts o;
	struct err err = ERR_INIT;
	struct import_result result;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	int torch_version;
	int64_t memory_limit;
	if (check_options(&o, &err) < 0 ||
	    read_torch_version(&o, &torch_version, &err) < 0 ||
	    opt_memory_limit(o.memory_limit, &memory_limit, &err) < 0)
		return message_error(self->name, NULL, &err);
	const char *store = o.store ? o.store : operand_default_store();
	struct ingesting ingesting = { .command = self->name,
				       .subject = store,
				       .is_quiet = o.quiet };
	struct import_options options = {
		.store = store,
		.run = o.run,
		.reader = o.input_format ? reader_find(o.input_format) : NULL,
		.read = { .strict = o.strict,
			  .keep_args = o.keep.n > 0,
			  .torch_version = torch_version,
			  .step_name = o.step_name,
			  .threads = read_threads(o.jobs),
			  .memory_limit = (uint64_t)memory_limit },
		.summary_only = o.summary_only,
		.summaries = (enum import_summaries)opt_choice_place(summaries_choices,
								     o.summaries),
		.summarize = summaries_make_run,
		.max_expand = (uint64_t)o.max_expand,
	};
	if (o.if_missing &&
	    import_is_there(&options, (const char *const *)o.files.items, o.files.n)) {
		if (!o.quiet)
			message_note(self->name, store,
				     "was made from these files "
				     "already: nothing to do");
		return EXIT_OK;
	}
	struct operand names_operand = { .store = NULL };
	struct graph_names_from names = { .store = NULL };
	if (o.names_from) {
		if (open_names(self, &o, &names_operand, &names, &err) < 0)
			return message_error(self->name, o.names_from, &err);
		options.name = graph_names_make_run;
		options.name_to = &names;
	}
	struct ingest_told told = { .ingesting = &ingesting, .run = o.run };
	struct import_events events = ingesting_events(&ingesting);
	if (o.format)
		ingest_told_begin(&told, &events);
	int rc = import_files(&options, (const char *const *)o.files.items, o.files.n,
			      &events, &result, &err);
	ingesting_end(&ingesting);
	if (o.names_from && rc == 0)
		tell_names(self, &o, &names);
	scope_release(&names.scope);
	operand_close(&names_operand);
	if (o.format && ingest_told_end(&told, self->name, o.files, &err) < 0)
		return message_error(self->name, NULL, &err);
	/* A refused file was told when it was refused. */
	if (rc < 0 && !result.is_refusal)
		return message_error(self->name, options.store, &err);
	return result.refused ? EXIT_INPUT : EXIT_OK;
}

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "all traces are in the store, including repaired ones" },
	{ EXIT_USAGE, "a mistake in the command line; or the store's file exists and is not a store" },
	{ EXIT_INPUT, "a file is missing, cannot be read, is not a trace or was given twice; or there is no trace in a folder (the others are in the store, unless --strict was given); or the store is damaged or of another schema" },
	{ EXIT_IO, "the store cannot be written: the disk is full, the folder is missing or may not be written; or memory runs out" },
	{ EXIT_INTERRUPT, "interrupted" },
	EXITS_END,
};
/* clang-format on */

const struct command cmd_ingest = {
	.name = "ingest",
	.part = COMMAND_STORE,
	.question = "Read traces into a store, once for many questions",
	.summary = "Read traces into a store",
	.groups = ingest_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.exits = exits,
	.run = run_ingest,
};
