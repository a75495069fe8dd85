/* ptool.budget: see gate_budget.h. */
#include "cli/gate_budget.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/buf.h"
#include "cli/output.h"
#include "cli/suggest.h"
#include "cli/table_command.h"
#include "remote/url.h"

#define FILE_MAX (1 << 20)

#define TOLERANCE_PCT 2

static int set_view(struct budgets *b, struct budget *to, const char *value,
		    struct err *err)
{
	(void)b, (void)value, (void)err;
	return to->view ? 0 : -1; /* it was read before all others */
}

static int set_column(struct budgets *b, struct budget *to, const char *value,
		      struct err *err)
{
	(void)err;
	to->column = value;
	to->column_line = b->line;
	return 0;
}

static int set_stat(struct budgets *b, struct budget *to, const char *value,
		    struct err *err)
{
	const char *names[32] = { "each" };
	size_t n = 1;

	(void)b;
	to->stat = NULL;
	if (strcmp(value, "each") == 0)
		return 0;
	for (const struct gate_stat *s = gate_stats; s->name; s++) {
		names[n++] = s->name;
		if (strcmp(s->name, value) == 0)
			to->stat = s;
	}
	return to->stat ? 0 : suggest_unknown(err, "stat", value, names);
}

static int set_max(struct budgets *b, struct budget *to, const char *value,
		   struct err *err)
{
	to->max.line = b->line;
	return budget_read_amount(value, &to->max, err);
}

static int set_min(struct budgets *b, struct budget *to, const char *value,
		   struct err *err)
{
	to->min.line = b->line;
	return budget_read_amount(value, &to->min, err);
}

static int set_against(struct budgets *b, struct budget *to, const char *value,
		       struct err *err)
{
	(void)b;
	to->against = value;
	/* who writes budgets must not learn the password of who runs the gate */
	return url_is(value)
		       ? err_set(err, ERR_USAGE,
				 "a budget names no server: fetch the run by 'ptool pull' "
				 "and name that store")
		       : 0;
}

static int set_tolerance(struct budgets *b, struct budget *to, const char *value,
			 struct err *err)
{
	(void)b;
	return budget_read_tolerance(value, &to->tolerance, &to->is_in_noise, err);
}

static int set_better(struct budgets *b, struct budget *to, const char *value,
		      struct err *err)
{
	static const char *const ways[] = { "lower", "higher", NULL };
	size_t way = opt_choice_place(ways, value);

	(void)b;
	to->higher_is_better = way == 1;
	return way < 2 ? 0 : suggest_unknown(err, "better", value, ways);
}

static int set_reason(struct budgets *b, struct budget *to, const char *value,
		      struct err *err)
{
	return budget_read_reason(value, &b->ini.arena, to, err);
}

/* A budget's own keys; all others are options of its view. */
static const struct budget_key {
	const char *name;
	int (*set)(struct budgets *b, struct budget *to, const char *value,
		   struct err *err);
} keys[] = {
	{ "view", set_view },
	{ "column", set_column },
	{ "stat", set_stat },
	{ "max", set_max },
	{ "min", set_min },
	{ "against", set_against },
	{ "tolerance", set_tolerance },
	{ "better", set_better },
	{ "acknowledge", set_reason },
};

#define NKEYS (sizeof(keys) / sizeof(*keys))

#define NAMES_MAX 96

static const struct budget_key *find_key(const char *name)
{
	for (size_t i = 0; i < NKEYS; i++)
		if (strcmp(keys[i].name, name) == 0)
			return &keys[i];
	return NULL;
}

/* Also where the command has a --format of its own. */
static bool is_of_output(const char *name)
{
	const struct opt *o = output_options;

	while (o->name && strcmp(o->name, name) != 0)
		o++;
	return o->name != NULL;
}

/* May a budget set it?  Not where output goes, or which run is read. */
static bool is_settable(const struct opt_iter *it)
{
	return !is_of_output(it->opt->name) && !opt_is_operand(it->opt) &&
	       strcmp(it->opt->name, "help") != 0 && strcmp(it->opt->name, "run") != 0;
}

static const struct opt *find_option(const struct command *view, const char *name)
{
	for (struct opt_iter it = opt_first(view->groups); it.opt; opt_next(&it))
		if (is_settable(&it) && strcmp(it.opt->name, name) == 0)
			return it.opt;
	return NULL;
}

