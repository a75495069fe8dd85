/* What reading commands do alike: see reading.h. */
#include "cli/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/shell_word.h"
#include "base/table.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "query/filter_nothing.h"
#include "query/findings.h"
#include "store/need.h"

/*
 * Hints that name a command line, "'ptool modules' shows ...": with the operand, --run, --rank
 * and --profile that the user gave, so that they run as they are written.
 */

#define OPENS       "'ptool "
#define COMMAND_MAX 32 /* bytes of its name */

struct arguments {
	const char *operand;            /* NULL: the default store */
	const struct scope_opts *scope; /* NULL: its options are left out */
};

/*
 * Does it need another operand?  Capitals at the end are a word for what the user has to
 * choose, "ingest FILE", and ranks are other files.
 */
static bool needs_another(struct str line)
{
	size_t at = line.n;

	while (at > 0 && line.p[at - 1] != ' ')
		at--;
	return (at < line.n && line.p[at] >= 'A' && line.p[at] <= 'Z') ||
	       str_starts_with(line, STR_LIT("help")) ||
	       str_starts_with(line, STR_LIT("ingest")) ||
	       str_contains(line, STR_LIT("--ranks"));
}

/* Of the plan; an operand that a shell would take apart is FILE. */
static struct arguments arguments_of(const struct reading_plan *plan,
				     const struct scope_opts *scope)
{
	return (struct arguments){ plan->operand ? shell_word_or(plan->operand, "FILE")
						 : NULL,
				   scope };
}

/* Is there anything to add, and can a further command read it? */
static bool can_be_shown(struct arguments a)
{
	if (a.operand)
		return strcmp(a.operand, "-") != 0;
	return a.scope && (a.scope->run || a.scope->rank || a.scope->profile);
}

/* Those given that the line's command takes, and that are not in the line. */
static void add_scope(const struct scope_opts *scope, struct str line, struct buf *out)
{
	char name[COMMAND_MAX], option[COMMAND_MAX];
	bool names_rank = str_contains(line, STR_LIT("--rank"));

	snprintf(name, sizeof(name), STR_FMT, STR_ARG(line));
	name[strcspn(name, " ")] = '\0';
	const struct command *command = command_find(name);
	for (const struct opt *row = scope_options; command && row->name; row++) {
		const char *value =
			*(const char *const *)((const char *)scope + row->offset);
		snprintf(option, sizeof(option), "--%s", row->name);
		/* the profile given is of another rank, or says no more */
		if (names_rank && strcmp(row->name, "profile") == 0)
			continue;
		if (value && !str_contains(line, str_of(option)) &&
		    opt_find(command->groups, str_of(row->name)).opt)
			buf_addf(out, " %s %s", option, shell_word_or(value, "NAME"));
	}
}

static void complete(const char *text, struct arguments a, struct buf *out)
{
	const char *open, *close;

	while ((open = strstr(text, OPENS)) && (close = strchr(open + 1, '\''))) {
		const char *begin = open + strlen(OPENS);
		struct str line = { begin, (size_t)(close - begin) };
		bool is_whole = needs_another(line);
		buf_add(out, text, (size_t)(close - text));
		if (!is_whole && a.scope)
			add_scope(a.scope, line, out);
		if (!is_whole && a.operand)
			buf_addf(out, " %s", a.operand);
		text = close;
		if (*text == '\'')
			buf_add_char(out, *text++);
	}
	buf_add_text(out, text);
}

static const char *completed(const char *text, struct arguments a, struct arena *arena)
{
	struct buf out;

	if (!text || !strstr(text, OPENS))
		return text;
	buf_init(&out, SIZE_MAX);
	complete(text, a, &out);
	text = arena_copy(arena, buf_str(&out)).p;
	buf_release(&out);
	return text;
}

static const char *const *all_completed(const char *const *lines, struct arguments a,
					struct arena *arena)
{
	size_t n = 0;

	if (!lines)
		return NULL;
	while (lines[n])
		n++;
	const char **copies = arena_alloc(arena, (n + 1) * sizeof(*copies));
	for (size_t i = 0; i < n; i++)
		copies[i] = completed(lines[i], a, arena);
	copies[n] = NULL;
	return copies;
}

