/*
 * Completion scripts: see complete.h.  Each is what the shell wants written by
 * hand, with the tables in place of the lists.
 */
#include "cli/complete.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
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

static void zsh_row(const struct opt *opt, FILE *out)
{
	if (!opt_is_operand(opt)) {
		zsh_option(opt, out);
		return;
	}
	fputs(opt->type == OPT_ARGS ? "'*" : opt->required ? "'" : "':", out);
	zsh_value(opt, out);
	fputc('\'', out);
}

/* Tables of options that several commands have: each is an array of its own. */
struct zsh_shared {
	struct zsh_group {
		const struct opt *opts;
	} * items;
	size_t n, cap;
};

/* Its number; n: it is none of them. */
static size_t zsh_place(const struct zsh_shared *shared, const struct opt *opts)
{
	size_t i = 0;

	while (i < shared->n && shared->items[i].opts != opts)
		i++;
	return i;
}

static size_t count_users(const struct opt *opts)
{
	size_t n = 0;

	for (size_t i = 0; commands[i]; i++)
		for (const struct opt_group *g = commands[i]->groups; g->opts; g++)
			n += g->opts == opts;
	return n;
}

static void zsh_share(struct zsh_shared *shared, const struct opt *opts, FILE *out)
{
	if (count_users(opts) < 2 || zsh_place(shared, opts) < shared->n)
		return;
	fprintf(out, "local -a shared%zu\nshared%zu=(\n", shared->n, shared->n);
	for (const struct opt *opt = opts; opt->name; opt++) {
		fputc('\t', out);
		zsh_row(opt, out);
		fputc('\n', out);
	}
	fputs(")\n", out);
	*ARRAY_PUSH(shared->items, shared->n, shared->cap) = (struct zsh_group){ opts };
}

static void zsh_command(const struct zsh_shared *shared, const struct command *command,
			FILE *out)
{
	const struct opt_group *before = NULL;

	fprintf(out, "\t%s)\n\t\t_arguments -s -S", command->name);
	for (struct opt_iter it = opt_first(command->groups); it.opt; opt_next(&it)) {
		size_t place = zsh_place(shared, it.group->opts);
		if (place < shared->n && it.group == before)
			continue;
		before = it.group;
		fputs(" \\\n\t\t\t", out);
		if (place < shared->n)
			fprintf(out, "$shared%zu", place);
		else
			zsh_row(it.opt, out);
	}
	fputs("\n\t\t;;\n", out);
}

void complete_zsh(FILE *out)
{
	struct zsh_shared shared = { NULL, 0, 0 };

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
	      "((CURRENT--))\n",
	      out);
	for (size_t i = 0; commands[i]; i++)
		for (const struct opt_group *g = commands[i]->groups; g->opts; g++)
			zsh_share(&shared, g->opts, out);
	fputs("case $words[1] in\n", out);
	for (size_t i = 0; commands[i]; i++)
		zsh_command(&shared, commands[i], out);
	fputs("esac\n", out);
	free(shared.items);
}

/* fish: one line an option, and all commands that have it alike */

#define FISH_SPECIAL "\\"
#define FISH_QUOTE   "\\'"

static void fish_text(const char *flag, const char *text, FILE *out)
{
	fprintf(out, " %s '", flag);
	print_quoted(text, FISH_SPECIAL, FISH_QUOTE, out);
	fputc('\'', out);
}

/* What is said of the option, whatever command has it. */
static void fish_row(const struct opt *opt, FILE *out)
{
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
}

struct fish_rows {
	struct fish_row {
		char *text;
		const char *command;
	} * items;
	size_t n, cap;
};

static void fish_add(struct fish_rows *rows, const char *command, const struct opt *opt)
{
	struct fish_row row = { NULL, command };
	size_t size;

	if (opt_is_operand(opt) && !opt_value(opt, 0))
		return;
	FILE *text = xopen_memory(&row.text, &size);
	fish_row(opt, text);
	fclose(text);
	*ARRAY_PUSH(rows->items, rows->n, rows->cap) = row;
}

/* The row at `first` and those alike of further commands, which it uses up. */
static void fish_print(struct fish_rows *rows, size_t first, FILE *out)
{
	char *text = rows->items[first].text;

	fputs("complete -c ptool -n '__fish_seen_subcommand_from", out);
	for (size_t i = first; i < rows->n; i++) {
		struct fish_row *row = &rows->items[i];
		if (!row->text || strcmp(row->text, text) != 0)
			continue;
		fprintf(out, " %s", row->command);
		if (i > first) {
			free(row->text);
			row->text = NULL;
		}
	}
	fprintf(out, "'%s\n", text);
	free(text);
	rows->items[first].text = NULL;
}

void complete_fish(FILE *out)
{
	struct fish_rows rows = { NULL, 0, 0 };

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
			fish_add(&rows, commands[i]->name, it.opt);
	for (size_t i = 0; i < rows.n; i++)
		if (rows.items[i].text)
			fish_print(&rows, i, out);
	free(rows.items);
}
