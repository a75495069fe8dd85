/*
 * Walking a folder: see walk.h.  The folders still to be listed are a list of
 * paths, not a recursion with one open descriptor a level.
 */
#include "base/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"

struct pending {
	const char *path;
	unsigned depth;
};

struct walking {
	struct walk *out;
	struct pending *folders; /* owned */
	size_t n, cap;
};

static struct walk_file *add_file(struct walk *w, const char *path, enum walk_kind kind)
{
	struct walk_file *file = ARRAY_PUSH(w->files, w->n, w->cap);

	*file = (struct walk_file){ .path = path, .kind = kind };
	return file;
}

static void add_failed(struct walk *w, const char *path, int error)
{
	add_file(w, path, WALK_FAILED)->error = error;
}

/* An entry of a folder: a file for the list, or a folder that is still to be listed. */
static void take_entry(struct walking *w, const struct pending *folder, DIR *dir,
		       const char *name)
{
	struct walk *out = w->out;
	struct stat st;
	bool is_link = false;
	const char *slash = folder->path[strlen(folder->path) - 1] == '/' ? "" : "/";
	const char *path = arena_printf(&out->arena, "%s%s%s", folder->path, slash, name);

	int rc = fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW);
	if (rc == 0 && S_ISLNK(st.st_mode)) {
		is_link = true;
		rc = fstatat(dirfd(dir), name, &st, 0);
	}
	if (rc < 0) {
		add_failed(out, path, errno);
	} else if (S_ISREG(st.st_mode)) {
		add_file(out, path, WALK_FILE)->st = st;
		out->bytes += (uint64_t)st.st_size;
	} else if (!S_ISDIR(st.st_mode)) {
		add_file(out, path, WALK_OTHER);
	} else if (is_link) {
		add_file(out, path, WALK_LINK);
	} else {
		*ARRAY_PUSH(w->folders, w->n, w->cap) =
			(struct pending){ path, folder->depth + 1 };
	}
}

/* The entries of one folder; an errno, or 0. */
static int list_entries(struct walking *w, const struct pending *folder, DIR *dir)
{
	struct dirent *entry;

	errno = 0;
	while (w->out->n + w->n <= WALK_FILES_MAX && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			take_entry(w, folder, dir, entry->d_name);
		errno = 0;
	}
	return errno;
}

static int list_folder(struct walking *w, const struct pending *folder, struct err *err)
{
	DIR *dir = opendir(folder->path);
	int error = dir ? list_entries(w, folder, dir) : errno;

	if (dir)
		closedir(dir);
	if (error && folder->depth == 0)
		return err_set(err, ERR_INPUT, "cannot list the folder: %s",
			       strerror(error));
	if (error)
		add_failed(w->out, folder->path, error);
	return 0;
}

static int list_all(struct walking *w, walk_stop_fn *stop, void *to, struct err *err)
{
	while (w->n > 0) {
		struct pending folder = w->folders[--w->n];
		if (stop && stop(to, err) < 0)
			return -1;
		if (folder.depth > WALK_DEPTH_MAX)
			return err_set(err, ERR_INPUT,
				       "more than %d folders lie within each other",
				       WALK_DEPTH_MAX);
		if (list_folder(w, &folder, err) < 0)
			return -1;
		if (w->out->n + w->n > WALK_FILES_MAX)
			return err_set(
				err, ERR_INPUT,
				"more than %d files lie below it; name a smaller folder",
				WALK_FILES_MAX);
	}
	return 0;
}

static int by_path(const void *a, const void *b)
{
	const struct walk_file *x = a, *y = b;

	return natural_compare(str_of(x->path), str_of(y->path));
}

int walk_folder(const char *folder, struct walk *out, walk_stop_fn *stop, void *to,
		struct err *err)
{
	struct walking w = { .out = out };

	*out = (struct walk){ 0 };
	w.folders = xgrow(NULL, &w.cap, 1, sizeof(*w.folders));
	w.folders[w.n++] = (struct pending){ folder, 0 };
	int rc = list_all(&w, stop, to, err);
	free(w.folders);
	if (out->n)
		qsort(out->files, out->n, sizeof(*out->files), by_path);
	return rc;
}

void walk_release(struct walk *w)
{
	free(w->files);
	arena_release(&w->arena);
	*w = (struct walk){ 0 };
}
