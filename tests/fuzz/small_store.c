/* Stores for fuzzing: see small_store.h. */
#include "small_store.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "small_recordings.h"
#include "store/import.h"

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	abort();
}

static const char *tmp_folder(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp && *tmp ? tmp : "/tmp";
}

/* All of a file; the caller frees bytes.p. */
static struct bytes read_all(const char *path)
{
	FILE *in = fopen(path, "rb");
	long size = in && fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;

	must(size >= 0, path);
	uint8_t *bytes = xmalloc((size_t)size + 1);
	rewind(in);
	must(fread(bytes, 1, (size_t)size, in) == (size_t)size, path);
	fclose(in);
	return (struct bytes){ bytes, (size_t)size };
}

static void write_file(const char *path, struct bytes bytes)
{
	FILE *out = fopen(path, "wb");

	must(out != NULL, path);
	must(fwrite(bytes.p, 1, bytes.n, out) == bytes.n, path);
	must(fclose(out) == 0, path);
}

/* The store of the recording's files, in an empty folder, which is left empty. */
static struct bytes make(const char *folder, const struct small_recording *recording)
{
	char *paths[SMALL_FILES_MAX] = { NULL }, *db = xasprintf("%s/a.db", folder);
	struct import_options options = { .store = db, .run = "it" };
	struct import_events events = { .to = NULL };
	struct import_result result;
	struct err err = ERR_INIT;
	size_t n = 0;

	for (; n < SMALL_FILES_MAX && recording->files[n].n; n++) {
		paths[n] = xasprintf("%s/input%zu", folder, n);
		write_file(paths[n], recording->files[n]);
	}
	must(import_files(&options, (const char *const *)paths, n, &events, &result,
			  &err) == 0,
	     err.text);
	struct bytes bytes = read_all(db);
	for (size_t i = 0; i < n; i++) {
		remove(paths[i]);
		free(paths[i]);
	}
	remove(db);
	free(db);
	return bytes;
}

struct bytes small_store(enum small_store kind)
{
	static struct bytes stores[NSMALL_STORES];

	if (stores[kind].n)
		return stores[kind];
	char *folder = xasprintf("%s/ptool-fuzz-XXXXXX", tmp_folder());
	must(mkdtemp(folder) != NULL, folder);
	stores[kind] = make(folder, &small_recordings[kind]);
	rmdir(folder);
	free(folder);
	return stores[kind];
}

char *small_store_copy(struct bytes bytes)
{
	char *path = xasprintf("%s/ptool-fuzz-%ld.db", tmp_folder(), (long)getpid());

	write_file(path, bytes);
	return path;
}

static char store_path[4096], trace_path[4096];

static void remove_file(void)
{
	unlink(store_path);
}

static void remove_trace(void)
{
	unlink(trace_path);
}

char *small_store_trace(void)
{
	if (*trace_path)
		return trace_path;
	int n = snprintf(trace_path, sizeof(trace_path), "%s/ptool-fuzz-%ld.json",
			 tmp_folder(), (long)getpid());
	must(n < (int)sizeof(trace_path) && atexit(remove_trace) == 0,
	     "TMPDIR is too long");
	write_file(trace_path, small_recordings[SMALL_TRACE].files[0]);
	return trace_path;
}

const char *small_store_file(struct bytes bytes)
{
	static int fd = -1;

	if (fd < 0) {
		int n = snprintf(store_path, sizeof(store_path), "%s/ptool-fuzz-XXXXXX",
				 tmp_folder());
		must(n < (int)sizeof(store_path), "TMPDIR is too long");
		fd = mkstemp(store_path);
		must(fd >= 0 && atexit(remove_file) == 0, store_path);
	}
	must(pwrite(fd, bytes.p, bytes.n, 0) == (ssize_t)bytes.n, "write");
	must(ftruncate(fd, (off_t)bytes.n) == 0, "truncate");
	return store_path;
}

void small_store_free(struct bytes bytes)
{
	void *p;

	memcpy(&p, &bytes.p, sizeof(p)); /* it was made here, and is no longer const */
	free(p);
}

bool small_store_is_in(const char *path, struct bytes bytes)
{
	struct bytes now = read_all(path);
	bool is = now.n == bytes.n && memcmp(now.p, bytes.p, now.n) == 0;

	small_store_free(now);
	return is;
}

bool small_store_is(struct bytes bytes)
{
	return small_store_is_in(store_path, bytes);
}
