/*
 * page_rows ROWS STORE RUN FILE...: ptool ingest into a run, which writes tables of so
 * many rows or more as pages: 1 for all of them, 0 for none.  With 1 threads share out
 * each pass over the rows, too, however few there are.  For tests: no option says so.
 * Refused files are told on stderr; exit 4.
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/import.h"

static void on_refused(void *to, const char *path, const struct err *err)
{
	(void)to;
	fprintf(stderr, "%s: %lld: %s\n", path, (long long)err->offset, err->text);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	struct limits limits = usual_limits;
	uint64_t rows = strtoull(argv[1], NULL, 10);

	limits.page_rows = rows ? rows : INT64_MAX;
	limits.shared_rows = rows == 1 ? 1 : limits.shared_rows;
	struct import_options options = {
		.store = argv[2],
		.run = argv[3],
		.read = { .keep_args = true,
			  .limits = &limits,
			  .threads = rows == 1 ? 2 : 0 },
		.one_by_one = true,
	};
	struct import_events events = { .refused = on_refused };
	struct import_result result;
	struct err err = ERR_INIT;

	if (import_files(&options, (const char *const *)argv + 4, (size_t)argc - 4,
			 &events, &result, &err) < 0) {
		if (!result.is_refusal)
			fprintf(stderr, "%s\n", err.text);
		return 4;
	}
	return result.refused ? 4 : 0;
}
