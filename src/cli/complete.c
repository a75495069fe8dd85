/*
 * Completion scripts: see complete.h.  Each is what the shell wants written by
 * hand, with the tables in place of the lists.
 */
#include "cli/complete.h"

#include <string.h>

#include "cli/command.h"

/* Text with a backslash before each of `special`; "'" as the shell needs it in '...'. */
static void print_quoted(const char *text, const char *special, const char *quote,
			 FILE *out)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs(quote, out);
		else
			fprintf(out, strchr(special, *text) ? "\\%c" : "%c", *text);
	}
}

static void print_values(const struct opt *opt, FILE *out)
{
	const char *value;

	for (size_t i = 0; (value = opt_value(opt, i)) != NULL; i++)
		fprintf(out, "%s%s", i ? " " : "", value);
}

/* Nothing to offer for a number; anything else may be the name of a file. */
static bool may_be_file(const struct opt *opt)
{
	return opt->type != OPT_UINT && opt->type != OPT_INT;
}

static void print_command_names(FILE *out)
{
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", commands[i]->name);
}

/* bash: the words that may follow, by command and the option before */

static const char bash_head[] =
	"# bash completion for ptool, made by 'ptool help --bash'\n"
	"_ptool()\n"
	"{\n"
	"\tlocal current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
	"\tlocal options='' values='' list='' head=''\n"
	"\tif [[ $current == = ]]; then\n"
	"\t\tcurrent=\n"
	"\telif [[ $before == = ]]; then\n"
	"\t\tbefore=${COMP_WORDS[COMP_CWORD-2]}\n"
	"\tfi\n"
	"\tCOMPREPLY=()\n";

static const char bash_tail[] =
	"\tif [[ $current == -* ]]; then\n"
	"\t\tvalues=$options\n"
	"\tfi\n"
	"\tif [[ $list && $current == *,* ]]; then\n"
	"\t\thead=${current%,*},\n"
	"\t\tcurrent=${current##*,}\n"
	"\tfi\n"
	"\tmapfile -t COMPREPLY < <(compgen -P \"$head\" -W \"$values\" -- \"$current\")\n"
	"}\n"
	"complete -o default -F _ptool ptool\n";

static void bash_options(const struct command *command, FILE *out)
{
	const char *space = "";

	fputs("\t\toptions='", out);
	for (struct opt_iter it = opt_first(command->groups); it.opt; opt_next(&it)) {
		if (opt_is_operand(it.opt))
			continue;
		fprintf(out, "%s--%s", space, it.opt->name);
		space = " ";
	}
	fputs("'\n", out);
}

static void bash_value(const struct opt *opt, FILE *out)
{
	if (opt->short_name)
		fprintf(out, "\t\t-%c | --%s) ", opt->short_name, opt->name);
	else
		fprintf(out, "\t\t--%s) ", opt->name);
	if (opt_value(opt, 0)) {
		fputs("options='' values='", out);
		print_values(opt, out);
		fputs(opt->is_list ? "' list=1 ;;\n" : "' ;;\n", out);
	} else {
		fputs("return ;;\n", out);
	}
}

static void bash_command(const struct command *command, FILE *out)
{
	fprintf(out, "\t*:%s)\n", command->name);
	bash_options(command, out);
	for (struct opt_iter it = opt_first(command->groups); it.opt; opt_next(&it)) {
		if (!opt_is_operand(it.opt) || !opt_value(it.opt, 0))
			continue;
		fputs("\t\tvalues='", out);
		print_values(it.opt, out);
		fputs("'\n", out);
	}
	fputs("\t\tcase $before in\n", out);
	for (struct opt_iter it = opt_first(command->groups); it.opt; opt_next(&it))
		if (!opt_is_operand(it.opt) && it.opt->type != OPT_FLAG)
			bash_value(it.opt, out);
	fputs("\t\tesac\n\t\t;;\n", out);
}

void complete_bash(FILE *out)
{
	fputs(bash_head, out);
	fputs("\tcase $COMP_CWORD:${COMP_WORDS[1]} in\n"
	      "\t1:*)\n"
	      "\t\toptions='--help --version'\n"
	      "\t\tvalues='",
	      out);
	print_command_names(out);
	fputs("'\n\t\t;;\n", out);
	for (size_t i = 0; commands[i]; i++)
		bash_command(commands[i], out);
	fputs("\tesac\n", out);
	fputs(bash_tail, out);
}

/* zsh: one _arguments call a command */

#define ZSH_SPECIAL "\\[]:"
#define ZSH_QUOTE   "'\\''"

static void zsh_value(const struct opt *opt, FILE *out)
{
	fputc(':', out);
	print_quoted(opt->arg, ZSH_SPECIAL, ZSH_QUOTE, out);
	fputc(':', out);
	if (!opt_value(opt, 0)) {
		fputs(may_be_file(opt) ? "_files" : " ", out);
		return;
	}
	if (opt->is_list)
		fprintf(out, "_values -s , %s ", opt->arg);
	else
		fputc('(', out);
	print_values(opt, out);
	fputs(opt->is_list ? "" : ")", out);
}

