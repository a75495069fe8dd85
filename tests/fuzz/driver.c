/*
 * Replays inputs through a fuzz target where there is no libFuzzer: each
 * operand is a file or a folder of files, and one TAP test.  A crash is the
 * runner's to see; the file at work is then the last line on stdout.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Larger ones are for the tests that read the whole file through ptool. */
#define REPLAY_MAX_BYTES (1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct replay {
	unsigned played, large;
};

/* The bytes in memory of their exact size, so that sanitizers see each overrun. */
static bool replay_file(const char *path, size_t size)
{
	FILE *in = fopen(path, "rb");
	uint8_t *bytes = malloc(size > 0 ? size : 1);
	bool ok = in != NULL && bytes != NULL && fread(bytes, 1, size, in) == size;

	if (ok) {
		printf("# %s\n", path);
		fflush(stdout);
		LLVMFuzzerTestOneInput(bytes, size);
	} else {
		printf("# cannot read %s\n", path);
	}
	free(bytes);
	if (in != NULL)
		fclose(in);
	return ok;
}

static bool replay_path(struct replay *r, const char *path);

static bool replay_folder(struct replay *r, const char *path)
{
	struct dirent **entries = NULL;
	int n = scandir(path, &entries, NULL, alphasort);
	bool ok = n >= 0;

	for (int i = 0; i < n; i++) {
		char child[4096];
		int len =
			snprintf(child, sizeof(child), "%s/%s", path, entries[i]->d_name);

		if (entries[i]->d_name[0] != '.')
			ok &= len < (int)sizeof(child) && replay_path(r, child);
		free(entries[i]);
	}
	free(entries);
	return ok;
}

static bool replay_path(struct replay *r, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0) {
		printf("# %s: %s\n", path, strerror(errno));
		return false;
	}
	if (S_ISDIR(st.st_mode))
		return replay_folder(r, path);
	if (!S_ISREG(st.st_mode))
		return true;
	if (st.st_size > REPLAY_MAX_BYTES) {
		r->large++;
		return true;
	}
	r->played++;
	return replay_file(path, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
	bool all_ok = true;

	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++) {
		struct replay r = { 0, 0 };
		bool ok = replay_path(&r, argv[i]);

		printf("%sok %d - %s: %u inputs replayed, %u too large\n",
		       ok ? "" : "not ", i, argv[i], r.played, r.large);
		all_ok &= ok;
	}
	return all_ok ? 0 : 1;
}
