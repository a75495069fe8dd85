/*
 * What lies in a folder or in an archive (importing.h), and what the place of a profile
 * among the others tells, once all are read: which span of its worker it is, and, where
 * nothing else tells ranks, its rank.
 */
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bundle.h"
#include "base/expand.h"
#include "base/sort.h"
#include "store/importing.h"
#include "store/sql.h"
#include "store/statements.h"
#include "store/store.h"

/* Some of the profiles. */
struct chosen {
	uint32_t *at, *spare; /* owned; indexes into profiles */
	size_t n;
};

int import_set_number(struct importing *i, const char *statement, int64_t profile_id,
		      int64_t value, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (statement_prepare(i->db, statement, &stmt, err) < 0)
		return -1;
	sqlite3_bind_int64(stmt, 1, profile_id);
	sqlite3_bind_int64(stmt, 2, value);
	int rc = sql_step(stmt, err);
	sqlite3_finalize(stmt);
	return rc;
}

/* Of all profiles at once: findings have no index. */
static int drop_rank_unknown(struct importing *i, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (statement_prepare(i->db, "drop_rank_unknown", &stmt, err) < 0)
		return -1;
	sqlite3_bind_int64(stmt, 1, i->profiles[0].id);
	int rc = sql_step(stmt, err);
	sqlite3_finalize(stmt);
	return rc;
}

/* Folder, then worker. */
static int compare_workers(const struct import_profile *a, const struct import_profile *b)
{
	int order = natural_compare(file_name_folder(str_of(a->path)),
				    file_name_folder(str_of(b->path)));

	return order ? order : natural_compare(a->name.worker, b->name.worker);
}

static bool is_earlier_span(const void *context, uint32_t a, uint32_t b)
{
	const struct import_profile *profiles = context;
	int order = compare_workers(&profiles[a], &profiles[b]);

	return order ? order < 0 : profiles[a].name.stamp < profiles[b].name.stamp;
}

/* Those that have a stamp; one stamp is one span. */
static int set_spans(struct importing *i, struct chosen *those, struct err *err)
{
	const struct import_profile *before = NULL;
	int64_t span = 0;

	sort_indexes(those->at, those->n, those->spare, is_earlier_span, i->profiles);
	for (size_t k = 0; k < those->n; k++) {
		const struct import_profile *p = &i->profiles[those->at[k]];
		if (!before || compare_workers(before, p) != 0)
			span = 1;
		else if (before->name.stamp != p->name.stamp)
			span++;
		if (import_set_number(i, "set_span", p->id, span, err) < 0)
			return -1;
		before = p;
	}
	return 0;
}

/* What a rank stands for: a worker, whose spans share it, or a file. */
static struct str rank_key(const struct import_profile *p)
{
	return p->name.worker.n ? p->name.worker : str_of(p->shown);
}

static bool is_lower_rank(const void *context, uint32_t a, uint32_t b)
{
	const struct import_profile *profiles = context;

	return natural_compare(rank_key(&profiles[a]), rank_key(&profiles[b])) < 0;
}

/* Does the k-th of those have another rank than the one before it? */
static bool is_next_rank(const struct importing *i, const struct chosen *those, size_t k)
{
	return k > 0 && !str_equal(rank_key(&i->profiles[those->at[k - 1]]),
				   rank_key(&i->profiles[those->at[k]]));
}

/* Those that are no steps; one worker alone has no rank. */
static int set_ranks(struct importing *i, struct chosen *those, struct err *err)
{
	int64_t last = 0, rank = 0;

	sort_indexes(those->at, those->n, those->spare, is_lower_rank, i->profiles);
	for (size_t k = 0; k < those->n; k++)
		last += is_next_rank(i, those, k);
	if (last == 0)
		return 0;
	for (size_t k = 0; k < those->n; k++) {
		rank += is_next_rank(i, those, k);
		if (import_set_number(i, "set_rank_by_order",
				      i->profiles[those->at[k]].id, rank, err) < 0)
			return -1;
	}
	i->result->ordered_ranks = (size_t)last + 1;
	i->result->first_rank = 0;
	i->result->last_rank = last;
	return 0;
}

