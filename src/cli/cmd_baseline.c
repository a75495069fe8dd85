/* ptool baseline: runs that later ones are compared with, kept small in a folder. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/baseline.h"
#include "cli/baseline_save.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/scope_options.h"
#include "query/view.h"

#define KEEP 20

struct baseline_opts {
	const char *action, *name, *dir;
	struct opt_args stores;
	struct opt_strings runs;
	int64_t keep;
	struct output_opts output;
};

#define INTO(type, member) OPT_INTO(type, struct baseline_opts, member)

static const char *const actions[] = { "save", "list", "show", "rm", NULL };

/* clang-format off */
static const struct opt baseline_operands[] = {
	{ .name = "action", .arg = "save|list|show|rm", .help = "what to do",
	  .choices = actions, INTO(ARG, action), .required = true },
	{ .name = "name", .arg = "NAME", .help = "the baseline (not with list)",
	  INTO(ARG, name) },
	{ .name = "store", .arg = "STORE|FILE", .help = "with save, the runs to add: each file is one run, and so is each run of a store",
	  INTO(ARGS, stores) },
	OPT_END
};

static const struct opt baseline_options[] = {
	{ .name = "dir", .arg = "FOLDER", .help = "folder of the baselines (default: $PTOOL_BASELINES or .ptool/baselines)",
	  INTO(STRING, dir) },
	{ .name = "keep", .arg = "N", .help = "with save, keep only the last N runs, 0 for all",
	  INTO(UINT, keep) },
	{ .name = "run", .arg = "NAME", .help = "with save, only this run of the stores",
	  INTO(STRINGS, runs) },
	OPT_END
};

