/*
 * The whole way of a file by ptool ingest: which kind it is, its parts and their profiles,
 * the store, and commands that show it.  What is stored holds together, and every command
 * has an answer or a message.  Corpus only; one in 4, as each is three commands.
 *
 * timeout: 300 s
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "run_command.h"
#include "small_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What shows profiles of each kind, and of many; an input tries SHOWN_LINES, by its size. */
static const char *const lines[] = {
	"overview STORE",
	"info STORE",
	"doctor STORE",
	"ranks STORE",
	"ranks STORE --what-if",
	"steps STORE --phases",
	"top STORE --by rank,name",
	"list STORE",
	"pstats STORE",
	"lines STORE",
	"memory STORE --curve",
	"memory STORE --live",
	"flame STORE --height 24 --width 80",
	"timeline STORE",
	"comm STORE --ranks",
	"advise STORE",
	"graphs STORE",
	"compile STORE",
	"diff STORE STORE",
	"report -q -f -o OUT STORE",
	"merge -q -f -o OUT STORE",
};
#define NLINES      (sizeof(lines) / sizeof(*lines))
#define SHOWN_LINES 2

/* Each selects what must not be; fuzz_store looks at the rows of slices. */
static const char *const forbidden[] = {
	"SELECT \"table\" FROM pragma_foreign_key_check",
	/* slices of a profile that are neither on a track nor set apart, or on two */
	("SELECT p.id FROM profile p WHERE p.slices <> "
	 "(SELECT coalesce(sum(t.slices), 0) FROM track t WHERE t.profile_id = p.id) + "
	 "(SELECT count(*) FROM quarantine q WHERE q.slice_id >= p.first_slice_id "
	 "AND q.slice_id < p.first_slice_id + p.slices)"),
	/* profiles whose slices are each other's */
	("SELECT b.id FROM profile a JOIN profile b ON b.id > a.id "
	 "WHERE b.slices > 0 AND b.first_slice_id < a.first_slice_id + a.slices"),
};

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz_import: %s\n", what);
	abort();
}

static int found(void *what, int n, char **cells, char **names)
{
	(void)n;
	(void)names;
	fprintf(stderr, "fuzz_import: %s: %s\n", (const char *)what, cells[0]);
	abort();
}

static void check_store(const char *store)
{
	struct sqlite3 *db;

	must(sqlite3_open_v2(store, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK,
	     "no store");
	for (size_t i = 0; i < sizeof(forbidden) / sizeof(*forbidden); i++) {
		char *query = xstrdup(forbidden[i]);
		must(sqlite3_exec(db, query, found, query, NULL) == SQLITE_OK,
		     sqlite3_errmsg(db));
		free(query);
	}
	sqlite3_close(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *input = small_store_copy((struct bytes){ data, size });
	char *store = xasprintf("%s.store", input), *out = xasprintf("%s.out", input);
	const struct placeholder places[] = { { "INPUT", input },
					      { "STORE", store },
					      { "OUT", out } };
	const size_t nplaces = sizeof(places) / sizeof(*places);

	if (run_command("ingest -q -j1 -o STORE INPUT", places, nplaces) == 0) {
		check_store(store);
		for (size_t i = 0; i < SHOWN_LINES; i++)
			run_command(lines[(size + i) % NLINES], places, nplaces);
	}
	unlink(input);
	unlink(store);
	unlink(out);
	free(input);
	free(store);
	free(out);
	return 0;
}