static bool is_ranked(const struct importing *i)
{
	for (size_t k = 0; k < i->nprofiles; k++)
		if (i->profiles[k].rank != NUMBER_NONE)
			return true;
	return false;
}

int import_place(struct importing *i, struct err *err)
{
	struct chosen those = {
		.at = xrealloc_array(NULL, i->nprofiles, sizeof(uint32_t)),
		.spare = xrealloc_array(NULL, i->nprofiles, sizeof(uint32_t)),
	};

	for (uint32_t k = 0; k < i->nprofiles; k++)
		if (i->profiles[k].name.stamp != NUMBER_NONE)
			those.at[those.n++] = k;
	int rc = set_spans(i, &those, err);
	int by_axes = rc < 0 ? -1 : import_place_axes(i, err);
	those.n = 0;
	if (by_axes == 0 && i->is_collection && i->noperands == 1 && !is_ranked(i))
		for (uint32_t k = 0; k < i->nprofiles; k++)
			if (i->profiles[k].name.step == NUMBER_NONE)
				those.at[those.n++] = k;
	if (by_axes == 0)
		rc = set_ranks(i, &those, err);
	if (by_axes >= 0 && rc == 0 && i->nprofiles)
		rc = drop_rank_unknown(i, err);
	free(those.at);
	free(those.spare);
	return by_axes < 0 ? -1 : rc;
}

static const char no_files[] = "it has no files";
static const char stores_alone[] =
	"it has ptool stores alone: commands read them as they are, and 'ptool merge' makes "
	"one store of several";

/* What was noted before a folder or archive was gone through. */
struct noted {
	size_t traces; /* import_count_traces() */
	size_t passed;
};

static struct noted count_noted(const struct importing *i)
{
	return (struct noted){ import_count_traces(i), i->result->passed };
}

/*
 * Nothing in it is a trace: a mistake where it was named, no matter where it was found.
 * `empty` says why, where no file was looked at.
 */
static void note_fruitless(struct importing *i, const char *shown,
			   const struct noted *before, enum import_end end,
			   const char *empty)
{
	struct noted now = count_noted(i);
	struct import_file file = { .path = shown };
	struct err why = ERR_INIT;
	size_t looked_at = now.passed - before->passed;

	if (now.traces != before->traces)
		return;
	if (looked_at == 0)
		err_set(&why, ERR_INPUT, "%s", empty);
	else
		err_set(&why, ERR_INPUT, "no trace in it: %zu %s looked at", looked_at,
			looked_at == 1 ? "file was" : "files were");
	import_note(i, end, &file, &why);
}

/* What is no file that can be opened. */
static void note_odd(struct importing *i, const struct walk_file *found)
{
	struct import_file file = { .path = found->path };
	struct err why = ERR_INIT;
	enum import_end end = IMPORT_PASSED;

	if (found->kind == WALK_LINK)
		err_set(&why, ERR_INPUT,
			"a link to a folder; name that folder to read it");
	else if (found->kind == WALK_OTHER)
		err_set(&why, ERR_INPUT, "neither a file nor a folder");
	else
		err_set(&why, ERR_INPUT, "cannot open: %s", strerror(found->error));
	/* a link to nothing is no trace; what may not be looked at could be one */
	if (found->kind == WALK_FAILED && found->error != ENOENT && found->error != ELOOP)
		end = IMPORT_REFUSED;
	import_note(i, end, &file, &why);
}

static int import_found(struct importing *i, const struct import_operand *folder,
			const struct walk_file *found, struct err *err)
{
	if (found->kind != WALK_FILE) {
		note_odd(i, found);
		return 0;
	}
	const char *below = found->path + strlen(folder->path);
	while (*below == '/')
		below++;
	char *path = xasprintf("%s/%s", folder->resolved, below);
	const struct import_source source = { .shown = found->path,
					      .path = path,
					      .is_found = true };
	int rc = import_path(i, &source, err);
	free(path);
	return rc;
}