static const struct opt_group baseline_groups[] = {
	{ .title = "Operands", .opts = baseline_operands },
	{ .opts = baseline_options },
	OUTPUT_GROUP(struct baseline_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct baseline_opts defaults = { .keep = KEEP, .output = OUTPUT_DEFAULTS };

/* What all actions need. */
struct doing {
	const struct command *self;
	const struct baseline_opts *o;
	const char *directory;
	const char *file; /* that an error is about; NULL: none */
	struct arena arena;
};

/* Its folders, too: "a/b/c" makes a, a/b and a/b/c. */
static int make_folder(struct doing *d, const char *path, struct err *err)
{
	char *part = arena_strdup(&d->arena, path);

	for (char *at = part + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		if (mkdir(part, 0777) < 0 && errno != EEXIST)
			return err_errno(err, part);
		*at = '/';
	}
	return mkdir(path, 0777) < 0 && errno != EEXIST ? err_errno(err, path) : 0;
}

/* Removes the oldest, all but `keep`. */
static int trim(struct doing *d, const struct baseline *b, size_t keep, struct err *err)
{
	for (size_t i = 0; i + keep < b->n; i++) {
		if (unlink(b->paths[i]) < 0 && errno != ENOENT)
			return err_errno(err, b->paths[i]);
		if (!d->o->output.quiet)
			message_note(d->self->name, b->paths[i], "removed");
	}
	return 0;
}

static int save(struct doing *d, struct err *err)
{
	const char *folder = arena_printf(&d->arena, "%s/%s", d->directory, d->o->name);
	struct baseline b;

	if (d->o->stores.n == 0)
		return err_set(err, ERR_USAGE,
			       "save needs the runs to add: ptool baseline save %s "
			       "FILE...",
			       d->o->name);
	if (make_folder(d, folder, err) < 0)
		return -1;
	const struct baseline_saving saving = { .command = d->self->name,
						.folder = folder,
						.runs = &d->o->runs,
						.keep = (size_t)d->o->keep,
						.is_quiet = d->o->output.quiet,
						.arena = &d->arena };
	baseline_clear_leftovers(folder);
	for (size_t i = 0; i < d->o->stores.n; i++) {
		d->file = d->o->stores.items[i];
		if (baseline_save(&saving, d->file, err) < 0) {
			rmdir(folder); /* where it is still empty */
			return -1;
		}
	}
	d->file = NULL;
	if (d->o->keep == 0)
		return 0;
	if (baseline_find(d->directory, d->o->name, &d->arena, &b, err) < 0)
		return -1;
	return trim(d, &b, (size_t)d->o->keep, err);
}

static int remove_all(struct doing *d, struct err *err)
{
	struct baseline b;

	if (baseline_find(d->directory, d->o->name, &d->arena, &b, err) < 0 &&
	    err->kind != ERR_EMPTY)
		return -1;
	if (trim(d, &b, 0, err) < 0)
		return -1;
	baseline_clear_leftovers(b.folder);
	if (rmdir(b.folder) < 0 && errno != ENOTEMPTY && errno != EEXIST)
		return err_errno(err, b.folder);
	return 0;
}

/* A row of list and show. */
struct shown {
	const char *name, *first, *last, *path;
	int64_t runs, profiles, bytes;
};

static struct cell get_text(const void *from, const void *row, int offset)
{
	const char *text;

	(void)from;
	memcpy(&text, (const char *)row + offset, sizeof(text));
	return cell_text_or_null(text);
}

#define TEXT(member)   .get = get_text, .arg = (int)offsetof(struct shown, member)
#define NUMBER(member) .get = view_int64, .arg = (int)offsetof(struct shown, member)

/* clang-format off */
static const struct field list_fields[] = {
	{ "name", "Baseline", "name", NULL, UNIT_TEXT, TEXT(name), .flags = FIELD_KEY },
	{ "runs", "Runs", "how many it holds", NULL, UNIT_COUNT, NUMBER(runs) },
	{ "bytes", "Size", "of all files", NULL, UNIT_BYTES, NUMBER(bytes) },
	{ "first", "First", "when the oldest was added, UTC", NULL, UNIT_TEXT, TEXT(first) },
	{ "last", "Last", "when the newest was added", NULL, UNIT_TEXT, TEXT(last) },
	{ .name = NULL },
};

static const struct field show_fields[] = {
	{ "run", "Run", "name of the file it was made from", NULL, UNIT_TEXT, TEXT(name) },
	{ "added", "Added", "when, UTC", NULL, UNIT_TEXT, TEXT(first) },
	{ "profiles", "Profiles", "of ranks, workers and spans", NULL, UNIT_COUNT, NUMBER(profiles) },
	{ "bytes", "Size", "of the file", NULL, UNIT_BYTES, NUMBER(bytes) },
	{ "path", "File", "the store, which every command reads", NULL, UNIT_TEXT, TEXT(path), .flags = FIELD_KEY, .leaves = 1 },
	{ .name = NULL },
};
/* clang-format on */

static const struct view list_view = { .name = "baseline list",
				       .fields = list_fields,
				       .people = VIEW_PART("name runs! bytes! first "
							   "last") };
static const struct view show_view = { .name = "baseline show",
				       .fields = show_fields,
				       .people = VIEW_PART("run added profiles! bytes! "
							   "path") };

static int64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (int64_t)st.st_size : 0;
}

static int draw(struct doing *d, const struct view *view, const struct shown *items,
		size_t n, struct err *err)
{
	const struct view_rows rows = { NULL, items, n, sizeof(*items) };
	const struct view_request request = { .for_people = reading_is_for_people(
						      &d->o->output) };
	struct memtable *m = view_table(view, &rows, NULL, &request);
	int rc = output_table(d->self->name, &m->table, &d->o->output, err);

	table_free(&m->table);
	return rc;
}

static int list_all(struct doing *d, struct err *err)
{
	const char *const *names;
	size_t n = 0;

	if (baseline_names(d->directory, &d->arena, &names, err) < 0)
		return -1;
	while (names[n])
		n++;
	if (n == 0)
		return err_set(err, ERR_EMPTY,
			       "there is no baseline in %s; 'ptool baseline save NAME "
			       "FILE...' makes one",
			       d->directory);
	struct shown *items = arena_alloc(&d->arena, n * sizeof(*items));
	for (size_t i = 0; i < n; i++) {
		struct err none = ERR_INIT;
		struct baseline b;
		items[i] = (struct shown){ .name = names[i] };
		if (baseline_find(d->directory, names[i], &d->arena, &b, &none) < 0)
			continue;
		items[i].runs = (int64_t)b.n;
		items[i].first = baseline_time(b.paths[0], &d->arena);
		items[i].last = baseline_time(b.paths[b.n - 1], &d->arena);
		for (size_t k = 0; k < b.n; k++)
			items[i].bytes += size_of(b.paths[k]);
	}
	return draw(d, &list_view, items, n, err);
}

static int count_profiles(const char *path, int64_t *n, struct err *err)
{
	const struct scope_opts all = { .run = NULL };
	struct store *store;
	struct scope scope;

	if (store_open(path, &store, err) < 0)
		return -1;
	int rc = scope_options_load_all(store, &all, &scope, err);
	if (rc == 0) {
		*n = (int64_t)scope.n;
		scope_release(&scope);
	}
	store_close(store);
	return rc;
}

static int show(struct doing *d, struct err *err)
{
	struct baseline b;

	if (baseline_find(d->directory, d->o->name, &d->arena, &b, err) < 0)
		return -1;
	struct shown *items = arena_alloc(&d->arena, b.n * sizeof(*items));
	for (size_t i = 0; i < b.n; i++) {
		items[i] = (struct shown){
			.name = baseline_run_name(b.paths[i], &d->arena),
			.first = baseline_time(b.paths[i], &d->arena),
			.path = b.paths[i],
			.bytes = size_of(b.paths[i]),
		};
		d->file = b.paths[i];
		if (count_profiles(b.paths[i], &items[i].profiles, err) < 0)
			return -1;
	}
	d->file = NULL;
	return draw(d, &show_view, items, b.n, err);
}

static int (*const doings[])(struct doing *, struct err *) = { save, list_all, show,
							       remove_all };

static int check(const struct baseline_opts *o, size_t action, struct err *err)
{
	bool is_list = doings[action] == list_all;

	if (is_list && o->name)
		return err_set(err, ERR_USAGE,
			       "list takes no name; 'ptool baseline show "
			       "%.100s' shows that one",
			       o->name);
	if (!is_list && !o->name)
		return err_set(err, ERR_USAGE, "%s needs the name of a baseline",
			       o->action);
	if (doings[action] != save && o->runs.n)
		return err_set(err, ERR_USAGE, "--run is for save");
	if (doings[action] != save && o->stores.n)
		return err_set(err, ERR_USAGE, "%s takes no runs", o->action);
	if (o->name && baseline_check_name(o->name, err) < 0)
		return -1;
	return output_renderer(&o->output, err) ? output_check(&o->output, err) : -1;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct baseline_opts o;
	struct err err = ERR_INIT;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	size_t action = opt_choice_place(actions, o.action);
	if (check(&o, action, &err) < 0)
		return message_error(self->name, NULL, &err);
	struct doing d = { .self = self,
			   .o = &o,
			   .directory = baseline_directory(o.dir) };
	interrupt_catch();
	code = EXIT_OK;
	if (doings[action](&d, &err) < 0)
		code = message_error(self->name, d.file, &err);
	arena_release(&d.arena);
	return code;
}

static const char *const examples[] = {
	"ptool baseline save main run1.json run2.json",
	"ptool baseline save main run.db --keep 8",
	"ptool baseline save main nightly.db --run monday --run tuesday",
	"ptool baseline list",
	"ptool diff baseline:main new.json",
	NULL
};

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "the baseline was saved, shown or removed" },
	{ EXIT_USAGE, "a mistake in the command line; or the output exists" },
	{ EXIT_EMPTY, "there is no baseline, it holds no run, or a store has no run of that name" },
	{ EXIT_INPUT, "a store, file or baseline is missing, cannot be read, or is of another schema" },
	{ EXIT_IO, "the folder, the output or the cache cannot be written, or memory runs out" },
	{ EXIT_INTERRUPT, "interrupted; the first of several runs may be saved already" },
	EXITS_END,
};
/* clang-format on */

const struct command cmd_baseline = {
	.name = "baseline",
	.part = COMMAND_STORE,
	.question = "Keep runs that later ones are compared with",
	.summary = "Keep small copies of runs, to compare later ones with",
	.groups = baseline_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&list_view, &show_view),
	.exits = exits,
	.run = run,
};
