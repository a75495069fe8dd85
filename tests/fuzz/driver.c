/*
 * Replays inputs through a fuzz target where there is no libFuzzer: each
 * operand is a file or a folder of files, and one TAP test: the files as they
 * are, cut, and with a bit turned over.  One more test is of random bytes and
 * random traces.  With -nN in front only one in N of the random and the damaged
 * ones is played, always the same.  A crash is the runner's to see; the input at work is then
 * the last line on stdout.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "random_trace.h"

/* Larger ones are for the tests that read the whole file through ptool. */
#define REPLAY_MAX_BYTES (1 << 20)
/* So many bytes of damaged copies of each file, and so many copies. */
#define DAMAGED_BYTES (1 << 18)
#define DAMAGED_MAX   20
#define RANDOM_TRACES 400
#define RANDOM_TEXTS  2000
#define RANDOM_BYTES  300

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct replay {
	unsigned played, damaged, large;
	unsigned one_in; /* of the damaged copies */
};

/* In memory of their exact size, so that sanitizers see each overrun. */
static void play(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size > 0 ? size : 1);

	if (copy == NULL)
		abort();
	for (size_t i = 0; i < size; i++)
		copy[i] = bytes[i];
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

/* Copies of the file that end early, or have a bit turned over. */
static unsigned play_damaged(uint8_t *bytes, size_t size, unsigned one_in)
{
	size_t n = size ? DAMAGED_BYTES / size : 0;
	uint64_t state = size;

	n = n > DAMAGED_MAX ? DAMAGED_MAX : n;
	n = n > 4 * size ? 4 * size : n;
	n = (n + one_in - 1) / one_in;
	for (size_t i = 0; i < n; i++) {
		size_t at = random_below(&state, size);
		uint8_t bit = (uint8_t)(1U << random_below(&state, 8));

		printf("# cut at byte %zu, bit %#x of it turned over\n", at, bit);
		fflush(stdout);
		play(bytes, at);
		bytes[at] ^= bit;
		play(bytes, size);
		bytes[at] ^= bit;
	}
	return 2 * (unsigned)n;
}

static bool replay_file(struct replay *r, const char *path, size_t size)
{
	FILE *in = fopen(path, "rb");
	uint8_t *bytes = malloc(size > 0 ? size : 1);
	bool ok = in != NULL && bytes != NULL && fread(bytes, 1, size, in) == size;

	if (ok) {
		printf("# %s\n", path);
		fflush(stdout);
		play(bytes, size);
		r->damaged += play_damaged(bytes, size, r->one_in);
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
	return replay_file(r, path, (size_t)st.st_size);
}

/* Bytes that begin as traces do half of the time. */
static void add_random_bytes(uint64_t *state, struct buf *out)
{
	static const char letters[] = "{}[],:\"\\ \n0123456789.-eEXntaphsdurinfNaN";
	uint64_t n = random_below(state, RANDOM_BYTES);
	bool is_text = random_below(state, 2);

	buf_add_text(out,
		     random_below(state, 2) ? "{\"traceEvents\":[{\"ph\":\"X\"," : "");
	for (uint64_t i = 0; i < n; i++) {
		uint64_t any = random_below(state, 256);
		char byte = (char)any;
		if (is_text)
			byte = letters[any % (sizeof(letters) - 1)];
		buf_add_char(out, byte);
	}
}

/* One in so many of the random inputs. */
static void play_random(unsigned one_in)
{
	uint64_t state = 1;
	struct buf text;

	buf_init(&text, 1 << 20);
	for (unsigned i = 0; i < RANDOM_TRACES + RANDOM_TEXTS; i++) {
		printf("# random input %u\n", i);
		fflush(stdout);
		buf_clear(&text);
		if (i < RANDOM_TRACES)
			random_trace(&state, &text);
		else
			add_random_bytes(&state, &text);
		if (i % one_in == 0)
			play((const uint8_t *)text.p, text.n);
	}
	buf_release(&text);
}

int main(int argc, char **argv)
{
	bool all_ok = true;
	unsigned one_in = 1;

	if (argc > 1 && strncmp(argv[1], "-n", 2) == 0) {
		one_in = (unsigned)strtoul(argv[1] + 2, NULL, 10);
		argc--;
		argv++;
	}
	one_in = one_in ? one_in : 1;
	printf("1..%d\n", argc);
	play_random(one_in);
	printf("ok 1 - one in %u of %d random traces, %d random texts\n", one_in,
	       RANDOM_TRACES, RANDOM_TEXTS);
	for (int i = 1; i < argc; i++) {
		struct replay r = { 0, 0, 0, one_in };
		bool ok = replay_path(&r, argv[i]);

		printf("%sok %d - %s: %u inputs replayed, %u damaged, %u too large\n",
		       ok ? "" : "not ", i + 1, argv[i], r.played, r.damaged, r.large);
		all_ok &= ok;
	}
	return all_ok ? 0 : 1;
}