int import_folder(struct importing *i, const struct import_operand *folder,
		  struct err *err)
{
	struct noted before = count_noted(i);
	struct import_file file = { .path = folder->path };
	const char *empty = no_files;

	i->is_collection = true;
	if (folder->err.kind != ERR_NONE) {
		import_note(i, IMPORT_REFUSED, &file, &folder->err);
		return 0;
	}
	for (size_t at = 0; at < folder->walk.n && !import_is_lost(i); at++) {
		const struct walk_file *found = &folder->walk.files[at];
		/* who ingests the folder that they lie in knows them: they are not told */
		if (found->kind == WALK_FILE && store_is_own(found->path))
			empty = stores_alone;
		else if (import_found(i, folder, found, err) < 0)
			return -1;
	}
	note_fruitless(i, folder->path, &before, IMPORT_REFUSED, empty);
	return 0;
}

/* As in folders: ".name" anywhere in it, but not "./name". */
static bool is_hidden(const char *name)
{
	for (const char *part = name; *part; part += strcspn(part, "/")) {
		part += strspn(part, "/");
		if (part[0] == '.' && part[1] != '/' && part[1] != '.' && part[1] != '\0')
			return true;
	}
	return false;
}

/* What a name adds to the archive's own path: without "/" and "./" before it. */
static const char *name_below(const char *name)
{
	while (name[0] == '/' || (name[0] == '.' && name[1] == '/'))
		name++;
	return name;
}

static int import_member(struct importing *i, const struct import_source *archive,
			 const char *name, struct bundle *bundle, struct err *err)
{
	name = name_below(name);
	if (is_hidden(name))
		return 0;
	char *shown = xasprintf("%s/%s", archive->shown, name);
	char *path = xasprintf("%s/%s", archive->path, name);
	const struct import_source source = { .shown = shown,
					      .path = path,
					      .is_found = true };
	struct expand expand = import_expand(i->options, i->expand);
	struct input *in = bundle_member(bundle);
	bundle_count(bundle, &expand);
	input_set_expand(in, &expand);
	int rc = import_input(i, &source, in, err);
	bundle_count(bundle, NULL);
	input_close(in);
	free(path);
	free(shown);
	return rc;
}

/* 0 at its end, 1 when it is damaged: `why`; -1 with err set. */
static int import_members(struct importing *i, const struct import_source *archive,
			  struct bundle *bundle, struct err *why, struct err *err)
{
	struct str name;
	uint64_t size;
	int more = 1, rc = 0;

	while (rc == 0 && !import_is_lost(i) && !expand_is_over_inside(i->expand) &&
	       (more = bundle_next(bundle, &name, &size, why)) > 0) {
		char *text = xstrndup(name.p, name.n);
		rc = import_member(i, archive, text, bundle, err);
		free(text);
	}
	return rc < 0 ? -1 : more < 0;
}

int import_archive(struct importing *i, const struct import_source *source,
		   struct input *in, struct expand *expand, struct err *err)
{
	struct noted before = count_noted(i);
	struct import_file file = { .path = source->shown };
	struct err why = ERR_INIT;
	struct bundle *bundle = bundle_open(in, &why);
	int rc = bundle ? 0 : 1;

	i->is_collection = true;
	i->archive = in;
	i->expand = expand;
	if (bundle) {
		rc = import_members(i, source, bundle, &why, err);
		bundle_close(bundle);
	}
	i->archive = NULL;
	i->expand = NULL;
	if (rc > 0 && why.kind == ERR_INTERRUPT) {
		*err = why;
		return -1;
	}
	if (rc > 0)
		import_note(i, IMPORT_REFUSED, &file, &why);
	else if (rc == 0 && !expand_is_over_inside(expand))
		note_fruitless(i, source->shown, &before,
			       source->is_found ? IMPORT_PASSED : IMPORT_REFUSED,
			       no_files);
	return rc < 0 ? -1 : 0;
}
