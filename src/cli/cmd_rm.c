/* ptool rm: deletes runs from a store, or from a database. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/intern.h"
#include "cli/command.h"
#include "cli/ingesting.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "cli/remote_options.h"
#include "cli/scope_options.h"
#include "remote/remove.h"
#include "store/import.h"

struct rm_opts {
	struct opt_args runs;
	const char *store;
	bool quiet;
	struct remote_opts remote;
};

#define INTO(type, member) OPT_INTO(type, struct rm_opts, member)

/* clang-format off */
static const struct opt rm_options[] = {
	{ .name = "run", .arg = "RUN", .help = "a run to delete: its name, the file it was made from, or a URL of a database with ?run=",
	  INTO(ARGS, runs), .required = true },
	{ .name = "store", .arg = "STORE", .help = "the store (default: $PTOOL_STORE or ./ptool.db)",
	  INTO(STRING, store), .short_name = 'o' },
	{ .name = "quiet", .help = "do not list what was deleted",
	  INTO(FLAG, quiet), .short_name = 'q' },
	OPT_END
};
/* clang-format on */

static const struct opt_group rm_groups[] = { { .opts = rm_options },
					      REMOTE_GROUP(struct rm_opts, remote),
					      OPT_GROUP_END };

static const struct rm_opts defaults;

/* The names of the runs of a store. */
struct run_names {
	const char *const *items; /* ends with NULL */
	struct intern numbers;    /* by name */
	bool *is_meant;           /* owned, by number */
};

static int load_names(const char *path, struct arena *arena, struct run_names *out,
		      struct err *err)
{
	struct store *store;
	size_t n = 0;

	intern_init(&out->numbers);
	out->is_meant = NULL;
	if (store_open(path, &store, err) < 0)
		return -1;
	int rc = scope_run_names(store, arena, &out->items, err);
	store_close(store);
	if (rc < 0)
		return -1;
	for (; out->items[n]; n++)
		intern_add(&out->numbers, str_of(out->items[n]));
	out->is_meant = xcalloc(n + 1, sizeof(*out->is_meant));
	return 0;
}

static void release_names(struct run_names *names)
{
	intern_release(&names->numbers);
	free(names->is_meant);
}

/*
 * The runs that are meant, each once, before any is deleted: a misspelt one
 * leaves all of them.  How many, or -1.
 */
static int resolve_runs(struct run_names *known, const struct opt_args *runs,
			struct arena *arena, const char **names, struct err *err)
{
	int n = 0;

	for (size_t i = 0; i < runs->n; i++) {
		const char *name = runs->items[i];
		if (!intern_has(&known->numbers, str_of(name)))
			name = scope_options_find_run(known->items, name, arena, err);
		if (!name)
			return -1;
		bool *is_meant =
			&known->is_meant[intern_add(&known->numbers, str_of(name))];
		if (!*is_meant)
			names[n++] = name;
		*is_meant = true;
	}
	return n;
}

static int find_runs(const struct rm_opts *o, const char *path, struct arena *arena,
		     const char **names, struct err *err)
{
	struct run_names known;
	int n = load_names(path, arena, &known, err);

	if (n == 0)
		n = resolve_runs(&known, &o->runs, arena, names, err);
	release_names(&known);
	return n;
}

/* The store is written once, however many they are. */
static int remove_runs(const struct command *self, const struct rm_opts *o,
		       const char *path, struct arena *arena, struct err *err)
{
	const char **names = arena_alloc(arena, o->runs.n * sizeof(*names));
	int n = find_runs(o, path, arena, names, err);
	struct ingesting writing = { .command = self->name, .subject = path };

	if (n < 0)
		return -1;
	struct import_events events = ingesting_events(&writing);
	int rc = interrupt_check(err);
	if (rc == 0)
		rc = import_remove(path, names, (size_t)n, &events, err);
	ingesting_end(&writing);
	if (rc < 0)
		return -1;
	for (int i = 0; i < n && !o->quiet; i++)
		message_note(self->name, path, "deleted run '%s'", names[i]);
	return 0;
}

/* A run of a database; `name` NULL: the URL's. */
static int remove_remote(const struct command *self, const struct rm_opts *o,
			 const char *url, const char *name, struct err *err)
{
	struct remote_place place;
	struct pusher *pusher;
	uint64_t nprofiles;

	if (remote_place_open(url, &o->remote, &place, err) < 0)
		return -1;
	const struct push_options options = { .http = place.http };
	const char *run = name ? name : place.url.run;
	int rc = push_open(&options, &pusher, err);
	if (rc == 0 && !run)
		rc = err_set(err, ERR_USAGE, "the URL names no run: add ?run=NAME");
	if (rc == 0)
		rc = remove_run(pusher, run, &nprofiles, err);
	if (rc == 0 && !o->quiet)
		message_note(self->name, place.url.name, "deleted run '%s'", run);
	push_close(pusher);
	remote_place_close(&place);
	return rc;
}

static bool is_remote(const struct rm_opts *o)
{
	for (size_t i = 0; i < o->runs.n; i++)
		if (url_is(o->runs.items[i]))
			return true;
	return o->store && url_is(o->store);
}

/* `rm URL?run=NAME ...` or `rm NAME ... -o URL` */
static int run_remote(const struct command *self, const struct rm_opts *o)
{
	struct err err = ERR_INIT;

	for (size_t i = 0; i < o->runs.n; i++) {
		const char *name = o->runs.items[i];
		const char *url = url_is(name) ? name : o->store;
		int rc = url && url_is(url)
				 ? remove_remote(self, o, url, url == name ? NULL : name,
						 &err)
				 : err_set(&err, ERR_USAGE,
					   "one command cannot delete from a store and "
					   "from a database: run it twice");
		if (rc < 0)
			return message_error(self->name,
					     err.kind == ERR_USAGE ? NULL : url, &err);
	}
	return EXIT_OK;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct rm_opts o;
	struct err err = ERR_INIT;
	struct arena arena = { 0 };
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (is_remote(&o))
		return run_remote(self, &o);
	const char *path = operand_name(o.store);
	interrupt_catch();
	code = EXIT_OK;
	if (remove_runs(self, &o, path, &arena, &err) < 0)
		code = message_error(self->name, path, &err);
	arena_release(&arena);
	return code;
}

static const char *const examples[] = {
	"ptool rm trace.json", "ptool rm before after -o experiments.db",
	"ptool rm 'clickhouse://db.example/traces?run=nightly'", NULL
};

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "the runs are gone" },
	{ EXIT_USAGE, "a mistake in the command line" },
	{ EXIT_EMPTY, "there is no run of that name" },
	{ EXIT_INPUT, "the store is missing, is not a store, or is of another schema; or the database lacks tables" },
	{ EXIT_IO, "the store cannot be written, the server fails, or memory runs out" },
	{ EXIT_INTERRUPT, "interrupted; a store is as it was, of several runs of a database the first may be deleted already" },
	EXITS_END,
};
/* clang-format on */

const struct command cmd_rm = {
	.name = "rm",
	.part = COMMAND_STORE,
	.question = "Delete runs from a store",
	.summary = "Delete runs from a store",
	.groups = rm_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
	.run = run,
};
