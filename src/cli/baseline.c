/* Baselines as folders: see baseline.h. */
#include "cli/baseline.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/array.h"
#include "cli/scope_options.h"
#include "cli/suggest.h"
#include "store/publish.h"

#define DEFAULT_DIRECTORY ".ptool/baselines"
#define NAME_MAX_BYTES    100
#define SUFFIX            ".db"

/* "20261123T121602-01-": when it was added, and which of those of one call. */
#define STAMP_DIGITS \
	"dddddddd"   \
	"T"          \
	"dddddd"     \
	"-"

const char *baseline_directory(const char *given)
{
	const char *set = getenv("PTOOL_BASELINES");

	if (given)
		return given;
	return set && *set ? set : DEFAULT_DIRECTORY;
}

int baseline_check_name(const char *name, struct err *err)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789._+-";

	if (strlen(name) > NAME_MAX_BYTES)
		return err_set(err, ERR_USAGE,
			       "'%.20s...' cannot name a baseline: it is longer than %d "
			       "bytes",
			       name, NAME_MAX_BYTES);
	if (*name && *name != '.' && *name != '-' && name[strspn(name, allowed)] == '\0')
		return 0;
	return err_set(
		err, ERR_USAGE,
		"'%.100s' cannot name a baseline: letters, digits and . _ + - can, "
		"and it begins with a letter or a digit",
		name);
}

/* What stands behind the stamp; `name` itself where there is none. */
static const char *behind_stamp(const char *name)
{
	static const char form[] = STAMP_DIGITS;
	size_t i = 0;

	for (; form[i]; i++)
		if (form[i] == 'd' ? name[i] < '0' || name[i] > '9' : name[i] != form[i])
			return name;
	size_t digits = strspn(name + i, "0123456789");
	return digits && name[i + digits] == '-' ? name + i + digits + 1 : name;
}

const char *baseline_run_name(const char *path, struct arena *arena)
{
	const char *name = behind_stamp(scope_run_end(path));

	return arena_copy(arena, (struct str){ name, strcspn(name, ".") }).p;
}

const char *baseline_time(const char *path, struct arena *arena)
{
	const char *s = scope_run_end(path);

	if (behind_stamp(s) == s)
		return NULL;
	return arena_printf(arena, "%.4s-%.2s-%.2s %.2s:%.2s:%.2s", s, s + 4, s + 6,
			    s + 9, s + 11, s + 13);
}

/* Which entries of a folder are listed. */
typedef bool wanted_fn(const char *path, const char *name);

static bool is_store_file(const char *path, const char *name)
{
	size_t n = strlen(name), end = strlen(SUFFIX);
	struct stat st;

	/* opening a pipe would wait; where stat() fails, opening the file says why */
	return name[0] != '.' && n > end && strcmp(name + n - end, SUFFIX) == 0 &&
	       (stat(path, &st) != 0 || S_ISREG(st.st_mode));
}

static bool is_folder(const char *path, const char *name)
{
	struct stat st;

	return name[0] != '.' && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The paths of what is wanted, sorted, NULL-terminated; false: no such folder. */
static bool list(const char *folder, wanted_fn *wanted, struct arena *arena,
		 const char ***out, size_t *n, struct err *err)
{
	const char **paths = NULL;
	size_t cap = 0;
	struct dirent *entry;
	DIR *dir = opendir(folder);

	*n = 0;
	*out = NULL;
	if (!dir) {
		if (errno != ENOENT && errno != ENOTDIR)
			err_errno(err, folder);
		return false;
	}
	while ((entry = readdir(dir)) != NULL) {
		const char *path = arena_printf(arena, "%s/%s", folder, entry->d_name);
		if (wanted(path, entry->d_name))
			*ARRAY_PUSH(paths, *n, cap) = path;
	}
	closedir(dir);
	if (*n)
		qsort(paths, *n, sizeof(*paths), compare_names);
	*out = arena_alloc(arena, (*n + 1) * sizeof(*paths));
	if (*n)
		memcpy(*out, paths, *n * sizeof(*paths));
	(*out)[*n] = NULL;
	free(paths);
	return true;
}

bool baseline_has(const char *folder, const char *beginning)
{
	struct dirent *entry;
	DIR *dir = opendir(folder);
	bool has = false;

	while (dir && !has && (entry = readdir(dir)) != NULL)
		has = strncmp(entry->d_name, beginning, strlen(beginning)) == 0;
	if (dir)
		closedir(dir);
	return has;
}

void baseline_clear_leftovers(const char *folder)
{
	static const char *const suffixes[] = { SUFFIX ".lock", SUFFIX ".tmp." };
	struct dirent *entry;
	DIR *dir = opendir(folder);

	while (dir && (entry = readdir(dir)) != NULL) {
		const char *name = entry->d_name;
		for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
			const char *at = strstr(name, suffixes[i]);
			if (!at || behind_stamp(name) == name)
				continue;
			char *store = xasprintf("%s/%.*s" SUFFIX, folder,
						(int)(at - name), name);
			publish_clear_leftovers(store);
			free(store);
		}
	}
	if (dir)
		closedir(dir);
}

int baseline_names(const char *directory, struct arena *arena, const char *const **out,
		   struct err *err)
{
	static const char *const none[] = { NULL };
	const char **paths;
	size_t n;

	*out = none;
	if (!list(directory, is_folder, arena, &paths, &n, err))
		return err->kind ? -1 : 0;
	for (size_t i = 0; i < n; i++)
		paths[i] = scope_run_end(paths[i]);
	*out = paths;
	return 0;
}

static int no_baseline(const char *directory, const char *name, struct arena *arena,
		       struct err *err)
{
	const char *const *names;

	if (err->kind || baseline_names(directory, arena, &names, err) < 0)
		return -1;
	const char *nearest = suggest_nearest(name, names);
	if (nearest)
		return err_set(err, ERR_INPUT,
			       "there is no baseline '%s' in %s; did you mean '%s'?",
			       name, directory, nearest);
	return err_set(
		err, ERR_INPUT,
		"there is no baseline '%s' in %s; 'ptool baseline save %s FILE...' "
		"makes one",
		name, directory, name);
}

int baseline_find(const char *directory, const char *name, struct arena *arena,
		  struct baseline *out, struct err *err)
{
	*out = (struct baseline){ .folder =
					  arena_printf(arena, "%s/%s", directory, name) };
	if (baseline_check_name(name, err) < 0)
		return -1;
	if (!list(out->folder, is_store_file, arena, &out->paths, &out->n, err))
		return no_baseline(directory, name, arena, err);
	return out->n ? 0
		      : err_set(err, ERR_EMPTY,
				"baseline '%s' in %s holds no run; 'ptool baseline save "
				"%s FILE...' adds some",
				name, directory, name);
}

const char *baseline_of_operand(const char *operand)
{
	size_t n = strlen(BASELINE_PREFIX);

	return strncmp(operand, BASELINE_PREFIX, n) == 0 ? operand + n : NULL;
}

const char *baseline_operand(const char *directory, const char *name, struct arena *arena)
{
	struct stat st;
	const char *folder =
		arena_printf(arena, "%s/%s", baseline_directory(directory), name);

	if (baseline_of_operand(name) || strpbrk(name, "/*?[") ||
	    (stat(folder, &st) != 0 && stat(name, &st) == 0 && !S_ISDIR(st.st_mode)))
		return name;
	return arena_printf(arena, "%s%s", BASELINE_PREFIX, name);
}
