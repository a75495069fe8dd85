/* ptool view: a browser of all tables in the terminal. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/memtable.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "cli/reading.h"
#include "cli/scope_options.h"
#include "cli/table_command.h"
#include "cli/terminal.h"
#include "query/recorded.h"
#include "query/short_name.h"
#include "screen/screen.h"

#define PICTURE_MAX ((size_t)16 * 1024 * 1024)

struct view_command_opts {
	const char *operand, *color;
	bool quiet;
	struct scope_opts scope;
};

#define INTO(type, member) OPT_INTO(type, struct view_command_opts, member)

/* clang-format off */
static const struct opt view_command_options[] = {
	{ .name = "color", .arg = "WHEN", .help = "use colour",
	  .choices = terminal_color_choices, INTO(CHOICE, color) },
	{ .name = "quiet", .help = "do not report what was read into the cache",
	  INTO(FLAG, quiet), .short_name = 'q' },
	OPT_END
};

static const struct opt_group view_groups[] = {
	OPERAND_GROUP(struct view_command_opts, operand),
	{ .opts = view_command_options },
	SCOPE_GROUP(struct view_command_opts, scope),
	OPT_GROUP_END
};
/* clang-format on */

static const struct view_command_opts defaults = { .color = "auto" };

/* The answers to the screen's questions. */
struct answers {
	struct screen_source source;
	const struct operand *operand; /* borrowed */
};

struct taker {
	struct reading_taker taker;
	int (*take)(void *to, struct table *t, struct err *err);
	void *to;
};

static int take(const struct reading_taker *taker, struct table *t, struct err *err)
{
	const struct taker *to = (const struct taker *)taker;

	return to->take(to->to, t, err);
}

/* All that was written into a file. */
static void read_back(int fd, struct buf *out)
{
	char bytes[4096];
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		buf_add(out, bytes, (size_t)n);
}

/* Lines that stand for themselves: a table of no columns. */
static struct memtable *table_of_lines(struct str text)
{
	struct memtable *m = memtable_new(NULL, 0);
	const char *end;

	for (; (end = memchr(text.p, '\n', text.n)) != NULL;
	     text = str_behind(text, (size_t)(end - text.p) + 1))
		memtable_add_note(m, STR_FMT, (int)(end - text.p), text.p);
	m->table.is_prose = true;
	m->table.empty = "";
	return m;
}

/*
 * A command that draws no table: what it writes, in this process, which is its own.  Its
 * message is the error.
 */
static int take_picture(const struct command *command, int argc, char **argv,
			const struct taker *taker, struct err *err)
{
	struct buf text;
	int fd = memfd_create("picture", MFD_CLOEXEC), rc = -1;

	if (fd < 0)
		return err_errno(err, "memory for a picture");
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	int code = command->run(command, argc - 1, argv + 1);
	fflush(NULL);
	buf_init(&text, PICTURE_MAX);
	buf_add_text(&text, "");
	read_back(fd, &text);
	close(fd);
	if (code != EXIT_OK) {
		err_set(err, ERR_EMPTY, STR_FMT, (int)strcspn(text.p, "\n"), text.p);
	} else {
		struct memtable *m = table_of_lines(buf_str(&text));
		rc = taker->take(taker->to, &m->table, err);
		table_free(&m->table);
	}
	buf_release(&text);
	return rc;
}

static int ask(const struct screen_source *s, int argc, char **argv,
	       int (*taken)(void *to, struct table *t, struct err *err), void *to,
	       struct err *err)
{
	const struct answers *a = (const struct answers *)s;
	const struct command *command = command_find(argv[0]);
	const struct taker taker = { { a->operand, take }, taken, to };

	if (!command)
		return err_set(err, ERR_USAGE, "there is no command '%s'", argv[0]);
	if (command->table)
		return table_command_take(command, argc - 1, argv + 1, &taker.taker, err);
	if (strcmp(a->operand->path, "-") == 0)
		return err_set(err, ERR_EMPTY,
			       "standard input can be read only once: give a file");
	return take_picture(command, argc, argv, &taker, err);
}

static const struct opt *option_of(const char *command, const char *name)
{
	const struct command *c = command_find(command);

	if (!c)
		return NULL;
	for (struct opt_iter it = opt_first(c->groups); it.opt; opt_next(&it))
		if (!opt_is_operand(it.opt) && strcmp(it.opt->name, name) == 0)
			return it.opt;
	return NULL;
}

static bool has_option(const struct screen_source *s, const char *command,
		       const char *option)
{
	(void)s;
	return option_of(command, option) != NULL;
}

static bool has_key(const struct screen_source *s, const char *command, const char *key)
{
	const struct opt *sort = option_of(command, "sort");
	const char *value;

	(void)s;
	for (size_t i = 0; sort && (value = opt_value(sort, i)) != NULL; i++)
		if (strcmp(value, key) == 0)
			return true;
	return false;
}

