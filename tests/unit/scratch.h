/*
 * A scratch folder for the tests that need real files: cmocka setup and teardown
 * (the state is its path), and paths in it.
 */
#ifndef PTOOL_TESTS_SCRATCH_H
#define PTOOL_TESTS_SCRATCH_H

#include <dirent.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

static inline int scratch_setup(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char *folder = xasprintf("%s/ptool-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");

	*state = mkdtemp(folder);
	return *state ? 0 : -1;
}

static inline int scratch_remove(const char *path, const struct stat *st, int type,
				 struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int scratch_teardown(void **state)
{
	int rc = nftw(*state, scratch_remove, 16, FTW_DEPTH | FTW_PHYS);

	free(*state);
	return rc;
}

/* The caller frees it. */
static inline char *scratch_path(void **state, const char *name)
{
	return xasprintf("%s/%s", (const char *)*state, name);
}

static inline bool scratch_exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* How many files lie in the folder. */
static inline int scratch_nfiles(void **state)
{
	DIR *dir = opendir(*state);
	struct dirent *entry;
	int n = 0;

	if (!dir)
		abort();
	while ((entry = readdir(dir)))
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return n;
}

static inline void scratch_write(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	if (!out || fputs(text, out) < 0 || fclose(out) != 0)
		abort();
}

#endif
