/*
 * A command of ptool: a name, the rows of its options, and a function.  A new
 * command is one file cmd_<name>.c and one row in commands.c.
 *
 *	static const struct top_opts defaults = { .limit = 20, .output = OUTPUT_DEFAULTS };
 *
 *	static int run(const struct command *self, int argc, char **argv)
 *	{
 *		struct top_opts o;
 *		int code;
 *
 *		if (!command_parse(self, argc, argv, &o, &code))
 *			return code;
 *		...
 *	}
 */
#ifndef PTOOL_CLI_COMMAND_H
#define PTOOL_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "cli/opt.h"

struct command {
	const char *name;
	const char *summary; /* one line, upper-case verb, no full stop */
	/* Operands are rows too.  Ends with OPT_GROUP_END; never NULL. */
	const struct opt_group *groups;
	/* The command's options struct before parsing; --help shows its values. */
	const void *defaults;
	size_t options_size;
	/* Command lines for --help, NULL-terminated; may be NULL. */
	const char *const *examples;
	const char *finding; /* what exit status 1 means; NULL: it is never returned */
	/* Gets the arguments after the command's name; returns the exit code. */
	int (*run)(const struct command *self, int argc, char **argv);
};

/* NULL-terminated, in the order in which help lists them. */
extern const struct command *const commands[];
/* NULL when there is none. */
const struct command *command_find(const char *name);
/* For option rows: the name of command i, NULL at the end. */
const char *command_name_at(size_t i);

/*
 * Copies the defaults to `options` and parses into it.  False when there is
 * nothing left to do: help was printed, or the mistake was told; `*code` is
 * then the exit code.
 */
bool command_parse(const struct command *self, int argc, char **argv, void *options,
		   int *code);

/*
 * Appends the default of a row as the user would write it; nothing for what
 * goes without saying: 0, false and NULL.
 */
void command_default(const struct command *command, struct opt_iter row, struct buf *out);

#endif