static int unknown_key(const struct command *view, const char *name, struct err *err)
{
	const char *names[NAMES_MAX + 1];
	size_t n = 0;

	for (size_t i = 0; i < NKEYS; i++)
		names[n++] = keys[i].name;
	for (struct opt_iter it = opt_first(view->groups); it.opt && n < NAMES_MAX;
	     opt_next(&it))
		if (is_settable(&it))
			names[n++] = it.opt->name;
	names[n] = NULL;
	return suggest_unknown(err, "key", name, names);
}

static void add_word(struct budget *b, char *word)
{
	b->options = xrealloc_array(b->options, (size_t)b->noptions + 1, sizeof(word));
	b->options[b->noptions++] = word;
}

static int set_flag(struct budgets *all, struct budget *b, const struct ini_entry *e,
		    struct err *err)
{
	static const char *const words[] = { "yes", "no", NULL };
	size_t word = opt_choice_place(words, e->value);

	if (word == 0)
		add_word(b, arena_printf(&all->ini.arena, "--%s", e->key));
	return word < 2 ? 0 : suggest_unknown(err, e->key, e->value, words);
}

static int set_option(struct budgets *all, struct budget *b, const struct ini_entry *e,
		      struct err *err)
{
	const struct opt *opt = find_option(b->view, e->key);

	if (!opt)
		return unknown_key(b->view, e->key, err);
	if (strcmp(e->key, "rank") == 0)
		b->rank = e->value;
	else if (strcmp(e->key, "profile") == 0)
		b->profile = e->value;
	if (opt->type == OPT_FLAG)
		return set_flag(all, b, e, err);
	add_word(b, arena_printf(&all->ini.arena, "--%s=%s", e->key, e->value));
	return 0;
}

static int find_view(struct budgets *all, struct budget *b, const struct ini_section *s,
		     struct err *err)
{
	const char *names[NAMES_MAX + 1];
	size_t n = 0;
	const struct ini_entry *entry = NULL;

	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->entries[i].key, "view") == 0)
			entry = &s->entries[i];
	if (!entry)
		return err_set(err, ERR_USAGE, "[%s] has no view; write view = steps",
			       s->name);
	all->line = entry->line;
	for (size_t i = 0; commands[i] && n < NAMES_MAX; i++)
		if (commands[i]->table)
			names[n++] = commands[i]->name;
	names[n] = NULL;
	if (names[opt_choice_place(names, entry->value)])
		b->view = command_find(entry->value);
	return b->view ? 0 : suggest_unknown(err, "view", entry->value, names);
}

/* Is it this column's name, "total_ns", or that of an amount without its unit? */
static bool is_column(const struct field *f, const char *name)
{
	size_t n = strlen(f->name);

	if (f->flags & (FIELD_PEOPLE | FIELD_SORT))
		return false;
	return strcmp(f->name, name) == 0 ||
	       ((f->flags & FIELD_AMOUNT) && strncmp(f->name, name, n) == 0 &&
		name[n] == '_');
}

static bool is_among(const char *const *names, size_t n, const char *name)
{
	size_t i = 0;

	while (i < n && strcmp(names[i], name) != 0)
		i++;
	return i < n;
}

/* One that no view of the command can ever have. */
static int check_column(const struct budget *b, struct err *err)
{
	struct arena arena = { 0 };
	const char **names = arena_alloc(&arena, sizeof(*names) * (NAMES_MAX + 1));
	size_t n = 0;

	for (const struct view *const *v = b->view->views; v && *v; v++) {
		for (const struct field *f = (*v)->fields; f->name; f++) {
			if (is_column(f, b->column)) {
				arena_release(&arena);
				return 0;
			}
			const char *name =
				f->flags & FIELD_AMOUNT
					? arena_printf(&arena, "%s_ns", f->name)
					: f->name;
			bool is_number = f->unit != UNIT_TEXT && n < NAMES_MAX &&
					 !(f->flags & (FIELD_PEOPLE | FIELD_SORT));
			if (is_number && !is_among(names, n, name))
				names[n++] = name;
		}
	}
	names[n] = NULL;
	int rc = n ? suggest_unknown(err, "column", b->column, names) : 0;
	arena_release(&arena);
	return rc;
}

