/* ptool report: one page that shows all of a recording, offline. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/report_diff.h"
#include "cli/report_options.h"
#include "cli/report_tabs.h"
#include "cli/terminal.h"
#include "query/timeline/timeline.h"
#include "report/page.h"

#define INTO(type, member) OPT_INTO(type, struct report_opts, member)

/* clang-format off */
static const struct opt report_options[] = {
	{ .name = "store", .arg = "STORE|FILE", .help = "what to show (default: $PTOOL_STORE or ./ptool.db); two are compared",
	  INTO(ARGS, operands) },
	OUTPUT_FILE_OPTIONS(struct report_opts, "write the page to this file, - for standard output"),
	OPT_END
};

static const struct opt_group report_groups[] = {
	{ .opts = report_options },
	REPORT_TIMELINE_GROUP(struct report_opts, timeline),
	SCOPE_GROUP(struct report_opts, scope),
	OPT_GROUP_END
};
/* clang-format on */

static const struct report_opts defaults = { .timeline = REPORT_TIMELINE_DEFAULTS,
					     .output = OUTPUT_FILE_DEFAULTS };

/* Before a raw file is ingested for nothing. */
static int check(const struct report_opts *o, struct err *err)
{
	if (o->operands.n > 2)
		return err_set(err, ERR_USAGE,
			       "a report shows one STORE|FILE or compares two: 'ptool "
			       "diff' compares more");
	if (o->operands.n == 2 && o->scope.run)
		return err_set(err, ERR_USAGE, "--run is for one STORE|FILE");
	if (o->operands.n == 2 && report_timeline_given(&o->timeline))
		return err_set(err, ERR_USAGE,
			       "%s is for one STORE|FILE: a comparison has no timeline",
			       report_timeline_given(&o->timeline));
	if (!o->output.path && terminal_is(STDOUT_FILENO))
		return err_set(err, ERR_USAGE,
			       "no file is given: -o FILE names it, such as -o "
			       "report.html");
	if (scope_options_check(&o->scope, err) < 0 ||
	    report_timeline_check(&o->timeline, err) < 0)
		return -1;
	return output_check(&o->output, err);
}

static int write_page(struct page *page, const struct report_opts *o, struct err *err)
{
	struct output out;

	if (output_open(&out, "report", &o->output, err) < 0)
		return -1;
	errno = 0;
	int rc = page_write(page, out.stream, err);
	if (rc < 0)
		out.write_errno = errno;
	return output_close(&out, true, err);
}

static int report(const struct report_opts *o, const struct operand *operand,
		  struct err *err)
{
	struct scope scope;
	struct page page;
	const struct reading reading = { .store = operand->store,
					 .path = operand->path,
					 .scope = &scope,
					 .for_people = true };
	struct report_making making = {
		.page = &page,
		.reading = &reading,
		.opts = o,
		.path = operand->is_raw || operand->is_fleet ? operand->cached
							     : operand->path,
		.id = "",
		.title = "",
	};

	if (scope_options_load(operand->store, &o->scope, &scope, err) < 0)
		return -1;
	page_init(&page, report_name(operand->path));
	int rc = scope_kind(&scope, &making.kind, err);
	if (rc == 0 && making.kind != SCOPE_TRACES && report_timeline_given(&o->timeline))
		rc = err_set(err, ERR_USAGE,
			     "%s is for timelines, which only traces have",
			     report_timeline_given(&o->timeline));
	if (rc == 0)
		rc = report_tabs_add(&making, err);
	if (rc == 0)
		rc = write_page(&page, o, err);
	page_release(&page);
	scope_release(&scope);
	return rc;
}

/* Two recordings on one page; returns the exit code. */
static int compare(const char *command, const struct report_opts *o)
{
	const char *culprit = NULL;
	struct err err = ERR_INIT;
	struct page page;
	int code = EXIT_OK;

	page_init(&page, "before and after");
	if (report_diff_add(&page, o, &culprit, &err) < 0 ||
	    write_page(&page, o, &err) < 0)
		code = message_error_reading(command, culprit, &err);
	page_release(&page);
	return code;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct report_opts o;
	struct err err = ERR_INIT;
	struct operand operand;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (check(&o, &err) < 0)
		return message_error(self->name, NULL, &err);
	if (o.operands.n == 2)
		return compare(self->name, &o);
	const char *path = o.operands.n ? o.operands.items[0] : NULL;
	const struct operand_wish wish = { .command = self->name,
					   .path = path,
					   .is_quiet = o.output.quiet,
					   .scope = &o.scope,
					   .wants_slices = true };
	if (operand_open_for(&wish, &operand, &err) < 0)
		return message_error(self->name, operand_name(path), &err);
	code = EXIT_OK;
	if (report(&o, &operand, &err) < 0) {
		operand_explain(&operand, &err);
		code = message_error_reading(self->name, operand.path, &err);
	}
	operand_close(&operand);
	return code;
}

static const char *const examples[] = { "ptool report -o report.html trace.json.gz",
					"ptool report -o diff.html before.db after.db",
					"ptool report -o rank0.html --rank 0 runs/",
					NULL };

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "the page was written" },
	{ EXIT_USAGE, "a mistake in the command line; the output exists, or is a terminal" },
	{ EXIT_EMPTY, "the store holds no run, or none as asked for" },
	EXITS_OF_READING,
};
/* clang-format on */

const struct command cmd_report = {
	.name = "report",
	.part = COMMAND_START,
	.question = "Show me all of it, in the browser",
	.summary = "Write a page for the browser that shows all of a recording",
	.groups = report_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
	.run = run,
};