static void zsh_option(const struct opt *opt, FILE *out)
{
	bool has_value = opt->type != OPT_FLAG;

	if (opt_repeats(opt))
		fputs("'*'", out);
	else if (opt->short_name)
		fprintf(out, "'(-%c --%s)'", opt->short_name, opt->name);
	if (opt->short_name)
		fprintf(out, "{-%c%s,", opt->short_name, has_value ? "+" : "");
	fprintf(out, "--%s%s", opt->name, has_value ? "=" : "");
	fputs(opt->short_name ? "}'[" : "'[", out);
	print_quoted(opt->help, ZSH_SPECIAL, ZSH_QUOTE, out);
	fputc(']', out);
	if (has_value)
		zsh_value(opt, out);
	fputc('\'', out);
}

static void zsh_command(const struct command *command, FILE *out)
{
	fprintf(out, "\t%s)\n\t\t_arguments -s -S", command->name);
	for (struct opt_iter it = opt_first(command->groups); it.opt; opt_next(&it)) {
		fputs(" \\\n\t\t\t", out);
		if (!opt_is_operand(it.opt)) {
			zsh_option(it.opt, out);
			continue;
		}
		fputs(it.opt->type == OPT_ARGS ? "'*"
		      : it.opt->required       ? "'"
					       : "':",
		      out);
		zsh_value(it.opt, out);
		fputc('\'', out);
	}
	fputs("\n\t\t;;\n", out);
}

void complete_zsh(FILE *out)
{
	fputs("#compdef ptool\n"
	      "# zsh completion for ptool, made by 'ptool help --zsh'\n"
	      "local -a names\n"
	      "names=(\n",
	      out);
	for (size_t i = 0; commands[i]; i++) {
		fprintf(out, "\t'%s:", commands[i]->name);
		print_quoted(commands[i]->summary, "\\", ZSH_QUOTE, out);
		fputs("'\n", out);
	}
	fputs(")\n"
	      "if ((CURRENT == 2)); then\n"
	      "\tif [[ $PREFIX == -* ]]; then\n"
	      "\t\tcompadd -- --help --version\n"
	      "\telse\n"
	      "\t\t_describe command names\n"
	      "\tfi\n"
	      "\treturn\n"
	      "fi\n"
	      "shift words\n"
	      "((CURRENT--))\n"
	      "case $words[1] in\n",
	      out);
	for (size_t i = 0; commands[i]; i++)
		zsh_command(commands[i], out);
	fputs("esac\n", out);
}

/* fish: one line an option */

#define FISH_SPECIAL "\\"
#define FISH_QUOTE   "\\'"

static void fish_text(const char *flag, const char *text, FILE *out)
{
	fprintf(out, " %s '", flag);
	print_quoted(text, FISH_SPECIAL, FISH_QUOTE, out);
	fputc('\'', out);
}

static void fish_row(const struct command *command, const struct opt *opt, FILE *out)
{
	if (opt_is_operand(opt) && !opt_value(opt, 0))
		return;
	fprintf(out, "complete -c ptool -n '__fish_seen_subcommand_from %s'",
		command->name);
	if (!opt_is_operand(opt))
		fprintf(out, " -l %s", opt->name);
	if (opt->short_name)
		fprintf(out, " -s %c", opt->short_name);
	if (opt_value(opt, 0)) {
		fputs(opt_is_operand(opt) ? " -f -a '" : " -x -a '", out);
		fputs(opt->is_list ? "(__fish_append , " : "", out);
		print_values(opt, out);
		fputs(opt->is_list ? ")'" : "'", out);
	} else if (opt->type != OPT_FLAG) {
		fputs(may_be_file(opt) ? " -r" : " -x", out);
	}
	fish_text("-d", opt->help, out);
	fputc('\n', out);
}

void complete_fish(FILE *out)
{
	fputs("# fish completion for ptool, made by 'ptool help --fish'\n"
	      "complete -c ptool -n __fish_use_subcommand -f -l help -d 'list the commands'\n"
	      "complete -c ptool -n __fish_use_subcommand -f -l version -d 'what this is'\n",
	      out);
	for (size_t i = 0; commands[i]; i++) {
		fprintf(out, "complete -c ptool -n __fish_use_subcommand -f -a %s",
			commands[i]->name);
		fish_text("-d", commands[i]->summary, out);
		fputc('\n', out);
	}
	for (size_t i = 0; commands[i]; i++)
		for (struct opt_iter it = opt_first(commands[i]->groups); it.opt;
		     opt_next(&it))
			fish_row(commands[i], it.opt, out);
}
