/* Rules on the command line: see rule_options.h. */
#include "cli/rule_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/units.h"
#include "cli/suggest.h"

#define WRAP_WIDTH 78

static int unknown_rule(struct err *err, const char *name)
{
	const char **names = xcalloc(rule_count() + 1, sizeof(*names));

	for (size_t i = 0; rules[i]; i++)
		names[i] = rules[i]->name;
	suggest_unknown(err, "rule", name, names);
	free(names);
	return -1;
}

static int unknown_key(struct err *err, const struct rule *rule, const char *key)
{
	const char *names[RULE_PARAMETERS_MAX + 1] = { NULL };
	char *what;

	if (!rule->parameters[0].name)
		return err_set(err, ERR_USAGE,
			       "the rule '%s' has no parameters, and '%.100s' is given",
			       rule->name, key);
	for (size_t i = 0; rule->parameters[i].name; i++)
		names[i] = rule->parameters[i].name;
	what = xasprintf("parameter of the rule '%s'", rule->name);
	suggest_unknown(err, what, key, names);
	free(what);
	return -1;
}

/* Decimal: strtod() alone takes 0x10, and blanks in front. */
static bool is_decimal(const char *text)
{
	return *text && !text[strspn(text, "0123456789.eE+-")];
}

/* "KEY=VALUE", which is cut at '='. */
static int set_parameter(struct rule_choice *choice, char *text, struct err *err)
{
	char *value = strchr(text, '='), *end;

	if (value)
		*value++ = '\0';
	size_t at = rule_parameter_find(choice->rule, text, strlen(text));
	if (at == RULE_PARAMETERS_MAX)
		return unknown_key(err, choice->rule, text);
	double number = value ? strtod(value, &end) : -1;
	if (!value || !is_decimal(value) || *end || !isfinite(number) || number < 0)
		return err_set(err, ERR_USAGE,
			       "--rule %s wants %s=NUMBER, 0 or more, not '%.100s'",
			       choice->rule->name, text, value ? value : text);
	choice->values[at] = number;
	return 0;
}

/* `text` is ours to cut. */
static int parse_one(char *text, struct rule_choice *all, bool *is_named, struct err *err)
{
	char *rest = strchr(text, ':');

	if (rest)
		*rest++ = '\0';
	const struct rule *rule = rule_find(text);
	if (!rule)
		return unknown_rule(err, text);
	struct rule_choice *choice = &all[rule_place(rule)];
	is_named[rule_place(rule)] = true;
	if (rest && !*rest)
		return err_set(err, ERR_USAGE, "--rule %s: wants KEY=NUMBER after ':'",
			       rule->name);
	while (rest) {
		char *part = rest;
		rest = strchr(part, ',');
		if (rest)
			*rest++ = '\0';
		if (set_parameter(choice, part, err) < 0)
			return -1;
	}
	return 0;
}

int rule_options_parse(const struct opt_strings *texts, struct rule_choice *out,
		       size_t *n, struct err *err)
{
	bool *is_named = xcalloc(rule_count(), sizeof(*is_named));
	int rc = 0;

	for (size_t i = 0; rules[i]; i++)
		out[i] = rule_choice_of(rules[i]);
	for (size_t i = 0; rc == 0 && i < texts->n; i++) {
		char *text = xstrdup(texts->items[i]);
		rc = parse_one(text, out, is_named, err);
		free(text);
	}
	*n = 0;
	for (size_t i = 0; i < rule_count(); i++)
		if (texts->n == 0 || is_named[i])
			out[(*n)++] = out[i];
	free(is_named);
	return rc;
}

/* Words in lines of at most WRAP_WIDTH cells, behind `indent` blanks. */
static void print_wrapped(FILE *out, int indent, const char *text)
{
	int column = 0;

	while (*text) {
		int n = (int)strcspn(text, " ");
		if (column && column + 1 + n > WRAP_WIDTH) {
			putc('\n', out);
			column = 0;
		}
		column += column ? fprintf(out, " %.*s", n, text)
				 : fprintf(out, "%*s%.*s", indent, "", n, text);
		text += n + (text[n] == ' ');
	}
	putc('\n', out);
}

static void print_parameter(FILE *out, const struct rule_parameter *p)
{
	char number[UNITS_TEXT_MAX];
	struct str value = units_shortest(p->value, number);
	char *text = xasprintf("%s=%.*s: %s", p->name, (int)value.n, value.p, p->help);

	print_wrapped(out, 8, text);
	free(text);
}

void rule_options_help(FILE *out)
{
	fputs("The rules of 'ptool advise', for --rule NAME[:KEY=VALUE,...]\n", out);
	for (size_t i = 0; rules[i]; i++) {
		fprintf(out, "\n%s\n", rules[i]->name);
		print_wrapped(out, 4, rules[i]->looks);
		char *source = xasprintf("Threshold: %s", rules[i]->source);
		print_wrapped(out, 4, source);
		free(source);
		for (size_t k = 0; rules[i]->parameters[k].name; k++)
			print_parameter(out, &rules[i]->parameters[k]);
	}
}
