/* mdoc from the tables: see mdoc.h; the language is that of mdoc(7). */
#include "cli/mdoc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/units.h"
#include "query/advise/rules.h"
#include "query/view.h"

#define DEFAULT_MAX ((size_t)4096)
#define LINE_WIDTH  86

/* roff reads '\' as an escape, and a leading '.' or ''' as a request. */
static void print_text(const char *text, FILE *out)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", out);
		else
			fputc(*text, out);
	}
}

static void print_sentence(const char *text, FILE *out)
{
	if (isalpha((unsigned char)*text)) {
		fputc(toupper((unsigned char)*text), out);
		text++;
	}
	print_text(text, out);
	fputs(".\n", out);
}

static void print_synopsis(const struct command *command, FILE *out)
{
	fprintf(out, ".Sh SYNOPSIS\n.Nm ptool %s\n.Op Ar options\n", command->name);
	for (struct opt_iter it = opt_first(command->groups); it.opt; opt_next(&it)) {
		if (!opt_is_operand(it.opt))
			continue;
		fputs(it.opt->required ? ".Ar " : ".Op Ar ", out);
		print_text(it.opt->arg, out);
		fputs(it.opt->type == OPT_ARGS ? " ...\n" : "\n", out);
	}
}

static void print_item(const struct opt *opt, FILE *out)
{
	fputs(".It ", out);
	if (opt_is_operand(opt)) {
		fputs("Ar ", out);
		print_text(opt->arg, out);
	} else {
		if (opt->short_name)
			fprintf(out, "Fl %c , ", opt->short_name);
		fprintf(out, "Fl -%s", opt->name);
		if (opt->type != OPT_FLAG) {
			fputs(" Ar ", out);
			print_text(opt->arg, out);
		}
	}
	fputc('\n', out);
	print_sentence(opt->help, out);
}

static void print_choices(const struct opt *opt, FILE *out)
{
	const char *choice;

	if (!opt_choice(opt, 0))
		return;
	fputs(opt->is_list ? "Any of\n" : "One of\n", out);
	for (size_t i = 0; (choice = opt_choice(opt, i)) != NULL; i++) {
		fputs(".Cm ", out);
		print_text(choice, out);
		fputs(opt_choice(opt, i + 1) ? " ,\n" : " .\n", out);
	}
}

static void print_default(const struct command *command, struct opt_iter it, FILE *out)
{
	struct buf value;

	buf_init(&value, DEFAULT_MAX);
	command_default(command, it, &value);
	if (value.n > 0) {
		fputs("The default is\n.Cm ", out);
		print_text(value.p, out);
		fputs(" .\n", out);
	}
	buf_release(&value);
}

static void print_exits(const struct command *command, FILE *out)
{
	fputs(".Sh EXIT STATUS\n.Bl -tag -width Ds\n", out);
	for (const struct command_exit *e = command->exits; e->text; e++) {
		fprintf(out, ".It %d\n", (int)e->code);
		print_sentence(e->text, out);
	}
	fputs(".El\n", out);
}

static void print_keys(const struct view *view, FILE *out)
{
	bool is_first = true;

	for (const struct field *f = view->fields; f->name; f++) {
		if (!(f->flags & FIELD_SORT))
			continue;
		fputs(is_first ? "Further keys of\n.Fl -sort\nare\n" : ",\n", out);
		fprintf(out, ".Cm %s\n(%s)", f->name, f->help);
		is_first = false;
	}
	if (!is_first)
		fputs(".\n", out);
}

static void print_columns(const struct view *view, FILE *out)
{
	fputs(".Bl -tag -width Ds -compact\n", out);
	for (const struct field *f = view->fields; f->name; f++) {
		if (f->flags & (FIELD_PEOPLE | FIELD_SORT))
			continue;
		fprintf(out, ".It Va %s%s\n", f->name,
			f->flags & FIELD_AMOUNT ? "_ns" : "");
		print_sentence(f->help, out);
	}
	fputs(".El\n", out);
	print_keys(view, out);
}

/* One of several tables is headed by how one asks for it. */
static void print_views(const struct view *const *views, FILE *out)
{
	fputs(".Sh COLUMNS\n", out);
	for (size_t i = 0; views[i]; i++) {
		if (views[1])
			fprintf(out, "%sOf\n.Li ptool %s :\n", i ? ".Pp\n" : "",
				views[i]->name);
		print_columns(views[i], out);
	}
}

void mdoc_command(const struct command *command, FILE *out)
{
	print_synopsis(command, out);
	fputs(".Sh OPTIONS\n.Bl -tag -width Ds\n", out);
	for (struct opt_iter it = opt_first(command->groups); it.opt; opt_next(&it)) {
		print_item(it.opt, out);
		print_choices(it.opt, out);
		if (opt_repeats(it.opt))
			fputs("May be repeated.\n", out);
		print_default(command, it, out);
	}
	fputs(".El\n", out);
	if (command->views)
		print_views(command->views, out);
	print_exits(command, out);
}

/* Sentences, each on lines of its own. */
static void print_prose(const char *text, FILE *out)
{
	size_t column = 0;

	while (*text) {
		size_t n = strcspn(text, " ");
		bool ends =
			text[n - 1] == '.' && isupper((unsigned char)text[n + !!text[n]]);
		if (column && column + 1 + n > LINE_WIDTH) {
			fputc('\n', out);
			column = 0;
		}
		column += (size_t)fprintf(out, "%s%.*s", column ? " " : "", (int)n, text);
		text += n + (text[n] == ' ');
		if (ends || !*text) {
			fputc('\n', out);
			column = 0;
		}
	}
}

static void print_parameters(const struct rule *rule, FILE *out)
{
	char number[UNITS_TEXT_MAX];

	if (!rule->parameters[0].name)
		return;
	fputs(".Bl -tag -width Ds\n", out);
	for (const struct rule_parameter *p = rule->parameters; p->name; p++) {
		struct str value = units_shortest(p->value, number);
		fprintf(out, ".It Cm %s=" STR_FMT "\n", p->name, STR_ARG(value));
		print_sentence(p->help, out);
	}
	fputs(".El\n", out);
}

void mdoc_rules(FILE *out)
{
	fputs(".Sh RULES\n.Bl -tag -width Ds\n", out);
	for (size_t i = 0; rules[i]; i++) {
		fprintf(out, ".It Cm %s\n", rules[i]->name);
		print_prose(rules[i]->looks, out);
		char *source = xasprintf("Threshold: %s", rules[i]->source);
		fputs(".Pp\n", out);
		print_prose(source, out);
		free(source);
		print_parameters(rules[i], out);
	}
	fputs(".El\n", out);
}
