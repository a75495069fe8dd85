/* What reading commands do alike: see reading.h. */
#include "cli/reading.h"

#include <string.h>

#include "cli/hints.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "query/filter_nothing.h"
#include "query/findings.h"

/* clang-format off */
const struct opt reading_operand[] = {
	{ .name = "store", .arg = "STORE|FILE", .help = "what to read (default: $PTOOL_STORE or ./ptool.db)",
	  .type = OPT_ARG },
	OPT_END
};
/* clang-format on */

bool reading_is_for_people(const struct output_opts *o)
{
	struct err err = ERR_INIT;
	const struct renderer *renderer = output_renderer(o, &err);

	return renderer && (strcmp(renderer->name, "table") == 0 ||
			    strcmp(renderer->name, "markdown") == 0);
}

static int draw(const struct reading_plan *plan, const struct reading *r, struct err *err)
{
	struct table *table = NULL;

	if (plan->open(r, plan->options, &table, err) < 0)
		return -1;
	if (plan->nothing && !table->empty)
		table->empty = ""; /* the message says it */
	table = hints_complete(table, plan->operand);
	int rc = output_table(plan->command, table, plan->output, err);
	if (rc == 0 && table->total_rows == 0 && plan->nothing)
		rc = plan->lacks && !filter_is_given(plan->filter)
			     ? filter_lacks(r->scope, plan->lacks, err)
			     : err_set(err, ERR_EMPTY, "%s", plan->nothing);
	table_free(table);
	return rc;
}

static int read_operand(const struct reading_plan *plan, const struct operand *operand,
			struct err *err)
{
	struct scope scope;
	int rc =
		plan->all_runs
			? scope_options_load_all(operand->store, plan->scope, &scope, err)
			: scope_options_load(operand->store, plan->scope, &scope, err);

	if (rc < 0)
		return -1;
	struct reading reading = { .store = operand->store,
				   .path = operand->path,
				   .scope = &scope,
				   .for_people = reading_is_for_people(plan->output) };
	if (operand->is_raw && findings_have(operand->store, &scope, FINDING_TRUNCATED))
		message_note(plan->command, operand->path,
			     "the file is cut off, and what came after is missing, "
			     "often all device work: copy or record it again");
	rc = draw(plan, &reading, err);
	if (rc < 0 && err->kind == ERR_EMPTY && plan->filter)
		filter_explain(operand->store, &scope, plan->filter, err);
	scope_release(&scope);
	return rc;
}

/* Errors of output name its file themselves, and a wrong option is no store's fault. */
static bool is_of_store(const struct err *err)
{
	return err->kind == ERR_INPUT || err->kind == ERR_EMPTY;
}

int reading_run(const struct reading_plan *plan)
{
	struct err err = ERR_INIT;
	struct operand operand;

	/* before a raw file is ingested for nothing */
	if (scope_options_check(plan->scope, &err) < 0 ||
	    !output_renderer(plan->output, &err) || output_check(plan->output, &err) < 0)
		return message_error(plan->command, NULL, &err);
	if (operand_open(plan->command, plan->operand, plan->output->quiet, &operand,
			 &err) < 0)
		return message_error(plan->command, operand_name(plan->operand), &err);
	int code = EXIT_OK;
	if (read_operand(plan, &operand, &err) < 0) {
		operand_explain(&operand, &err);
		hints_complete_error(&err, plan->operand);
		code = message_error(plan->command,
				     is_of_store(&err) ? operand.path : NULL, &err);
	}
	operand_close(&operand);
	return code;
}
