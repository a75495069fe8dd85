/*
 * read_blocks [-a] THREADS BLOCK_SIZE STORE FILE...: ptool ingest with that many
 * threads beside its own and blocks of that size, for tests: no option makes
 * blocks smaller than is quick.  All threads read one file, with -a they read
 * ahead, too.  Refused files are told on stderr; exit 4.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/import.h"

static void on_refused(void *to, const char *path, const struct err *err)
{
	(void)to;
	fprintf(stderr, "%s: %lld: %s\n", path, (long long)err->offset, err->text);
}

int main(int argc, char **argv)
{
	bool is_ahead = argc > 1 && strcmp(argv[1], "-a") == 0;

	argv += is_ahead;
	argc -= is_ahead;
	if (argc < 5)
		return 2;
	struct import_options options = {
		.store = argv[3],
		.run = "it",
		.read = { .keep_args = true,
			  .threads = (unsigned)strtoul(argv[1], NULL, 10),
			  .block_size = (size_t)strtoul(argv[2], NULL, 10) },
		.fresh = true,
		.one_by_one = !is_ahead,
	};
	struct import_events events = { .refused = on_refused };
	struct import_result result;
	struct err err = ERR_INIT;

	int rc = import_files(&options, (const char *const *)argv + 4, (size_t)argc - 4,
			      &events, &result, &err);
	if (rc < 0 && !result.is_refusal)
		fprintf(stderr, "%s: %s\n", argv[3], err.text);
	return rc < 0 || result.refused ? 4 : 0;
}
