/* Parsing argv by a table of rows: see opt.h. */
#include "cli/opt.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/units.h"
#include "cli/suggest.h"

/* Every command has it, so no command lists it. */
static const struct opt help_rows[] = {
	{ .name = "help", .help = "show this help", .type = OPT_FLAG, .short_name = 'h' },
	OPT_END
};
static const struct opt_group help_groups[] = { { .title = "", .opts = help_rows },
						OPT_GROUP_END };

struct parser {
	const struct opt_group *groups;
	char **argv;
	int argc, at;
	int noperands; /* operands so far are argv[0..noperands) */
	int nbefore;   /* of them before "--"; -1: it was not met */
	bool lists;    /* OPT_LISTS was given: nothing will be read */
	void *options;
	struct err *err;
};

/* To the first group from here that has rows; behind the last comes --help. */
static void settle(struct opt_iter *it)
{
	while (it->group->opts && !it->opt->name) {
		it->group++;
		it->opt = it->group->opts;
	}
	if (!it->group->opts)
		it->opt = NULL;
}

struct opt_iter opt_first(const struct opt_group *groups)
{
	struct opt_iter it = { groups, groups->opts };

	settle(&it);
	if (!it.opt)
		it = (struct opt_iter){ help_groups, help_rows };
	return it;
}

void opt_next(struct opt_iter *it)
{
	bool was_help = it->opt == help_rows;

	it->opt++;
	settle(it);
	if (!it->opt && !was_help)
		*it = (struct opt_iter){ help_groups, help_rows };
}

bool opt_is_operand(const struct opt *opt)
{
	return opt->type == OPT_ARG || opt->type == OPT_ARGS;
}

bool opt_repeats(const struct opt *opt)
{
	return opt->type == OPT_STRINGS || opt->type == OPT_SEQUENCE;
}

const char *opt_choice(const struct opt *opt, size_t i)
{
	if (opt->choice_at)
		return opt->choice_at(i);
	if (opt->choice_of)
		return opt->choice_of(opt->of, i);
	return opt->choices ? opt->choices[i] : NULL;
}

const char *opt_value(const struct opt *opt, size_t i)
{
	if (opt->value_of)
		return opt->value_of(opt->of, i);
	return opt->value_at ? opt->value_at(i) : opt_choice(opt, i);
}

size_t opt_choice_place(const char *const *choices, const char *word)
{
	size_t i = 0;

	while (choices[i] && strcmp(choices[i], word) != 0)
		i++;
	return i;
}

struct opt_iter opt_find(const struct opt_group *groups, struct str name)
{
	struct opt_iter it;

	for (it = opt_first(groups); it.opt; opt_next(&it))
		if (!opt_is_operand(it.opt) && str_is(name, it.opt->name))
			break;
	return it;
}

static struct opt_iter find_short(const struct opt_group *groups, char name)
{
	struct opt_iter it;

	for (it = opt_first(groups); it.opt; opt_next(&it))
		if (!opt_is_operand(it.opt) && it.opt->short_name == name)
			break;
	return it;
}

static int unknown_option(const struct parser *p, struct str word)
{
	struct arena arena = { 0 };
	size_t n = 0;

	for (struct opt_iter it = opt_first(p->groups); it.opt; opt_next(&it))
		n++;
	const char **names = arena_alloc(&arena, (n + 1) * sizeof(*names));
	n = 0;
	for (struct opt_iter it = opt_first(p->groups); it.opt; opt_next(&it))
		if (!opt_is_operand(it.opt))
			names[n++] = arena_printf(&arena, "--%s", it.opt->name);
	names[n] = NULL;
	suggest_unknown(p->err, "option", arena_copy(&arena, word).p, names);
	arena_release(&arena);
	return OPT_ERROR;
}

static int unknown_choice(const struct parser *p, const struct opt *opt,
			  const char *value)
{
	struct arena arena = { 0 };
	const char *dashes = opt_is_operand(opt) ? "" : "--";
	size_t n = 0;

	while (opt_choice(opt, n))
		n++;
	const char **names = arena_alloc(&arena, (n + 1) * sizeof(*names));
	for (size_t i = 0; i <= n; i++)
		names[i] = opt_choice(opt, i);
	suggest_unknown(p->err, arena_printf(&arena, "%s%s", dashes, opt->name), value,
			names);
	arena_release(&arena);
	return OPT_ERROR;
}

static const char *matching_choice(const struct opt *opt, const char *value)
{
	const char *choice;

	for (size_t i = 0; (choice = opt_choice(opt, i)) != NULL; i++)
		if (strcmp(choice, value) == 0)
			return choice;
	return NULL;
}

