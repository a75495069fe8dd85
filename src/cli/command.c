/* Commands: finding one, and its options. See command.h. */
#include "cli/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "cli/message.h"

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

bool command_parse(const struct command *self, int argc, char **argv, void *options,
		   int *code)
{
	struct err err = ERR_INIT;

	if (self->options_size > 0)
		memcpy(options, self->defaults, self->options_size);
	switch (opt_parse(self->groups, argc, argv, options, &err)) {
	case OPT_PARSED:
		return true;
	case OPT_HELP:
		help_command(self, stdout);
		*code = EXIT_OK;
		return false;
	case OPT_ERROR:
		break;
	}
	*code = message_error(self->name, NULL, &err);
	return false;
}

void command_default(const struct command *command, struct opt_iter row, struct buf *out)
{
	const char *base = command->defaults;
	int64_t number;

	/* --help is every command's and lands in nobody's struct */
	if (!base || row.opt->type == OPT_FLAG)
		return;
	const void *member = base + row.group->offset + row.opt->offset;
	switch (row.opt->type) {
	case OPT_UINT:
	case OPT_INT:
		number = *(const int64_t *)member;
		if (number < 0) /* as view_options.h has it */
			buf_addf(out, "%" PRId64 " in people's tables, else all",
				 -number);
		else if (number)
			buf_addf(out, "%" PRId64, number);
		break;
	case OPT_STRING:
	case OPT_CHOICE:
		if (*(const char *const *)member)
			buf_add_text(out, *(const char *const *)member);
		break;
	case OPT_FLAG:
	case OPT_STRINGS:
	case OPT_SEQUENCE:
	case OPT_ARG:
	case OPT_ARGS:
		break;
	}
}
