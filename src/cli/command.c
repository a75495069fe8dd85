/* Commands: finding one, and its options. See command.h. */
#include "cli/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/help.h"
#include "cli/message.h"
#include "cli/operand.h"

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return strcmp(a, "-") != 0 && strcmp(b, "-") != 0 && stat(a, &x) == 0 &&
	       stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* Is it one of the operands, or the store that is read without one? */
static bool is_operand(const struct command *self, const void *options, const char *path)
{
	for (struct opt_iter it = opt_first(self->groups); it.opt; opt_next(&it)) {
		const void *member =
			(const char *)options + it.group->offset + it.opt->offset;
		const struct opt_args *args = member;
		const char *arg =
			it.opt->type == OPT_ARG ? *(const char *const *)member : NULL;
		if (!arg && it.opt->type == OPT_ARG && strcmp(it.opt->name, "store") == 0)
			arg = operand_default_store();
		if (arg && is_same_file(arg, path))
			return true;
		for (size_t i = 0; it.opt->type == OPT_ARGS && i < args->n; i++)
			if (is_same_file(args->items[i], path))
				return true;
	}
	return false;
}

/* -o, where it is no store that is made of others: with -f the recording would be gone. */
static int check_output(const struct command *self, const void *options, struct err *err)
{
	for (struct opt_iter it = opt_first(self->groups); it.opt; opt_next(&it)) {
		if (it.opt->short_name != 'o' || strcmp(it.opt->arg, "FILE") != 0)
			continue;
		const char *path =
			*(const char *const *)((const char *)options + it.group->offset +
					       it.opt->offset);
		if (path && is_operand(self, options, path))
			return err_set(err, ERR_USAGE,
				       "'%s' is what is read: -o writes to another file",
				       path);
	}
	return 0;
}

bool command_parse(const struct command *self, int argc, char **argv, void *options,
		   int *code)
{
	struct err err = ERR_INIT;

	if (self->options_size > 0)
		memcpy(options, self->defaults, self->options_size);
	switch (opt_parse(self->groups, argc, argv, options, &err)) {
	case OPT_PARSED:
		if (check_output(self, options, &err) == 0)
			return true;
		break;
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