static int set_choice(const struct parser *p, const struct opt *opt, const char **member,
		      const char *value)
{
	*member = matching_choice(opt, value);
	return *member ? OPT_PARSED : unknown_choice(p, opt, value);
}

static int set_number(const struct parser *p, const struct opt *opt, int64_t *member,
		      const char *value)
{
	bool is_signed = opt->type == OPT_INT;
	size_t sign = is_signed && value[0] == '-' ? 1 : 0;
	size_t digits = strspn(value + sign, "0123456789");
	char *end;

	errno = 0;
	int64_t number = strtoll(value, &end, 10);
	if (digits == 0 || *end)
		return err_set(p->err, ERR_USAGE, "--%s wants a %snumber, not '%s'",
			       opt->name, is_signed ? "" : "non-negative ", value);
	if (errno == ERANGE)
		return err_set(p->err, ERR_USAGE, "--%s %s is too large", opt->name,
			       value);
	*member = number;
	return OPT_PARSED;
}

/* "a,b:3": both must be choices. */
static int check_list(const struct parser *p, const struct opt *opt, const char *value)
{
	struct arena arena = { 0 };
	int rc = OPT_PARSED;

	for (const char *word = value; rc == OPT_PARSED; word++) {
		size_t n = strcspn(word, ",:");
		const char *name = arena_copy(&arena, (struct str){ word, n }).p;
		if (!matching_choice(opt, name))
			rc = unknown_choice(p, opt, name);
		word += strcspn(word, ",");
		if (!*word)
			break;
	}
	arena_release(&arena);
	return rc;
}

static int add_string(const struct parser *p, const struct opt *opt,
		      struct opt_strings *member, const char *value)
{
	if (member->n == OPT_STRINGS_MAX)
		return err_set(p->err, ERR_USAGE, "--%s is given more than %d times",
			       opt->name, OPT_STRINGS_MAX);
	const char **item = &member->items[member->n++];
	if (opt_choice(opt, 0) && !opt->is_list)
		return set_choice(p, opt, item, value);
	*item = value;
	return opt_choice(opt, 0) ? check_list(p, opt, value) : OPT_PARSED;
}

static int add_to_sequence(const struct parser *p, const struct opt *opt,
			   struct opt_sequence *member, const char *value)
{
	if (member->n == OPT_STRINGS_MAX)
		return err_set(p->err, ERR_USAGE,
			       "--%s: more than %d such options are given", opt->name,
			       OPT_STRINGS_MAX);
	member->items[member->n].opt = opt;
	member->items[member->n++].text = value;
	return OPT_PARSED;
}

static int set_value(const struct parser *p, struct opt_iter it, const char *value)
{
	void *member = (char *)p->options + it.group->offset + it.opt->offset;

	switch (it.opt->type) {
	case OPT_FLAG:
		*(bool *)member = true;
		return OPT_PARSED;
	case OPT_UINT:
	case OPT_INT:
		return set_number(p, it.opt, member, value);
	case OPT_STRING:
		*(const char **)member = value;
		return OPT_PARSED;
	case OPT_CHOICE:
		return set_choice(p, it.opt, member, value);
	case OPT_STRINGS:
		return add_string(p, it.opt, member, value);
	case OPT_SEQUENCE:
		return add_to_sequence(p, it.opt, member, value);
	case OPT_ARG:
		if (opt_choice(it.opt, 0))
			return set_choice(p, it.opt, member, value);
		*(const char **)member = value;
		return OPT_PARSED;
	case OPT_ARGS:
		break;
	}
	return OPT_PARSED;
}

/* The value of an option: behind its '=', or in its word, or the next argument. */
static const char *take_value(struct parser *p, const struct opt *opt,
			      const char *attached)
{
	if (attached)
		return attached;
	if (p->at < p->argc)
		return p->argv[p->at++];
	err_set(p->err, ERR_USAGE, "--%s wants %s", opt->name, opt->arg);
	return NULL;
}

static int take(struct parser *p, struct opt_iter it, const char *attached)
{
	const char *value = take_value(p, it.opt, attached);

	if (!value)
		return OPT_ERROR;
	p->lists |=
		(it.opt->value_at || it.opt->value_of) && strcmp(value, OPT_LISTS) == 0;
	return set_value(p, it, value);
}

