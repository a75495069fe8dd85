/* Adding runs to a baseline: see baseline_save.h. */
#include "cli/baseline_save.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cli/baseline.h"
#include "cli/fleet_told.h"
#include "cli/ingesting.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "cli/scope_options.h"
#include "query/summary/summary.h"
#include "store/merge.h"
#include "store/need.h"

/* A run of a store. */
struct found {
	const char *store, *run; /* in the arena */
	bool is_named;           /* by a person: ptool calls a run like its files */
};

struct found_runs {
	struct found *items; /* owned */
	size_t n, cap;
	bool is_several; /* a store holds more than one */
};

/* A run that is saved: what it is called, and the stores that hold it. */
struct saved_run {
	const char *name;
	const char *only; /* NULL: the stores hold no other */
	const char *const *stores;
	size_t n;
};

/* What a name may not take of the longest one: stamp, number, suffix, what publish.h adds. */
#define NAME_ROOM 64

/* A file that is not there yet, the last of its folder by name. */
static const char *new_path(const struct baseline_saving *s, const char *name)
{
	char stamp[sizeof("20261123T121602") + 16];
	time_t now = time(NULL);
	struct tm utc = { .tm_mday = 1 };
	struct str cut = utf8_cut(str_of(name), NAME_MAX - NAME_ROOM);

	gmtime_r(&now, &utc);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%S", &utc);
	for (int i = 1;; i++) {
		const char *path = arena_printf(s->arena, "%s/%s-%02d-" STR_FMT ".db",
						s->folder, stamp, i, STR_ARG(cut));
		const char *pattern = arena_printf(s->arena, "%s-%02d-", stamp, i);
		/* a folder that may not be listed says nothing of what is there */
		if (!baseline_has(s->folder, pattern) && access(path, F_OK) != 0)
			return path;
	}
}

/* What stores say of the run, without slices, condensed. */
static int merge_run(const struct baseline_saving *s, const struct saved_run *run,
		     const char *to, struct err *err)
{
	static const struct fetch_need everything;
	const struct merge_options options = {
		.store = to,
		.is_new = true,
		.is_condensed = true,
		.strict = true,
		.need = &everything,
		.summarize = summaries_make_run,
	};
	struct ingesting writing = { .command = s->command,
				     .subject = to,
				     .is_quiet = true };
	struct import_events events = ingesting_events(&writing);
	struct fleet fleet = { .n = 0 };
	struct merge_result result;
	int rc = fleet_find(run->stores, run->n, to, &fleet, interrupt_asked, err);

	fleet.only_run = run->only;
	if (rc == 0)
		rc = fleet_look(&fleet, true, interrupt_asked, err);
	if (rc == 0)
		rc = merge_stores(&fleet, &options, &events, &result, err);
	ingesting_end(&writing);
	if (rc < 0 && err->kind == ERR_INPUT && fleet.n > 1 &&
	    fleet_told_left_out(s->command, &fleet))
		err_set(err, ERR_INPUT,
			"its stores belong to several runs: name the stores of each run");
	fleet_release(&fleet);
	return rc;
}

/* Another process may take the same name at the same moment: the next one is free. */
static int save_run(const struct baseline_saving *s, const struct saved_run *run,
		    struct err *err)
{
	const char *name = baseline_run_name(run->name, s->arena);
	const char *to;
	int rc = interrupt_check(err);

	if (rc < 0)
		return -1;
	do {
		*err = (struct err)ERR_INIT;
		to = new_path(s, *name ? name : "run");
		rc = merge_run(s, run, to, err);
	} while (rc < 0 && err->kind == ERR_USAGE && access(to, F_OK) == 0);
	if (rc < 0 && err->kind == ERR_IO)
		err_set(err, ERR_IO, "%s",
			arena_printf(s->arena, "cannot save it as '%s': %s", to,
				     err->text));
	if (rc == 0 && !s->is_quiet)
		message_note(s->command, run->name, "saved as %s", to);
	return rc;
}

static int save_file(const struct baseline_saving *s, const char *path, struct err *err)
{
	struct operand operand;
	int rc = operand_open(s->command, path, s->is_quiet, &operand, err);

	if (rc < 0)
		return -1;
	const char *store = operand.cached;
	const struct saved_run run = { .name = path, .stores = &store, .n = 1 };
	if (s->runs->n)
		rc = err_set(err, ERR_USAGE, "--run needs a store: this file is one run");
	else if (operand.is_remote)
		rc = err_set(err, ERR_USAGE, "fetch it first: 'ptool pull URL -o STORE'");
	else if (!store)
		rc = err_set(err, ERR_USAGE,
			     "it can be read only once: run 'ptool ingest -o STORE' "
			     "first");
	else
		rc = save_run(s, &run, err);
	operand_close(&operand);
	return rc;
}