/* What a trace has besides; a failure would come again in a section. */
static unsigned rare_kinds(struct store *store, const struct scope *scope)
{
	struct err ignored = ERR_INIT;
	struct recorded recorded;

	recorded_load(store, scope, &recorded, &ignored);
	return (recorded.phases ? SCREEN_PHASES : 0U) |
	       (recorded.graphs ? SCREEN_GRAPHS : 0U) |
	       (recorded.compiled ? SCREEN_COMPILED : 0U) |
	       (recorded.shapes ? SCREEN_SHAPES : 0U);
}

static unsigned kinds_of(struct store *store, const struct scope *scope)
{
	static const unsigned kinds[NSCOPE_KINDS] = {
		[SCOPE_TRACES] = SCREEN_TRACE,
		[SCOPE_CALL_GRAPHS] = SCREEN_FUNCTIONS,
		[SCOPE_SAMPLES] = SCREEN_FUNCTIONS,
		[SCOPE_LINES] = SCREEN_LINES,
	};
	struct err ignored = ERR_INIT;
	enum scope_kind kind;

	if (scope_kind(scope, &kind, &ignored) < 0)
		return SCREEN_ANY;
	return kinds[kind] | (kind == SCOPE_TRACES ? rare_kinds(store, scope) : 0U);
}

/* The options that all questions have. */
static const char *const *scope_words(const struct scope_opts *o, struct arena *arena)
{
	const char **words = arena_alloc(arena, 4 * sizeof(*words));
	size_t n = 0;

	if (o->run)
		words[n++] = arena_printf(arena, "--run=%s", o->run);
	if (o->rank)
		words[n++] = arena_printf(arena, "--rank=%s", o->rank);
	if (o->profile)
		words[n++] = arena_printf(arena, "--profile=%s", o->profile);
	words[n] = NULL;
	return words;
}

static int run_screen(const struct view_command_opts *o, const struct operand *operand,
		      struct arena *arena, struct err *err)
{
	const char *slash = strrchr(operand->path, '/');
	const struct answers answers = {
		{ .ask = ask, .has_option = has_option, .has_key = has_key }, operand
	};
	struct scope scope;

	if (scope_options_load(operand->store, &o->scope, &scope, err) < 0)
		return -1;
	const struct screen screen = {
		.source = &answers.source,
		.name = slash && slash[1] ? slash + 1 : operand->path,
		.scope = scope_words(&o->scope, arena),
		.operand = o->operand,
		.kinds = kinds_of(operand->store, &scope),
		.shorten = short_name_add,
		.color = terminal_color(o->color, STDOUT_FILENO),
		.is_ascii = terminal_is_ascii(),
	};
	int rc = screen_run(&screen, err);
	scope_release(&scope);
	return rc;
}

static int view(const struct command *self, const struct view_command_opts *o)
{
	struct arena arena = { 0 };
	struct err err = ERR_INIT;
	struct operand operand;

	if (!terminal_is(STDOUT_FILENO)) {
		err_set(&err, ERR_USAGE,
			"standard output is not a terminal: use the commands that 'ptool "
			"--help' lists, such as 'ptool overview' and 'ptool top'");
		return message_error(self->name, NULL, &err);
	}
	if (scope_options_check(&o->scope, &err) < 0)
		return message_error(self->name, NULL, &err);
	const struct operand_wish wish = { .command = self->name,
					   .path = o->operand,
					   .is_quiet = o->quiet,
					   .scope = &o->scope,
					   .wants_slices = true };
	if (operand_open_for(&wish, &operand, &err) < 0)
		return message_error(self->name, operand_name(o->operand), &err);
	int rc = run_screen(o, &operand, &arena, &err);
	int code = EXIT_OK;
	if (rc < 0)
		code = message_error_reading(self->name, operand.path, &err);
	operand_close(&operand);
	arena_release(&arena);
	if (rc > 0)
		raise(rc); /* as it would have ended without a screen */
	return code;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct view_command_opts o;
	int code;

	return command_parse(self, argc, argv, &o, &code) ? view(self, &o) : code;
}

static const char *const examples[] = { "ptool view trace.json", "ptool view",
					"ptool view --rank 0 traces/", NULL };

static const struct command_exit exits[] = {
	{ EXIT_OK, "the browser was quit" },
	{ EXIT_USAGE, "a mistake in the command line; or the output is not a terminal" },
	{ EXIT_EMPTY, "the store holds no run, or none as asked for" },
	EXITS_OF_READING
};

const struct command cmd_view = {
	.name = "view",
	.part = COMMAND_START,
	.question = "How do I browse all of it in the terminal?",
	.summary = "Browse all tables of a recording in the terminal",
	.groups = view_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
	.run = run,
};
