/* ptool help: the tables, for people, shells and manual pages. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/complete.h"
#include "cli/help.h"
#include "cli/mdoc.h"
#include "cli/message.h"
#include "cli/rule_options.h"

struct help_opts {
	const char *command;
	bool list, bash, zsh, fish, mdoc;
};

#define RULES "rules"

#define INTO(type, member) OPT_INTO(type, struct help_opts, member)

/* The commands, and what else there is to tell about. */
static const char *topic_name_at(size_t i)
{
	size_t n = 0;

	while (commands[n])
		n++;
	if (i == n)
		return RULES;
	return i < n ? commands[i]->name : NULL;
}

/* clang-format off */
static const struct opt help_options[] = {
	{ .name = "command", .arg = "COMMAND", .help = "the command to explain, or the rules of ptool advise",
	  .choice_at = topic_name_at, INTO(ARG, command) },
	{ .name = "list", .help = "the names of all commands, one per line",
	  INTO(FLAG, list) },
	{ .name = "bash", .help = "a completion script for bash",
	  INTO(FLAG, bash) },
	{ .name = "zsh", .help = "a completion script for zsh",
	  INTO(FLAG, zsh) },
	{ .name = "fish", .help = "a completion script for fish",
	  INTO(FLAG, fish) },
	{ .name = "mdoc", .help = "SYNOPSIS and OPTIONS of COMMAND for its manual page",
	  INTO(FLAG, mdoc) },
	OPT_END
};
/* clang-format on */

static const struct opt_group help_groups[] = { { .opts = help_options }, OPT_GROUP_END };

static const struct help_opts defaults;

static void print_names(FILE *out)
{
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "%s\n", commands[i]->name);
}

static int usage_error(const struct command *self, const char *text)
{
	struct err err = ERR_INIT;

	err_set(&err, ERR_USAGE, "%s", text);
	return message_error(self->name, NULL, &err);
}

static bool is_rules(const struct help_opts *o)
{
	return o->command && strcmp(o->command, RULES) == 0;
}

static void print_choice(const struct help_opts *o)
{
	const struct command *command = o->command ? command_find(o->command) : NULL;

	if (o->list)
		print_names(stdout);
	else if (o->bash)
		complete_bash(stdout);
	else if (o->zsh)
		complete_zsh(stdout);
	else if (o->fish)
		complete_fish(stdout);
	else if (is_rules(o))
		(o->mdoc ? mdoc_rules : rule_options_help)(stdout);
	else if (!command)
		help_overview(stdout);
	else if (o->mdoc)
		mdoc_command(command, stdout);
	else
		help_command(command, stdout);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct help_opts o;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (o.list + o.bash + o.zsh + o.fish + o.mdoc > 1)
		return usage_error(
			self, "--list, --bash, --zsh, --fish, --mdoc exclude each other");
	if (o.mdoc && !is_rules(&o) && (!o.command || !command_find(o.command)))
		return usage_error(self, "--mdoc wants a COMMAND");
	print_choice(&o);
	return EXIT_OK;
}

static const char *const examples[] = { "ptool help help", "source <(ptool help --bash)",
					NULL };

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "the help was shown" },
	{ EXIT_USAGE, "there is no such command, or two of the options were given" },
	{ EXIT_IO, "standard output cannot be written" },
	EXITS_END,
};
/* clang-format on */

const struct command cmd_help = {
	.name = "help",
	.part = COMMAND_STORE,
	.question = "Show what a command does and its options",
	.summary = "Show what a command does and its options",
	.groups = help_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
	.run = run,
};
