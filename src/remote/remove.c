/* Taking runs out of a database: see remove.h. */
#include "remote/remove.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/asset.h"
#include "remote/ask.h"
#include "remote/list.h"
#include "remote/tables.h"

ASSET(asset_remote_live_keys_sql);
ASSET(asset_remote_gc_live_sql);
ASSET(asset_remote_gc_pushes_sql);
ASSET(asset_remote_gc_local_sql);
ASSET(asset_remote_gc_delete_sql);

#define SQL_MAX      ((size_t)256 << 10)
#define PUSHES_MAX   100000000
#define DELETED_ONCE 5000 /* pushes that a statement names */

struct numbers {
	uint64_t *items; /* owned */
	size_t n, cap;
	uint64_t most; /* rows that a server may answer with */
};

static int take_number(void *to, const struct rowbinary_cell *cells, struct err *err)
{
	struct numbers *numbers = to;

	(void)err;
	*ARRAY_PUSH(numbers->items, numbers->n, numbers->cap) = (uint64_t)cells[0].number;
	return 0;
}

static int take_pair(void *to, const struct rowbinary_cell *cells, struct err *err)
{
	take_number(to, cells, err);
	return cells[1].number ? take_number(to, cells + 1, err) : 0;
}

/* The numbers of `ncolumns`, one or two, columns. */
static int ask_numbers(struct http *http, const unsigned char *file,
		       const struct ask_word *words, size_t ncolumns, struct numbers *out,
		       struct err *err)
{
	static const struct rowbinary_type types[] = { { ROWBINARY_INT, false },
						       { ROWBINARY_INT, false } };
	struct rowbinary_reader reader = { .types = types,
					   .ntypes = ncolumns,
					   .most = out->most,
					   .row = ncolumns == 1 ? take_number : take_pair,
					   .to = out };
	struct buf sql;

	buf_init(&sql, SQL_MAX);
	int rc = ask_fill(file, words, &sql, err);
	if (rc == 0)
		rc = ask_rows(http, sql.p, NULL, &reader, err);
	buf_release(&sql);
	return rc;
}

int remove_run(struct pusher *pusher, const char *run, uint64_t *nprofiles,
	       struct err *err)
{
	char id[24];
	const struct ask_word words[] = { { "run", id }, { NULL, NULL } };
	struct numbers keys = { .most = REMOTE_PROFILES_MAX };

	*nprofiles = 0;
	snprintf(id, sizeof(id), "%" PRIu64, push_run_id(run));
	int rc = ask_numbers(push_http(pusher), asset_remote_live_keys_sql, words, 1,
			     &keys, err);
	if (rc == 0 && keys.n == 0)
		rc = err_set(err, ERR_EMPTY, "the database has no run '%.200s'", run);
	if (rc == 0)
		rc = push_tombstones(pusher, run, keys.items, keys.n, err);
	if (rc == 0)
		*nprofiles = keys.n;
	free(keys.items);
	return rc;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* ALTER TABLE ... of some of the pushes. */
static int delete_some(struct http *http, const char *table, const uint64_t *pushes,
		       size_t n, struct err *err)
{
	struct buf list, sql;

	buf_init(&list, SQL_MAX);
	buf_init(&sql, 2 * SQL_MAX);
	for (size_t i = 0; i < n; i++)
		buf_addf(&list, "%s%" PRIu64, i ? ", " : "", pushes[i]);
	const struct ask_word words[] = { { "table", table },
					  { "pushes", list.p },
					  { NULL, NULL } };
	int rc = ask_fill(asset_remote_gc_delete_sql, words, &sql, err);
	if (rc == 0)
		rc = ask_nothing(http, sql.p, err);
	buf_release(&list);
	buf_release(&sql);
	return rc;
}

struct collecting {
	struct http *http;
	const char *before; /* as a number */
	bool is_cluster;
	struct numbers live; /* sorted */
	struct numbers gone; /* that were deleted from some table */
};

static bool is_live(const struct collecting *c, uint64_t push)
{
	return c->live.n &&
	       bsearch(&push, c->live.items, c->live.n, sizeof(push), by_value);
}

static int collect_table(struct collecting *c, const char *name, struct err *err)
{
	char table[80];
	const struct ask_word words[] = { { "table", table },
					  { "before", c->before },
					  { NULL, NULL } };
	struct numbers dead = { .most = PUSHES_MAX };
	size_t n = 0;

	snprintf(table, sizeof(table), "%s%s", name, c->is_cluster ? "_local" : "");
	int rc = ask_numbers(c->http, asset_remote_gc_pushes_sql, words, 1, &dead, err);
	for (size_t i = 0; i < dead.n; i++)
		if (!is_live(c, dead.items[i]))
			dead.items[n++] = dead.items[i];
	for (size_t at = 0; rc == 0 && at < n; at += DELETED_ONCE)
		rc = delete_some(c->http, table, dead.items + at,
				 n - at < DELETED_ONCE ? n - at : DELETED_ONCE, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		*ARRAY_PUSH(c->gone.items, c->gone.n, c->gone.cap) = dead.items[i];
	free(dead.items);
	return rc;
}

static uint64_t count_different(struct numbers *numbers)
{
	uint64_t n = 0;

	if (numbers->n)
		qsort(numbers->items, numbers->n, sizeof(*numbers->items), by_value);
	for (size_t i = 0; i < numbers->n; i++)
		n += i == 0 || numbers->items[i] != numbers->items[i - 1];
	return n;
}

int remove_dead(struct http *http, uint64_t before, uint64_t *npushes, struct err *err)
{
	char moment[24];
	struct collecting c = { .http = http, .before = moment, .live.most = PUSHES_MAX };
	struct remote_tables tables;
	uint64_t is_cluster = 0;

	snprintf(moment, sizeof(moment), "%" PRIu64, before);
	int rc = remote_tables_load(&tables, err);
	if (rc == 0)
		rc = ask_number(http, (const char *)asset_remote_gc_local_sql,
				&is_cluster, err);
	if (rc == 0)
		rc = ask_numbers(http, asset_remote_gc_live_sql, NULL, 2, &c.live, err);
	if (rc == 0 && c.live.n)
		qsort(c.live.items, c.live.n, sizeof(*c.live.items), by_value);
	c.is_cluster = rc == 0 && is_cluster;
	for (size_t i = 0; rc == 0 && i < tables.n; i++)
		rc = collect_table(&c, tables.items[i].name, err);
	if (rc == 0)
		rc = collect_table(&c, tables.slices.name, err);
	if (rc == 0)
		rc = collect_table(&c, "store_chunk", err);
	/* the last: what it says of a push is gone when its rows are */
	if (rc == 0)
		rc = collect_table(&c, "profile", err);
	*npushes = count_different(&c.gone);
	free(c.live.items);
	free(c.gone.items);
	remote_tables_release(&tables);
	return rc;
}