static int check_budget(struct budgets *all, struct budget *b, struct err *err)
{
	bool has_count = b->stat && b->stat->least == 0;

	all->line = b->line;
	if (!b->column && !has_count)
		return err_set(err, ERR_USAGE,
			       "[%s] has no column; write column = total_ns", b->name);
	if (!b->against + !b->max.line + !b->min.line != 2)
		return err_set(err, ERR_USAGE, "[%s] wants one of max, min and against",
			       b->name);
	if (!b->stat && !b->against)
		return err_set(err, ERR_USAGE,
			       "[%s]: stat = each wants against; for a limit of each row "
			       "write stat = max",
			       b->name);
	all->line = b->column ? b->column_line : 0;
	return b->column ? check_column(b, err) : 0;
}

/* What the view's own command says of its options; they are parsed again for each run. */
static int check_options(struct budgets *all, const struct budget *b, struct err *err)
{
	struct table_opts *options = xcalloc(1, b->view->options_size);
	char **words = xrealloc_array(NULL, (size_t)b->noptions + 1, sizeof(*words));
	struct filter filter = { .focus = NULL };

	memcpy(options, b->view->defaults, b->view->options_size);
	for (int i = 0; i < b->noptions; i++)
		words[i] = b->options[i];
	words[b->noptions] = NULL;
	all->line = b->line;
	int rc =
		opt_parse(b->view->groups, b->noptions, words, options, err) == OPT_PARSED
			? filter_options_compile(&options->filter, &filter, err)
			: -1;
	filter_release(&filter);
	free(words);
	free(options);
	return rc;
}

static int read_section(struct budgets *all, const struct ini_section *s, struct err *err)
{
	struct budget *b = ARRAY_PUSH(all->items, all->n, all->cap);
	unsigned seen = 0;

	*b = (struct budget){ .name = s->name,
			      .line = s->line,
			      .stat = &gate_stats[0],
			      .tolerance = TOLERANCE_PCT };
	all->line = s->line;
	if (find_view(all, b, s, err) < 0)
		return -1;
	add_word(b, arena_strdup(&all->ini.arena, "--format=json"));
	if (find_option(b->view, "limit"))
		add_word(b, arena_strdup(&all->ini.arena, "--limit=0"));
	for (size_t i = 0; i < s->n; i++) {
		const struct ini_entry *e = &s->entries[i];
		const struct budget_key *key = find_key(e->key);
		all->line = e->line;
		if (key && seen & 1U << (key - keys))
			return err_set(err, ERR_USAGE, "'%s' is given twice", e->key);
		seen |= key ? 1U << (key - keys) : 0;
		if ((key ? key->set(all, b, e->value, err) : set_option(all, b, e, err)) <
		    0)
			return -1;
	}
	if (b->min.line)
		b->higher_is_better = true;
	return check_budget(all, b, err) < 0 ? -1 : check_options(all, b, err);
}

static int read_file(const char *path, struct buf *to, struct err *err)
{
	char bytes[4096];
	size_t n;
	FILE *file = fopen(path, "rbe");

	if (!file)
		return errno == ENOENT
			       ? err_set(err, ERR_INPUT,
					 "there is no such file; 'ptool help gate' shows "
					 "what to write into it")
			       : err_errno(err, "cannot be read");
	while ((n = fread(bytes, 1, sizeof(bytes), file)) > 0 && buf_add(to, bytes, n))
		continue;
	int rc = ferror(file) ? err_errno(err, "cannot be read")
		 : n > 0      ? err_set(err, ERR_INPUT, "is too large for a budget")
			      : 0;
	fclose(file);
	return rc;
}

int budgets_read(const char *path, struct budgets *out, struct err *err)
{
	struct buf text;

	*out = (struct budgets){ .n = 0 };
	buf_init(&text, FILE_MAX);
	int rc = read_file(path, &text, err);
	if (rc == 0)
		rc = ini_read(buf_str(&text), &out->ini, &out->line, err);
	buf_release(&text);
	for (size_t i = 0; rc == 0 && i < out->ini.n; i++)
		rc = read_section(out, &out->ini.sections[i], err);
	if (rc == 0)
		out->line = 0;
	if (rc == 0 && out->n == 0)
		rc = err_set(err, ERR_USAGE, "it holds no budget; write a [SECTION]");
	return rc;
}

void budgets_release(struct budgets *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->items[i].options);
	free(b->items);
	ini_release(&b->ini);
	*b = (struct budgets){ .n = 0 };
}
