/* --run, --rank, --profile: see scope_options.h. */
#include "cli/scope_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cli/suggest.h"
#include "store/import.h"

/* Bytes of a list of runs in a message. */
#define LIST_SHOWN ((size_t)200)

#define INTO(type, member) OPT_INTO(type, struct scope_opts, member)

/* clang-format off */
const struct opt scope_options[] = {
	{ .name = "run", .arg = "NAME", .help = "the run to read (default: the newest; of 'ptool info' and 'ptool trend', all)",
	  INTO(STRING, run) },
	{ .name = "rank", .arg = "N|A..B", .help = "only the profiles of these ranks",
	  INTO(STRING, rank) },
	{ .name = "profile", .arg = "ID|PATH", .help = "only this profile of the run",
	  INTO(STRING, profile) },
	OPT_END
};
/* clang-format on */

/* A number at the front of *text, which moves behind it. */
static bool take_rank(const char **text, int64_t *rank)
{
	size_t digits = strspn(*text, "0123456789");
	char *end;

	errno = 0;
	*rank = strtoll(*text, &end, 10);
	*text += digits;
	return digits > 0 && errno == 0;
}

static int parse_rank(const char *text, struct scope_request *request, struct err *err)
{
	const char *at = text;
	bool ok = take_rank(&at, &request->first_rank);

	request->last_rank = request->first_rank;
	request->has_rank = true;
	if (ok && strncmp(at, "..", 2) == 0) {
		at += 2;
		ok = take_rank(&at, &request->last_rank);
	}
	if (!ok || *at)
		return err_set(err, ERR_USAGE, "--rank wants N or A..B, not '%s'", text);
	if (request->last_rank < request->first_rank)
		return err_set(err, ERR_USAGE, "--rank %s ends before it begins", text);
	return 0;
}

int scope_options_read_rank(const char *text, int64_t *first, int64_t *last,
			    struct err *err)
{
	struct scope_request request;

	if (parse_rank(text, &request, err) < 0)
		return -1;
	*first = request.first_rank;
	*last = request.last_rank;
	return 0;
}

int scope_options_check(const struct scope_opts *o, struct err *err)
{
	struct scope_request request;

	return o->rank ? parse_rank(o->rank, &request, err) : 0;
}

static const char *find_name(const char *const *names, const char *wanted)
{
	for (size_t i = 0; names[i]; i++)
		if (strcmp(names[i], wanted) == 0)
			return names[i];
	return NULL;
}

const char *scope_run_end(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static const char *nearest_run(const char *const *names, const char *wrong,
			       struct arena *arena)
{
	size_t n = 0;

	while (names[n])
		n++;
	const char **parts = arena_alloc(arena, (n + 1) * sizeof(*parts));
	for (size_t i = 0; i < n; i++)
		parts[i] = scope_run_end(names[i]);
	parts[n] = NULL;
	const char *nearest = suggest_nearest(scope_run_end(wrong), parts);
	for (size_t i = 0; nearest && i < n; i++)
		if (parts[i] == nearest)
			return names[i];
	return NULL;
}

/* "a, b, c", cut where a message has no room for more. */
static const char *list_names(const char *const *names, struct arena *arena)
{
	struct buf list;

	buf_init(&list, ERR_TEXT_MAX);
	for (size_t i = 0; names[i]; i++) {
		if (list.n + strlen(names[i]) > LIST_SHOWN) {
			buf_add_text(&list, i ? ", ..." : "...");
			break;
		}
		buf_addf(&list, "%s%s", i ? ", " : "", names[i]);
	}
	const char *text = arena_strdup(arena, list.p);
	buf_release(&list);
	return text;
}

static void unknown_run(const char *const *names, const char *wrong, struct arena *arena,
			struct err *err)
{
	const char *nearest = nearest_run(names, wrong, arena);

	if (!names[0])
		err_set(err, ERR_EMPTY,
			"the store holds no run; 'ptool ingest FILE' adds one");
	else if (nearest)
		err_set(err, ERR_EMPTY, "no run '%.100s'; did you mean '%s'? (runs: %s)",
			wrong, nearest, list_names(names, arena));
	else
		err_set(err, ERR_EMPTY, "no run '%.100s' (runs: %s)", wrong,
			list_names(names, arena));
}

const char *scope_options_find_run(const char *const *names, const char *name,
				   struct arena *arena, struct err *err)
{
	const char *found = find_name(names, name);
	if (!found) {
		char *resolved = import_run_name(&name, 1);
		found = find_name(names, resolved);
		free(resolved);
	}
	if (!found)
		unknown_run(names, name, arena, err);
	return found;
}

const char *scope_options_run(struct store *store, const char *name, struct arena *arena,
			      struct err *err)
{
	const char *const *names;

	if (scope_run_names(store, arena, &names, err) < 0)
		return NULL;
	return scope_options_find_run(names, name, arena, err);
}

static int load(struct store *store, const struct scope_opts *o, bool all,
		struct scope *out, struct err *err)
{
	struct scope_request request = { .profile = o->profile,
					 .all_runs = all && !o->run };
	struct arena arena = { 0 };
	int rc = o->rank ? parse_rank(o->rank, &request, err) : 0;

	if (rc == 0 && o->run) {
		request.run = scope_options_run(store, o->run, &arena, err);
		rc = request.run ? 0 : -1;
	}
	if (rc == 0)
		rc = scope_load(store, &request, out, err);
	arena_release(&arena);
	return rc;
}

int scope_options_load(struct store *store, const struct scope_opts *o, struct scope *out,
		       struct err *err)
{
	return load(store, o, false, out, err);
}

int scope_options_load_all(struct store *store, const struct scope_opts *o,
			   struct scope *out, struct err *err)
{
	return load(store, o, true, out, err);
}
