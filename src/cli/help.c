/* Help from the tables: see help.h. */
#include "cli/help.h"

#include <string.h>

#include "base/buf.h"

#define WIDTH 79
/* Labels up to here have their help beside them, longer ones below. */
#define LABEL_WIDTH 24
#define EXIT_WIDTH  5 /* "130  " */
#define TEXT_MAX    ((size_t)16 * 1024)

/* Words of text, the first at column `at`, further lines indented. */
static void print_wrapped(const char *text, size_t at, size_t indent, FILE *out)
{
	bool fresh = true; /* nothing stands on this line yet */

	while (*(text += strspn(text, " "))) {
		size_t n = strcspn(text, " ");
		if (!fresh && at + 1 + n > WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
			fresh = true;
		}
		fprintf(out, "%s%.*s", fresh ? "" : " ", (int)n, text);
		at += n + (fresh ? 0 : 1);
		fresh = false;
		text += n;
	}
	fputc('\n', out);
}

static void add_choices(struct buf *text, const struct opt *opt)
{
	const char *choice;

	for (size_t i = 0; (choice = opt_choice(opt, i)) != NULL; i++)
		buf_addf(text, "%s%s", i ? ", " : ": ", choice);
}

static void add_label(struct buf *label, const struct opt *opt)
{
	if (opt_is_operand(opt)) {
		buf_add_text(label, opt->arg);
		return;
	}
	if (opt->short_name)
		buf_addf(label, "-%c, --%s", opt->short_name, opt->name);
	else
		buf_addf(label, "    --%s", opt->name);
	if (opt->type != OPT_FLAG)
		buf_addf(label, " %s", opt->arg);
}

static void print_row(const struct command *command, struct opt_iter it, FILE *out)
{
	struct buf label, text, value;

	buf_init(&label, TEXT_MAX);
	buf_init(&text, TEXT_MAX);
	buf_init(&value, TEXT_MAX);
	add_label(&label, it.opt);
	buf_add_text(&text, it.opt->help);
	add_choices(&text, it.opt);
	if (opt_repeats(it.opt))
		buf_add_text(&text, "; may be repeated");
	command_default(command, it, &value);
	if (value.n > 0)
		buf_addf(&text, " (default %s)", value.p);
	fprintf(out, "  %-*s", LABEL_WIDTH, label.p);
	if (label.n > LABEL_WIDTH - 1)
		fprintf(out, "\n%*s", LABEL_WIDTH + 2, "");
	print_wrapped(text.p, LABEL_WIDTH + 2, LABEL_WIDTH + 2, out);
	buf_release(&label);
	buf_release(&text);
	buf_release(&value);
}

static void print_examples(const struct command *command, FILE *out)
{
	if (!command->examples)
		return;
	fputs("\nExamples:\n", out);
	for (size_t i = 0; command->examples[i]; i++)
		fprintf(out, "  %s\n", command->examples[i]);
}

/* The command's own, examples, and what it has in common with others. */
static void print_options(const struct command *command, FILE *out)
{
	const struct opt_group *group = NULL;
	bool has_examples = false;

	for (struct opt_iter it = opt_first(command->groups); it.opt; opt_next(&it)) {
		/* --help, which no command lists, goes on where the last group ends */
		bool untitled = it.group->title && !*it.group->title;
		if (it.group->is_shared && !has_examples) {
			print_examples(command, out);
			has_examples = true;
		}
		if (it.group != group && !(untitled && group))
			fprintf(out, "\n%s:\n",
				it.group->title ? it.group->title : "Options");
		group = it.group;
		print_row(command, it, out);
	}
	if (!has_examples)
		print_examples(command, out);
}

/* "ptool top [options] [STORE|FILE]", without a newline. */
static void help_synopsis(const struct command *command, FILE *out)
{
	fprintf(out, "ptool %s [options]", command->name);
	for (struct opt_iter it = opt_first(command->groups); it.opt; opt_next(&it)) {
		if (!opt_is_operand(it.opt))
			continue;
		fprintf(out, it.opt->required ? " %s" : " [%s", it.opt->arg);
		fputs(it.opt->type == OPT_ARGS ? "..." : "", out);
		fputs(it.opt->required ? "" : "]", out);
	}
}

static void print_exits(const struct command *command, FILE *out)
{
	fputs("\nExit status:\n", out);
	for (const struct command_exit *e = command->exits; e->text; e++) {
		fprintf(out, "  %-*d", EXIT_WIDTH, (int)e->code);
		print_wrapped(e->text, EXIT_WIDTH + 2, EXIT_WIDTH + 2, out);
	}
}

void help_command(const struct command *command, FILE *out)
{
	fputs("usage: ", out);
	help_synopsis(command, out);
	fprintf(out, "\n\n%s.\n", command->summary);
	print_options(command, out);
	print_exits(command, out);
}

void help_overview(FILE *out)
{
	fputs("usage: ptool [STORE|FILE]\n"
	      "       ptool COMMAND [options] [STORE|FILE]\n"
	      "\n"
	      "Answers from traces and profiles of PyTorch and Python programs.\n",
	      out);
	for (size_t i = 0; commands[i]; i++) {
		if (i == 0 || commands[i]->part != commands[i - 1]->part)
			fprintf(out, "\n%s:\n", command_parts[commands[i]->part]);
		fprintf(out, "  %-*s", LABEL_WIDTH / 2, commands[i]->name);
		print_wrapped(commands[i]->question, LABEL_WIDTH / 2 + 2,
			      LABEL_WIDTH / 2 + 2, out);
	}
	fputs("\nSee 'ptool help COMMAND' for details.\n", out);
}

void help_short(FILE *out)
{
	fputs("usage: ptool COMMAND [options] [STORE|FILE]\n"
	      "'ptool help' lists the commands.\n",
	      out);
}
