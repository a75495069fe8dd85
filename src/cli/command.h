/*
 * A command of ptool: a name, the rows of its options, and the one table that it draws
 * (cli/table_command.h) or a function.  A new command is one file cmd_<name>.c and one
 * row in commands.c.
 */
#ifndef PTOOL_CLI_COMMAND_H
#define PTOOL_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "cli/message.h"
#include "cli/opt.h"

struct table_command;
struct view;

/* An exit status that a command can return, and what it means then. */
struct command_exit {
	enum exit_code code;
	const char
		*text; /* one lower-case line without a full stop; NULL ends the list */
};

/* For `views`. */
#define COMMAND_VIEWS(...)           \
	(const struct view *const[]) \
	{                            \
		__VA_ARGS__, NULL    \
	}

/* clang-format off */
#define EXITS_END { EXIT_OK, NULL }
/* What 4, 5 and 130 mean for all that read a store or a file. */
#define EXITS_OF_READING								   \
	{ EXIT_INPUT, "the store or file is missing, cannot be read, or is of another schema" }, \
	{ EXIT_IO, "the output or the cache cannot be written, or memory runs out" },	   \
	{ EXIT_INTERRUPT, "interrupted while a file was read into the cache" },		   \
	EXITS_END
#define EXIT_USAGE_ROW { EXIT_USAGE, "a mistake in the command line; or the output exists" }
/* The list of a command that makes one table, for `exits`. */
#define EXITS_READING(ok, empty)							   \
	(const struct command_exit[]) {							   \
		{ EXIT_OK, (ok) }, EXIT_USAGE_ROW, { EXIT_EMPTY, (empty) }, EXITS_OF_READING \
	}
/* clang-format on */

/* Where help lists a command; the headings are in commands.c. */
enum command_part {
	COMMAND_START,
	COMMAND_GPU,
	COMMAND_MEMORY,
	COMMAND_RANKS,
	COMMAND_PYTHON,
	COMMAND_STORE,
	NCOMMAND_PARTS
};
extern const char *const command_parts[NCOMMAND_PARTS];

struct command {
	const char *name;
	enum command_part part;
	const char *question; /* what it answers, for the list of all: "why is ...?" */
	const char *summary;  /* one line, upper-case verb, no full stop */
	/* Operands are rows too.  Ends with OPT_GROUP_END; never NULL. */
	const struct opt_group *groups;
	/* The command's options struct before parsing; --help shows its values. */
	const void *defaults;
	size_t options_size;
	/* Command lines for --help, NULL-terminated; may be NULL. */
	const char *const *examples;
	const struct command_exit *exits; /* ascending; all that it can return */
	/* Whose columns its page lists, NULL-terminated; may be NULL. */
	const struct view *const *views;
	/* What it draws, when that is one table: cli/table_command.h; or NULL. */
	const struct table_command *table;
	bool limits_memory; /* of SQLite: sql_guard_limit_memory(), or asks who does */
	/*
	 * Gets the arguments after the command's name; returns the exit code.  NULL: to
	 * draw the table is all.
	 */
	int (*run)(const struct command *self, int argc, char **argv);
};

/* NULL-terminated, in the order in which help lists them. */
extern const struct command *const commands[];
/* NULL when there is none. */
const struct command *command_find(const char *name);

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
