/*
 * Is a store already of these files?  For who runs `ptool ingest` again after a task was
 * killed: what was done needs not be done twice.
 */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/intern.h"
#include "base/walk.h"
#include "store/import.h"
#include "store/sql.h"
#include "store/statements.h"
#include "store/store.h"

struct looking {
	const struct import_options *options;
	struct sqlite3_stmt *stmt; /* has_recording */
	const char *run;
	int64_t store_ns;   /* when the store was changed */
	size_t nfound;      /* profiles */
	struct intern seen; /* (device, inode) of files: each was read once */
};

static int64_t ns_of(struct timespec at)
{
	return at.tv_sec * INT64_C(1000000000) + at.tv_nsec;
}

static bool is_again(struct looking *l, const struct stat *st)
{
	const uint64_t key[] = { (uint64_t)st->st_dev, (uint64_t)st->st_ino };
	size_t known = l->seen.n;

	return intern_add(&l->seen, str_bytes(key, sizeof(key))) < known;
}

/*
 * Profiles of the file, by the path that the store has of it, or of members of the archive
 * that it is; -1: of another time.
 */
static int64_t recordings(struct looking *l, const char *path, const struct stat *st)
{
	struct err ignored = ERR_INIT;
	int64_t n = -1;

	sqlite3_bind_text(l->stmt, 1, l->run, -1, SQLITE_STATIC);
	sqlite3_bind_text(l->stmt, 2, path, -1, SQLITE_STATIC);
	sqlite3_bind_int64(l->stmt, 3, ns_of(st->st_mtim));
	sqlite3_bind_int(l->stmt, 4, l->options->summary_only);
	if (sql_step(l->stmt, &ignored) > 0)
		n = sqlite3_column_int64(l->stmt, 0);
	sqlite3_reset(l->stmt);
	return n;
}

static bool has_file(struct looking *l, const char *path, const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return false;
	if (is_again(l, st))
		return true;
	int64_t n = recordings(l, path, st);
	l->nfound += n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* Files that were no traces have no profile: they are as old as the store at most. */
static bool has_folder(struct looking *l, const char *path)
{
	struct err ignored = ERR_INIT;
	struct walk walk;
	bool is_there = walk_folder(path, &walk, NULL, NULL, &ignored) == 0;

	for (size_t i = 0; i < walk.n && is_there; i++) {
		const struct walk_file *file = &walk.files[i];
		if (file->kind != WALK_FILE || store_is_own(file->path) ||
		    is_again(l, &file->st))
			continue;
		int64_t n = recordings(l, file->path, &file->st);
		is_there = n > 0 || (n == 0 && ns_of(file->st.st_ctim) < l->store_ns);
		l->nfound += n > 0 ? (size_t)n : 0;
	}
	walk_release(&walk);
	return is_there;
}

static bool has_all(struct looking *l, const char *const *paths, size_t npaths)
{
	struct stat st;

	for (size_t i = 0; i < npaths; i++) {
		char *path = NULL;
		if (strcmp(paths[i], "-") == 0 || stat(paths[i], &st) < 0 ||
		    !(path = realpath(paths[i], NULL)))
			return false;
		bool is_there = S_ISDIR(st.st_mode) ? has_folder(l, path)
						    : has_file(l, path, &st);
		free(path);
		if (!is_there)
			return false;
	}
	return l->nfound > 0;
}

bool import_is_there(const struct import_options *options, const char *const *paths,
		     size_t npaths)
{
	struct err ignored = ERR_INIT;
	struct looking l = { .options = options };
	struct store *store = NULL;
	struct stat st;
	char *run = options->run ? xstrdup(options->run) : import_run_name(paths, npaths);

	l.run = run;
	bool is_there = stat(options->store, &st) == 0 &&
			store_open(options->store, &store, &ignored) == 0 &&
			statement_prepare(store_db(store), "has_recording", &l.stmt,
					  &ignored) == 0;
	if (is_there) {
		int64_t n = 0;
		l.store_ns = ns_of(st.st_mtim);
		intern_init(&l.seen);
		is_there = has_all(&l, paths, npaths);
		intern_release(&l.seen);
		/* and no profile of a file that is gone */
		sqlite3_finalize(l.stmt);
		if (is_there && statement_prepare(store_db(store), "count_recordings",
						  &l.stmt, &ignored) == 0) {
			sqlite3_bind_text(l.stmt, 1, run, -1, SQLITE_STATIC);
			if (sql_step(l.stmt, &ignored) > 0)
				n = sqlite3_column_int64(l.stmt, 0);
			sqlite3_finalize(l.stmt);
		}
		is_there = is_there && n == (int64_t)l.nfound;
	}
	store_close(store);
	free(run);
	return is_there;
}