/* A table that hands on another's rows, and its words with their hints completed. */
struct hinted {
	struct table table;
	struct table *from; /* owned */
	struct arguments arguments;
	struct arena arena;
};

/* What `from` says by now; some know it only after their last row. */
static void take_words(struct hinted *h)
{
	struct table *t = &h->table, *more = t->more;
	int (*next)(struct table *, struct cell *, struct err *) = t->next;
	void (*release)(struct table *) = t->free; /* its own, as is more */

	*t = *h->from;
	t->next = next;
	t->free = release;
	t->more = more;
	t->caption = completed(t->caption, h->arguments, &h->arena);
	t->empty = completed(t->empty, h->arguments, &h->arena);
	t->under = all_completed(t->under, h->arguments, &h->arena);
	t->notes = all_completed(t->notes, h->arguments, &h->arena);
}

static int hinted_next(struct table *t, struct cell *cells, struct err *err)
{
	struct hinted *h = (struct hinted *)t;
	int rc = h->from->next(h->from, cells, err);

	if (rc <= 0)
		take_words(h);
	return rc;
}

static void hinted_free(struct table *t)
{
	struct hinted *h = (struct hinted *)t;

	table_free(h->from);
	arena_release(&h->arena);
	free(h);
}

/*
 * A table of the same rows whose words, and those of the tables after it, have the arguments
 * in such command lines; owns `t`, or is it.  Not where one wants another operand.
 */
static struct table *hints_complete(struct table *t, struct arguments arguments)
{
	if (!t || !can_be_shown(arguments))
		return t;
	struct hinted *h = xcalloc(1, sizeof(*h));
	h->from = t;
	h->arguments = arguments;
	h->table.more = hints_complete(t->more, arguments);
	t->more = NULL;
	h->table.next = hinted_next;
	h->table.free = hinted_free;
	take_words(h);
	return &h->table;
}

/* The same for a message. */
static void hints_complete_error(struct err *err, struct arguments arguments)
{
	struct arena arena = { 0 };

	if (can_be_shown(arguments))
		snprintf(err->text, sizeof(err->text), "%s",
			 completed(arena_strdup(&arena, err->text), arguments, &arena));
	arena_release(&arena);
}

/* clang-format off */
const struct opt reading_operand[] = {
	{ .name = "store", .arg = "STORE|FILE", .help = "what to read (default: $PTOOL_STORE or ./ptool.db)",
	  .type = OPT_ARG },
	OPT_END
};
/* clang-format on */

bool reading_is_for_people(const struct output_opts *o)
{
	struct err err = ERR_INIT;
	const struct renderer *renderer = output_renderer(o, &err);

	return renderer && renderer->is_for_people;
}

static bool is_given(const struct reading_plan *plan)
{
	const struct scope_opts *scope = plan->scope;

	return (plan->filter && filter_is_given(plan->filter)) ||
	       (scope && (scope->run || scope->rank || scope->profile));
}

/* What it means that nothing is there. */
static const char *empty_status(const struct reading_plan *plan)
{
	return is_given(plan) ? "nothing_matched" : "not_recorded";
}

/* taker: NULL for the plan's output, which *is_drawn says has the table. */
static int draw(const struct reading_plan *plan, const struct reading *r,
		const struct reading_taker *taker, bool *is_drawn, struct err *err)
{
	struct table *table = NULL;

	if (plan->open(r, plan->request, &table, err) < 0)
		return -1;
	if (plan->nothing) {
		table->empty = table->empty ? table->empty : ""; /* the message says it */
		table->status = empty_status(plan);
	}
	table = hints_complete(table, arguments_of(plan, plan->scope));
	int rc = taker ? taker->take(taker, table, err)
		       : output_table(plan->command, table, plan->output, err);
	*is_drawn = true;
	if (rc == 0 && table->total_rows == 0 && plan->nothing)
		rc = plan->lacks && !filter_is_given(plan->filter)
			     ? filter_lacks(r->scope, plan->lacks, err)
			     : err_set(err, ERR_EMPTY, "%s", plan->nothing);
	table_free(table);
	return rc;
}

/* Device work stands behind the rest in traces alone. */
static const char *usually_missing(const struct scope *scope)
{
	for (size_t i = 0; i < scope->n; i++)
		if (strcmp(scope->profiles[i].format, "pytorch") != 0)
			return "";
	return ", often all device work";
}

