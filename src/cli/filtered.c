/* Reading commands with filters: see filtered.h. */
#include "cli/filtered.h"

#include "cli/message.h"

int filtered_read(const char *command, const struct filtered_plan *plan)
{
	struct err err = ERR_INIT;
	struct filter filter;
	int code;

	if (filter_options_compile(&plan->on->filter, &filter, &err) < 0)
		return message_error(command, NULL, &err);
	if (plan->make(plan->options, &filter, plan->request, &err) < 0)
		code = message_error(command, NULL, &err);
	else
		code = reading_run(&(struct reading_plan){ .command = command,
							   .operand = plan->on->operand,
							   .scope = &plan->on->scope,
							   .output = &plan->on->output,
							   .open = plan->open,
							   .options = plan->request,
							   .filter = &filter,
							   .nothing = plan->nothing,
							   .lacks = plan->lacks });
	filter_release(&filter);
	return code;
}

int filtered_run(const struct command *self, int argc, char **argv,
		 const struct filtered_plan *plan)
{
	int code;

	if (!command_parse(self, argc, argv, plan->options, &code))
		return code;
	if (plan->view && view_options_want_help(plan->show))
		return view_options_help(self, plan->view, &plan->on->output);
	return filtered_read(self->name, plan);
}
