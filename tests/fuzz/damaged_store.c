/* Damaged stores for fuzzing: see damaged_store.h. */
#include "damaged_store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "small_store.h"

#define ROWS_MAX    500
#define COLUMNS_MAX 200
#define STEPS_MAX   2000000 /* of SQLite's machine: a damaged tree may go in circles */

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "damaged store: %s\n", what);
	abort();
}

static void add(struct gist *g, const char *text, size_t n)
{
	if (n)
		g->hash = g->hash * 31 + hash_bytes(text, n);
}

void gist_failure(struct gist *g, const struct err *err)
{
	must(err->kind != ERR_NONE && err->text[0], "a failure without a message");
	add(g, err->text, strlen(err->text));
}

static void add_cell(struct gist *g, const struct cell *cell)
{
	g->hash = g->hash * 31 + cell->type;
	if (cell->type == CELL_TEXT)
		add(g, cell->as.text.p, cell->as.text.n);
	else if (cell->type == CELL_INT)
		g->hash = g->hash * 31 + (uint64_t)cell->as.integer;
}

void gist_table(struct gist *g, int rc, struct table *t, struct err *err)
{
	struct cell cells[COLUMNS_MAX];

	t = rc == 0 ? t : NULL;
	for (struct table *at = t; at && rc >= 0; at = at->more) {
		if (at->ncolumns > COLUMNS_MAX)
			continue;
		for (int n = 0; n < ROWS_MAX && (rc = at->next(at, cells, err)) == 1; n++)
			for (size_t i = 0; i < at->ncolumns; i++)
				add_cell(g, &cells[i]);
	}
	must((rc < 0) == (err->kind != ERR_NONE), "a failure that is none");
	if (rc < 0)
		gist_failure(g, err);
	table_free(t);
	*err = (struct err)ERR_INIT;
}

static int stop(void *unused)
{
	(void)unused;
	return 1;
}

static uint64_t read_store(const char *path, damaged_store_fn *read, uint64_t chance)
{
	struct gist g = { 0 };
	struct err err = ERR_INIT;
	struct scope scope = { .n = 0 };
	struct store *store;

	if (store_open(path, &store, &err) < 0) {
		must(!store, "a failure with a store");
		gist_failure(&g, &err);
		return g.hash;
	}
	sqlite3_progress_handler(store_db(store), STEPS_MAX, stop, NULL);
	bool is_loaded = scope_load(store, &(struct scope_request){ .all_runs = true },
				    &scope, &err) == 0;
	if (!is_loaded)
		gist_failure(&g, &err);
	read(&g, store, is_loaded ? &scope : NULL, chance);
	scope_release(&scope);
	store_close(store);
	return g.hash;
}

/* What fails is left out. */
static void run_each(struct sqlite3 *db, const char *sql)
{
	struct sqlite3_stmt *stmt;

	while (*sql && sqlite3_prepare_v2(db, sql, -1, &stmt, &sql) == SQLITE_OK) {
		while (stmt && sqlite3_step(stmt) == SQLITE_ROW)
			;
		sqlite3_finalize(stmt);
	}
}

struct bytes damaged_store_by_sql(struct bytes base, const char *sql)
{
	struct sqlite3 *db = NULL;
	sqlite3_int64 n = 0;
	unsigned char *copy = sqlite3_malloc64(base.n);

	must(copy && sqlite3_open(":memory:", &db) == SQLITE_OK, "no memory");
	memcpy(copy, base.p, base.n);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
	sqlite3_deserialize(
		db, "main", copy, (sqlite3_int64)base.n, (sqlite3_int64)base.n,
		SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
	sqlite3_progress_handler(db, STEPS_MAX, stop, NULL);
	run_each(db, sql);
	unsigned char *now = sqlite3_serialize(db, "main", &n, 0);
	uint8_t *kept = xmalloc((size_t)n + 1);
	struct bytes bytes = { kept, (size_t)n };
	if (n)
		memcpy(kept, now, bytes.n);
	sqlite3_free(now);
	sqlite3_close(db);
	return bytes;
}

/* The small store, tampered with by SQL; the caller frees bytes.p. */
static struct bytes tampered(struct str sql)
{
	char *text = xstrndup(sql.p, sql.n);
	struct bytes bytes = damaged_store_by_sql(small_store(SMALL_TRACE), text);

	free(text);
	return bytes;
}

/* The small store with some of its bytes replaced; the caller frees bytes.p. */
static struct bytes edited(const uint8_t *data, size_t size)
{
	const struct bytes base = small_store(SMALL_TRACE);
	uint8_t *copy = xmalloc(base.n);
	size_t n = base.n;

	memcpy(copy, base.p, base.n);
	while (size > 3) {
		size_t at = ((size_t)data[0] << 8 | data[1]) * 5 % base.n,
		       len = data[2] % 16;
		len = len < size - 3 ? len : size - 3;
		if (len == 0) /* cut off */
			n = at;
		else if (len <= base.n - at)
			memcpy(copy + at, data + 3, len);
		data += 3 + len;
		size -= 3 + len;
	}
	return (struct bytes){ copy, n };
}

void damaged_store_read(const uint8_t *data, size_t size, damaged_store_fn *read)
{
	struct str text = { (const char *)data, size };
	struct bytes bytes = { data, size }, made = { NULL, 0 };

	sqlite3_hard_heap_limit64((sqlite3_int64)256 << 20);
	if (str_starts_with(text, STR_LIT("SQL:")))
		bytes = made = tampered(str_behind(text, 4));
	else if (!str_starts_with(text, STR_LIT("SQLite format 3")))
		bytes = made = edited(data, size);
	const char *path = small_store_file(bytes);
	uint64_t chance = hash_bytes(bytes.p, bytes.n);
	uint64_t first = read_store(path, read, chance);
	if (chance % 4 == 0) /* it costs as much again */
		must(read_store(path, read, chance) == first,
		     "another answer to the same question");
	must(small_store_is(bytes), "the store was changed");
	small_store_free(made);
}