static int read_operand(const struct reading_plan *plan, const struct operand *operand,
			const struct reading_taker *taker, bool *is_drawn,
			struct err *err)
{
	struct scope scope;
	int rc =
		plan->all_runs
			? scope_options_load_all(operand->store, plan->scope, &scope, err)
			: scope_options_load(operand->store, plan->scope, &scope, err);

	if (rc < 0) {
		/* options that name nothing here lead nowhere */
		hints_complete_error(err, arguments_of(plan, NULL));
		return -1;
	}
	struct reading reading = { .store = operand->store,
				   .path = operand->path,
				   .scope = &scope,
				   .for_people = reading_is_for_people(plan->output),
				   .options = plan->options };
	if (!taker && operand->is_raw &&
	    findings_have(operand->store, &scope, FINDING_TRUNCATED))
		message_note(
			plan->command, operand->path,
			"the file is cut off, and what came after is missing%s: copy "
			"or record it again",
			usually_missing(&scope));
	if (plan->filter)
		rc = filter_find_steps(plan->filter, operand->store, &scope, err);
	if (rc == 0) {
		rc = draw(plan, &reading, taker, is_drawn, err);
		if (rc < 0 && err->kind == ERR_EMPTY && plan->filter &&
		    !store_missed_slices(operand->store))
			filter_explain(operand->store, &scope, plan->filter, err);
	}
	if (rc < 0)
		hints_complete_error(err, arguments_of(plan, plan->scope));
	scope_release(&scope);
	return rc;
}

int reading_take(const struct reading_plan *plan, const struct reading_taker *taker,
		 struct err *err)
{
	bool is_drawn;

	if (scope_options_check(plan->scope, err) < 0 ||
	    read_operand(plan, taker->operand, taker, &is_drawn, err) < 0) {
		operand_explain(taker->operand, err);
		return -1;
	}
	return 0;
}

/* Wishes for more where the question came to read what it needs only now and then. */
static bool widen(struct operand_wish *wish, const struct operand *operand)
{
	static const struct fetch_need everything;

	wish->is_again = true;
	if (operand_missed_slices(operand) && !wish->wants_slices) {
		wish->wants_slices = true;
		return true;
	}
	if (!store_missed_others(operand->store) || wish->need == &everything)
		return false;
	wish->need = &everything;
	return true;
}

/*
 * Opens it, and reads it: again with all tables, or with slices, where they are read.  -1: there is nothing to close when the store is NULL.
 */
static int open_and_read(const struct reading_plan *plan, struct operand *operand,
			 bool *is_drawn, struct err *err)
{
	struct operand_wish wish = { .command = plan->command,
				     .path = plan->operand,
				     .is_quiet = plan->output->quiet,
				     .scope = plan->scope,
				     .all_runs = plan->all_runs,
				     .need = plan->need };

	for (;;) {
		*operand = (struct operand){ .store = NULL };
		if (operand_open_for(&wish, operand, err) < 0)
			return -1;
		int rc = read_operand(plan, operand, NULL, is_drawn, err);
		if (*is_drawn || !widen(&wish, operand))
			return rc;
		operand_close(operand);
		*err = (struct err)ERR_INIT;
	}
}

int reading_run(const struct reading_plan *plan)
{
	struct err err = ERR_INIT;
	struct operand operand;

	/* before a raw file is ingested for nothing */
	if (scope_options_check(plan->scope, &err) < 0 ||
	    !output_renderer(plan->output, &err) || output_check(plan->output, &err) < 0)
		return message_error(plan->command, NULL, &err);
	int code = EXIT_OK;
	bool is_drawn = false;
	int rc = open_and_read(plan, &operand, &is_drawn, &err);
	if (rc < 0 && !operand.store)
		return message_error(plan->command, operand_name(plan->operand), &err);
	if (rc < 0) {
		struct err ignored = ERR_INIT;
		operand_explain(&operand, &err);
		if (err.kind == ERR_EMPTY && !is_drawn)
			output_nothing(plan->command, empty_status(plan), err.text,
				       plan->output, &ignored);
		code = message_error_reading(plan->command, operand.path, &err);
	}
	operand_close(&operand);
	return code;
}
