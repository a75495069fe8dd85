/*
 * What temporary files take: see temporary_files.h.  A VFS of its own, which is SQLite's but
 * for the methods of the files that it opens without a name:
 * https://www.sqlite.org/vfs.html.
 */
#include "store/temporary_files.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

struct temporary_files {
	struct sqlite3_io_methods methods; /* first: a file tells them */
	const struct sqlite3_io_methods *below;
	struct sqlite3_vfs vfs;
	struct sqlite3_vfs *vfs_below;
	pthread_mutex_t mutex; /* threads that sort open files, too */
	char name[48];
	_Atomic int64_t bytes, most; /* most 0: no limit */
	atomic_bool are_full;
};

static struct temporary_files *of(struct sqlite3_file *file)
{
	const union {
		const struct sqlite3_io_methods *methods;
		struct temporary_files *files;
	} own = { .methods = file->pMethods };

	return own.files;
}

static int64_t size_of(struct sqlite3_file *file)
{
	sqlite3_int64 size = 0;

	return of(file)->below->xFileSize(file, &size) == SQLITE_OK ? size : 0;
}

/* False where so many more are too many. */
static bool take(struct temporary_files *t, int64_t bytes)
{
	if (bytes <= 0 || atomic_fetch_add(&t->bytes, bytes) + bytes <= t->most)
		return true;
	atomic_fetch_sub(&t->bytes, bytes);
	atomic_store(&t->are_full, true);
	return false;
}

static int write_counted(struct sqlite3_file *file, const void *bytes, int n,
			 sqlite3_int64 at)
{
	if (!take(of(file), at + n - size_of(file)))
		return SQLITE_FULL;
	return of(file)->below->xWrite(file, bytes, n, at);
}

static int truncate_counted(struct sqlite3_file *file, sqlite3_int64 to)
{
	int64_t before = size_of(file);
	int rc = of(file)->below->xTruncate(file, to);

	atomic_fetch_sub(&of(file)->bytes, before - size_of(file));
	return rc;
}

/* A hint at how large a file will be makes it so large. */
static int control_counted(struct sqlite3_file *file, int what, void *with)
{
	int64_t before = size_of(file), more = 0;

	if (what == SQLITE_FCNTL_SIZE_HINT)
		more = *(sqlite3_int64 *)with - before;
	if (more < 0)
		more = 0;
	if (!take(of(file), more))
		return SQLITE_FULL;
	int rc = of(file)->below->xFileControl(file, what, with);
	atomic_fetch_add(&of(file)->bytes, size_of(file) - before - more);
	return rc;
}

static int close_counted(struct sqlite3_file *file)
{
	struct temporary_files *t = of(file);
	int64_t size = size_of(file);
	int rc = t->below->xClose(file);

	atomic_fetch_sub(&t->bytes, size);
	return rc;
}

static void count(struct temporary_files *t, struct sqlite3_file *file)
{
	pthread_mutex_lock(&t->mutex);
	if (!t->below) {
		t->below = file->pMethods;
		t->methods = *file->pMethods;
		t->methods.xWrite = write_counted;
		t->methods.xTruncate = truncate_counted;
		t->methods.xFileControl = control_counted;
		t->methods.xClose = close_counted;
	}
	if (t->below == file->pMethods)
		file->pMethods = &t->methods;
	pthread_mutex_unlock(&t->mutex);
}

static int open_file(struct sqlite3_vfs *vfs, const char *name, struct sqlite3_file *file,
		     int flags, int *out_flags)
{
	struct temporary_files *t = vfs->pAppData;
	int rc = t->vfs_below->xOpen(t->vfs_below, name, file, flags, out_flags);

	if (rc == SQLITE_OK && !name && t->most)
		count(t, file);
	return rc;
}

struct temporary_files *temporary_files_new(void)
{
	struct temporary_files *t = xcalloc(1, sizeof(*t));

	sqlite3_initialize();
	t->vfs_below = sqlite3_vfs_find(NULL);
	pthread_mutex_init(&t->mutex, NULL);
	snprintf(t->name, sizeof(t->name), "ptool-%p", (void *)t);
	t->vfs = *t->vfs_below;
	t->vfs.pNext = NULL;
	t->vfs.zName = t->name;
	t->vfs.pAppData = t;
	t->vfs.xOpen = open_file;
	sqlite3_vfs_register(&t->vfs, 0);
	return t;
}

const char *temporary_files_vfs(const struct temporary_files *t)
{
	return t->name;
}

void temporary_files_limit(struct temporary_files *t, int64_t bytes)
{
	t->most = bytes;
}

bool temporary_files_are_full(const struct temporary_files *t)
{
	return t->are_full;
}

void temporary_files_free(struct temporary_files *t)
{
	if (!t)
		return;
	sqlite3_vfs_unregister(&t->vfs);
	pthread_mutex_destroy(&t->mutex);
	free(t);
}
