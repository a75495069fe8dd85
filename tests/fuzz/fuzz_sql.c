/*
 * A user's own SQL on a sound store: rows, or one line that says what is wrong
 * with which byte; and nothing is changed, whatever it asks for.  Corpus only.
 *
 * timeout: 300 s
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "query/user_sql.h"
#include "small_store.h"

#define ROWS_MAX  200
#define STEPS_MAX 200000 /* of SQLite's machine */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz_sql: %s\n", what);
	abort();
}

static void must_tell(const struct err *err, size_t size)
{
	must(err->kind != ERR_NONE && err->text[0], "a failure without a message");
	must(err->offset <= (int64_t)size, "an error behind the text's end");
}

static int stop(void *unused)
{
	(void)unused;
	return 1;
}

static void must_draw(const struct cell *cell)
{
	must(cell->type != CELL_TEXT || cell->as.text.p || !cell->as.text.n, "no text");
	must(cell->type != CELL_REAL || cell->as.real == cell->as.real, "not a number");
}

static void read_table(struct table *t, size_t size)
{
	struct cell *cells = xcalloc(t->ncolumns + 1, sizeof(*cells));
	struct err err = ERR_INIT;
	int rc = 1;

	for (int n = 0; n < ROWS_MAX && (rc = t->next(t, cells, &err)) == 1; n++)
		for (size_t i = 0; i < t->ncolumns; i++)
			must_draw(&cells[i]);
	if (rc < 0)
		must_tell(&err, size);
	free(cells);
}

static void run(struct user_sql *q, size_t size)
{
	struct err err = ERR_INIT;
	struct table *t;
	int rc;

	if (user_sql_bind(q, STR_LIT("a"), "1.5", &err) < 0)
		must_tell(&err, size);
	err = (struct err)ERR_INIT;
	if (user_sql_check_bound(q, &err) < 0) {
		must_tell(&err, size);
		return;
	}
	size_t n = 0;
	while ((rc = user_sql_next(q, n % 2, &t, &err)) == 1) {
		for (struct table *at = t; at; at = at->more, n++)
			read_table(at, size);
		table_free(t);
	}
	if (rc < 0)
		must_tell(&err, size);
	must(rc < 0 || n == user_sql_nresults(q), "results that were not announced");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xcalloc(1, size + 1);
	struct err err = ERR_INIT;
	struct store *store;
	struct user_sql *q;

	if (size)
		memcpy(text, data, size);
	sqlite3_hard_heap_limit64((sqlite3_int64)64 << 20);
	const char *path = small_store_file(small_store(SMALL_TRACE));
	must(store_open(path, &store, &err) == 0, err.text);
	sqlite3_progress_handler(store_db(store), STEPS_MAX, stop, NULL);
	sqlite3_limit(store_db(store), SQLITE_LIMIT_LENGTH, 1 << 20);
	if (user_sql_open(store, text, NULL, &q, &err) == 0)
		run(q, strlen(text));
	else
		must_tell(&err, strlen(text));
	must(!q || err.kind == ERR_NONE, "a failure with a query");
	user_sql_close(q);
	store_close(store);
	must(small_store_is(small_store(SMALL_TRACE)), "the store was changed");
	free(text);
	return 0;
}