/* The runs of a store, oldest first. */
static int find_runs(const struct baseline_saving *s, const char *path,
		     struct found_runs *out, struct err *err)
{
	const struct scope_opts all = { .run = NULL };
	struct store *store;
	struct scope scope;
	size_t before = out->n;

	if (store_open(path, &store, err) < 0)
		return -1;
	int rc = scope_options_load_all(store, &all, &scope, err);
	for (size_t i = 0; rc == 0 && i < scope.n; i++) {
		const struct scope_profile *p = &scope.profiles[i];
		if (i && p->run_id == p[-1].run_id)
			continue;
		*ARRAY_PUSH(out->items, out->n, out->cap) = (struct found){
			.store = path,
			.run = arena_strdup(s->arena, p->run),
			.is_named = !str_starts_with(str_of(p->path), str_of(p->run)),
		};
	}
	if (rc == 0)
		scope_release(&scope);
	out->is_several |= out->n - before > 1;
	store_close(store);
	return rc;
}

static bool is_listed(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Each name once, NULL-terminated, in the arena; how many. */
static size_t list_names(const struct found_runs *found, struct arena *arena,
			 const char ***out)
{
	const char **names = arena_alloc(arena, (found->n + 1) * sizeof(*names));
	size_t n = 0;

	for (size_t i = 0; i < found->n; i++)
		if (!is_listed(names, n, found->items[i].run))
			names[n++] = found->items[i].run;
	names[n] = NULL;
	*out = names;
	return n;
}

/* Are there runs that a person told apart? */
static bool is_several(const struct found_runs *found)
{
	const char *first = NULL;

	for (size_t i = 0; i < found->n; i++) {
		const struct found *f = &found->items[i];
		if (f->is_named && first && strcmp(first, f->run) != 0)
			return true;
		if (f->is_named)
			first = f->run;
	}
	return found->is_several;
}

static int save_one_of(const struct baseline_saving *s, const struct found_runs *found,
		       const char *name, struct err *err)
{
	const char **stores = arena_alloc(s->arena, (found->n + 1) * sizeof(*stores));
	struct saved_run run = { .name = name, .only = name, .stores = stores };

	for (size_t i = 0; i < found->n; i++)
		if (strcmp(found->items[i].run, name) == 0)
			stores[run.n++] = found->items[i].store;
	return save_run(s, &run, err);
}

/* Those that are wanted, all of them there before any is saved. */
static int save_several(const struct baseline_saving *s, const struct found_runs *found,
			struct err *err)
{
	const char **names, **wanted;
	size_t n = list_names(found, s->arena, &names);

	wanted = names;
	if (s->runs->n) {
		n = s->runs->n;
		wanted = arena_alloc(s->arena, n * sizeof(*wanted));
	}
	for (size_t i = 0; i < s->runs->n; i++) {
		wanted[i] =
			scope_options_find_run(names, s->runs->items[i], s->arena, err);
		if (!wanted[i])
			return -1;
	}
	for (size_t i = s->keep && n > s->keep ? n - s->keep : 0; i < n; i++)
		if (save_one_of(s, found, wanted[i], err) < 0)
			return -1;
	return 0;
}

static int save_stores(const struct baseline_saving *s, const struct fleet *fleet,
		       const char *operand, struct err *err)
{
	struct found_runs found = { .n = 0 };
	int rc = 0;

	for (size_t i = 0; i < fleet->n && rc == 0; i++)
		rc = find_runs(s, fleet->stores[i].path, &found, err);
	if (rc == 0 && (s->runs->n || is_several(&found))) {
		rc = save_several(s, &found, err);
	} else if (rc == 0) {
		const struct saved_run run = { .name = operand,
					       .stores = &operand,
					       .n = 1 };
		rc = save_run(s, &run, err);
	}
	free(found.items);
	return rc;
}

int baseline_save(const struct baseline_saving *s, const char *operand, struct err *err)
{
	struct fleet fleet = { .n = 0 };
	struct stat st;
	bool is_folder = stat(operand, &st) == 0 && S_ISDIR(st.st_mode);
	const struct store_header header = store_look_at(operand);
	int rc = 0;

	if (header.error)
		return store_check_header(&header, err);
	if (is_folder || header.is_store)
		rc = fleet_find(&operand, 1, NULL, &fleet, interrupt_asked, err);
	if (rc == 0)
		rc = fleet.n ? save_stores(s, &fleet, operand, err)
			     : save_file(s, operand, err);
	fleet_release(&fleet);
	return rc;
}