static int parse_long(struct parser *p, const char *word)
{
	const char *equals = strchr(word, '=');
	struct str name = str_of(word + 2);

	if (equals)
		name.n = (size_t)(equals - name.p);
	struct opt_iter it = opt_find(p->groups, name);
	if (!it.opt)
		return unknown_option(p, (struct str){ word, name.n + 2 });
	if (it.opt->type == OPT_FLAG && equals)
		return err_set(p->err, ERR_USAGE, "--%s takes no value", it.opt->name);
	if (it.opt == help_rows)
		return OPT_HELP;
	if (it.opt->type == OPT_FLAG)
		return set_value(p, it, NULL);
	return take(p, it, equals ? equals + 1 : NULL);
}

/* "-format csv" is a slip for "--format csv", never "-f -o rmat csv". */
static bool is_long_name(const struct parser *p, const char *letters)
{
	struct str name = { letters, strcspn(letters, "=") };

	return name.n > 1 && opt_find(p->groups, name).opt;
}

static int parse_short(struct parser *p, const char *word)
{
	if (is_long_name(p, word + 1))
		return unknown_option(p, str_of(word));
	for (const char *letter = word + 1; *letter; letter++) {
		struct opt_iter it = find_short(p->groups, *letter);
		if (!it.opt)
			return unknown_option(p, str_of(word));
		if (it.opt == help_rows)
			return OPT_HELP;
		if (it.opt->type == OPT_FLAG) {
			set_value(p, it, NULL);
			continue;
		}
		return take(p, it, letter[1] ? letter + 1 : NULL);
	}
	return OPT_PARSED;
}

/* Does "--" stand between operands here? */
static bool is_divided(const struct opt_group *groups)
{
	for (struct opt_iter it = opt_first(groups); it.opt; opt_next(&it))
		if (it.opt->is_divided)
			return true;
	return false;
}

/*
 * One argument; operands are moved to the front of argv.  "--" before all of them says that
 * no options follow; where it may stand between them, it does so behind the first.
 */
static int parse_word(struct parser *p, bool *only_operands)
{
	char *word = p->argv[p->at++];
	bool divides =
		strcmp(word, "--") == 0 && p->noperands > 0 && is_divided(p->groups);

	if (divides) {
		p->nbefore = p->noperands;
		return OPT_PARSED;
	}
	if (*only_operands || word[0] != '-' || !word[1]) {
		p->argv[p->noperands++] = word;
		return OPT_PARSED;
	}
	if (word[1] != '-')
		return parse_short(p, word);
	if (word[2])
		return parse_long(p, word);
	*only_operands = true;
	return OPT_PARSED;
}

static int set_operands(const struct parser *p)
{
	int used = 0;

	for (struct opt_iter it = opt_first(p->groups); it.opt; opt_next(&it)) {
		if (!opt_is_operand(it.opt))
			continue;
		if (used == p->noperands) {
			if (it.opt->required && !p->lists)
				return err_set(p->err, ERR_USAGE, "%s is missing",
					       it.opt->arg);
			continue;
		}
		if (it.opt->type == OPT_ARG) {
			if (set_value(p, it, p->argv[used++]) < 0)
				return OPT_ERROR;
			continue;
		}
		void *member = (char *)p->options + it.group->offset + it.opt->offset;
		size_t n = (size_t)(p->noperands - used);
		size_t before = p->nbefore > used ? (size_t)(p->nbefore - used) : 0;
		*(struct opt_args *)member =
			(struct opt_args){ p->argv + used, n,
					   p->nbefore < 0 ? n : before };
		used = p->noperands;
	}
	if (used < p->noperands)
		return err_set(p->err, ERR_USAGE, "unexpected operand '%s'",
			       p->argv[used]);
	return OPT_PARSED;
}

enum opt_result opt_parse(const struct opt_group *groups, int argc, char **argv,
			  void *options, struct err *err)
{
	struct parser p = { .groups = groups,
			    .argv = argv,
			    .argc = argc,
			    .nbefore = -1,
			    .options = options,
			    .err = err };
	bool only_operands = false;

	while (p.at < p.argc) {
		int rc = parse_word(&p, &only_operands);
		if (rc != OPT_PARSED)
			return rc == OPT_HELP ? OPT_HELP : OPT_ERROR;
	}
	return set_operands(&p) < 0 ? OPT_ERROR : OPT_PARSED;
}

int opt_memory_limit(const char *text, int64_t *bytes, struct err *err)
{
	*bytes = 0;
	if (!text || (units_parse_bytes(str_of(text), bytes) && *bytes > 0))
		return 0;
	return err_set(err, ERR_USAGE,
		       "--memory-limit wants a size like 512M or 16G, not '%s'", text);
}
