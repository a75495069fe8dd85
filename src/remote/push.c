/* Pushing profiles: see push.h. */
#include "remote/push.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/asset.h"
#include "base/sha256.h"
#include "remote/ask.h"
#include "remote/push_batch.h"
#include "remote/push_file.h"
#include "remote/rows.h"
#include "store/sql.h"

ASSET(asset_remote_push_profiles_sql);
ASSET(asset_remote_newest_push_sql);

#define TRIES   5
#define SQL_MAX ((size_t)64 << 10)
/* Of a push_id these bits are random: 65 us, in which several ptools may begin a push. */
#define RANDOM_BITS 0xffffu

struct pusher {
	struct push_options options;
	struct remote_tables tables;
	struct push_batch batch;
	uint64_t last_push_id; /* later ones are larger, whatever the clocks say */
	uint64_t asked_run;    /* the run whose newest push_id was asked for */
	uint64_t sent;         /* profiles */
	bool is_broken;        /* the database did not take what was sent */
};

/* The columns of push_profiles.sql. */
enum { COLUMN_ID, COLUMN_RUN, COLUMN_PATH, COLUMN_WHO, COLUMN_PLACE };

/* A profile that is pushed. */
struct pushing {
	struct pusher *pusher;
	struct sqlite3 *db; /* of the store */
	const struct push_from *from;
	struct row_ranges ranges; /* at this profile */
	int64_t id;
	uint64_t store_key;
	struct push_file file; /* the store's own bytes */
	struct push_profile row;
};

static uint64_t hash_texts(const char *const *texts, size_t n)
{
	struct sha256 s;

	sha256_init(&s);
	for (size_t i = 0; i < n; i++) /* with their NULs, which tell them apart */
		sha256_add(&s, (struct str){ texts[i], strlen(texts[i]) + 1 });
	return sha256_end_u64(&s);
}

uint64_t push_run_id(const char *run)
{
	return hash_texts(&run, 1);
}

static uint64_t fresh_push_id(struct pusher *p)
{
	uint64_t id = (uint64_t)push_clock_ns();
	unsigned random = 0;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		random = (unsigned)getpid();
	id = (id & ~(uint64_t)RANDOM_BITS) | (random & RANDOM_BITS);
	if (id <= p->last_push_id)
		id = p->last_push_id + 1 + (random & RANDOM_BITS);
	p->last_push_id = id;
	return id;
}

/*
 * A clock that is behind that of an earlier push must not hide this one: what is pushed
 * from now on is newer than all that the run has.
 */
static int ask_newest(struct pusher *p, uint64_t run_id, struct err *err)
{
	char run[24];
	const struct ask_word words[] = { { "run", run }, { NULL, NULL } };
	uint64_t newest = 0;
	struct buf sql;

	snprintf(run, sizeof(run), "%" PRIu64, run_id);
	buf_init(&sql, SQL_MAX);
	int rc = ask_fill(asset_remote_newest_push_sql, words, &sql, err);
	if (rc == 0)
		rc = ask_number(p->options.http, sql.p, &newest, err);
	buf_release(&sql);
	if (rc < 0)
		return -1;
	p->asked_run = run_id;
	if (newest > p->last_push_id)
		p->last_push_id = newest;
	return 0;
}

/* What the rows of a table are for. */
struct sink {
	/* 0; 1: there is no room; or -1 with err set. */
	int (*take)(const struct sink *to, size_t table, struct remote_rows *rows,
		    struct err *err);
	const struct pushing *of;
};

static int insert(const struct pusher *p, const struct remote_table *table,
		  struct http_request request, struct err *err)
{
	struct buf sql;

	buf_init(&sql, SQL_MAX);
	remote_insert_into(table, "run_id, push_id", &sql);
	request.sql = sql.p;
	int rc = http_ask(p->options.http, &request, err);
	buf_release(&sql);
	return rc;
}

/* At once, a piece at a time: of a profile that is too large for a batch. */
static int take_now(const struct sink *to, size_t table, struct remote_rows *rows,
		    struct err *err)
{
	(void)table;
	struct remote_stream stream = { rows, to->of->row.run_id, to->of->row.push_id };

	return insert(
		to->of->pusher, rows->table,
		(struct http_request){ .give = remote_stream_give, .from = &stream },
		err);
}

static int take_later(const struct sink *to, size_t table, struct remote_rows *rows,
		      struct err *err)
{
	return push_batch_add(&to->of->pusher->batch, table, rows, err);
}

/* Questions read one grain of op_stat: "op_stat.0=17". */
static int count_grains(struct pushing *p, struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	if (sql_prepare(p->db,
			"SELECT grain, count(*) FROM op_stat WHERE profile_id = :profile "
			"GROUP BY grain",
			&stmt, err) < 0)
		return -1;
	sqlite3_bind_int64(stmt, 1, p->id);
	while ((rc = sql_step(stmt, err)) > 0)
		push_profile_count_grain(&p->row, "op_stat",
					 sqlite3_column_int64(stmt, 0),
					 sqlite3_column_int64(stmt, 1));
	sqlite3_finalize(stmt);
	return rc;
}

/* A profile without rows of a summary has no count of them, not 0. */
static int push_part(struct pushing *p, size_t i, const struct sink *to, struct err *err)
{
	const struct remote_table *table = &p->pusher->tables.items[i];
	const struct push_parts *from = p->from->parts;
	struct part_rows parts;
	struct remote_rows rows = { .table = table, .parts = &parts };
	int rc = from->load(from, p->id, table->name, &parts, err);

	if (rc <= 0)
		return rc;
	rc = parts.n ? to->take(to, i, &rows, err) : 0;
	push_profile_count_part(&p->row, table->name, parts.n, parts.rules);
	part_rows_release(&parts);
	return rc;
}

static int push_rows(struct pushing *p, const struct remote_table *table, size_t i,
		     const struct sink *to, struct err *err)
{
	struct remote_rows rows = { .table = table };
	int rc = remote_rows_open(&rows, p->db, &p->ranges, p->id, err);

	if (rc == 0 && rows.is_at_row)
		rc = to->take(to, i, &rows, err);
	push_profile_count(&p->row, rows.table->name, rows.nrows);
	remote_rows_close(&rows);
	return rc;
}

static int push_table(struct pushing *p, size_t i, const struct sink *to, struct err *err)
{
	const struct remote_table *table = &p->pusher->tables.items[i];
	int rc = push_rows(p, table, i, to, err);

	return rc != 0 || strcmp(table->name, "op_stat") != 0 ? rc : count_grains(p, err);
}

static int push_tables(struct pushing *p,
		       int (*take)(const struct sink *to, size_t table,
				   struct remote_rows *rows, struct err *err),
		       struct err *err)
{
	const struct remote_tables *tables = &p->pusher->tables;
	const struct sink to = { take, p };
	int rc = 0;

	p->row.nrows = 0;
	buf_clear(&p->row.counts);
	for (size_t i = 0; rc == 0 && i < tables->n; i++)
		rc = tables->items[i].is_part ? push_part(p, i, &to, err)
					      : push_table(p, i, &to, err);
	/* never through a batch: take_now() */
	if (rc == 0 && p->pusher->options.slices)
		rc = push_rows(p, &tables->slices, tables->n, &to, err);
	return rc;
}

struct profile_rows {
	const struct push_profile *at, *end;
};

static const struct push_profile *next_row(void *from)
{
	struct profile_rows *rows = from;

	return rows->at < rows->end ? rows->at++ : NULL;
}

/* The last: from now on they are seen. */
static int publish(struct pusher *p, const struct push_profile *rows, size_t n,
		   struct err *err)
{
	struct profile_rows from = { rows, rows + n };
	const struct push_profile_source source = { next_row, &from };

	if (push_profiles(p->options.http, &p->tables.profile, &source, err) < 0)
		return -1;
	p->sent += n;
	return 0;
}

static int try_profile(struct pusher *p, void *of, struct err *err)
{
	struct pushing *pushing = of;

	pushing->row.push_id = fresh_push_id(p);
	return push_tables(pushing, take_now, err) < 0
		       ? -1
		       : publish(p, &pushing->row, 1, err);
}

static int try_table(struct pusher *p, size_t i, struct err *err)
{
	struct batch_reader reader;

	push_batch_read(&p->batch, i, &reader);
	int rc = insert(p, &p->tables.items[i],
			(struct http_request){ .give = push_batch_give, .from = &reader },
			err);
	push_batch_read_end(&reader);
	return rc;
}

static int try_batch(struct pusher *p, void *of, struct err *err)
{
	struct push_batch *b = of;
	int rc = 0;

	for (size_t i = 0; i < b->nprofiles; i++)
		b->profiles[i].push_id = fresh_push_id(p);
	for (size_t i = 0; rc == 0 && i < p->tables.n; i++)
		rc = b->tables[i].n ? try_table(p, i, err) : 0;
	return rc < 0 ? -1 : publish(p, b->profiles, b->nprofiles, err);
}

static int try_file(struct pusher *p, void *of, struct err *err)
{
	struct pushing *pushing = of;

	return push_file(p->options.http, pushing->from->path, pushing->row.run_id,
			 fresh_push_id(p), &pushing->file, err);
}

/* Doubling from a second, up to half as much again: 1,000 pushers shall not come at once. */
static unsigned wait_before(unsigned tries)
{
	unsigned random = 0, ms = 1000u << tries;

	if (getrandom(&random, sizeof(random), 0) < 0)
		random = (unsigned)getpid();
	return ms + random % (ms / 2);
}

static void wait_ms(unsigned ms)
{
	struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

/* A try that failed has left rows under an id that nobody names: the next has another. */
static int try_often(struct pusher *p, void *of,
		     int (*try_once)(struct pusher *p, void *of, struct err *err),
		     struct err *err)
{
	const struct push_options *o = &p->options;
	int rc;

	for (unsigned tries = 0;; tries++) {
		rc = try_once(p, of, err);
		if (rc == 0 || tries + 1 == TRIES || !http_may_retry(o->http))
			break;
		unsigned ms = wait_before(tries);
		if (o->again)
			o->again(err->text, (ms + 999) / 1000);
		wait_ms(ms);
	}
	p->is_broken = rc < 0;
	return rc;
}

int push_flush(struct pusher *p, struct err *err)
{
	int rc = p->batch.nprofiles ? try_often(p, &p->batch, try_batch, err) : 0;

	push_batch_drop(&p->batch, true);
	return rc;
}

/* What the row of push_profiles.sql says. */
static void set_profile(struct pushing *p, struct sqlite3_stmt *stmt)
{
	const char *texts[] = { p->row.run,
				(const char *)sqlite3_column_text(stmt, COLUMN_PATH),
				(const char *)sqlite3_column_text(stmt, COLUMN_WHO) };

	p->id = sqlite3_column_int64(stmt, COLUMN_ID);
	p->row.place = sqlite3_column_int64(stmt, COLUMN_PLACE);
	p->row.key = hash_texts(texts, sizeof(texts) / sizeof(*texts));
	p->row.store_key = p->store_key;
	p->row.file = p->file;
}

/* Before the first profile. */
static int begin_run(struct pushing *p, struct err *err)
{
	struct pusher *pusher = p->pusher;

	p->row.run_id = push_run_id(p->row.run);
	if (pusher->asked_run != p->row.run_id &&
	    ask_newest(pusher, p->row.run_id, err) < 0)
		return -1;
	return pusher->options.with_store && p->file.push_id == 0
		       ? try_often(pusher, p, try_file, err)
		       : 0;
}

/* Into the batch, of which all others are sent first where there is no room. */
static int push_profile(struct pushing *p, struct push_sums *sums, struct err *err)
{
	struct pusher *pusher = p->pusher;
	bool is_kept = false;
	/* slices have no room in a batch */
	int rc = pusher->options.slices ? 1 : push_tables(p, take_later, err);

	if (rc == 1 && !pusher->options.slices && pusher->batch.nprofiles) {
		push_batch_drop(&pusher->batch, false);
		rc = push_flush(pusher, err);
		if (rc == 0)
			rc = push_tables(p, take_later, err);
	}
	if (rc != 0)
		push_batch_drop(&pusher->batch, false);
	if (rc == 1)
		rc = try_often(pusher, p, try_profile, err);
	else
		is_kept = rc == 0;
	if (rc < 0)
		return -1;
	sums->profiles++;
	sums->rows += p->row.nrows + 1;
	if (is_kept)
		push_batch_keep(&pusher->batch, &p->row);
	return push_batch_is_full(&pusher->batch) ? push_flush(pusher, err) : 0;
}

/* A row of push_profiles.sql. */
static int push_row(struct pushing *p, struct sqlite3_stmt *stmt, struct push_sums *sums,
		    struct err *err)
{
	const struct push_options *o = &p->pusher->options;
	const char *run = (const char *)sqlite3_column_text(stmt, COLUMN_RUN);

	push_profile_init(&p->row, o->run ? o->run : run);
	int rc = begin_run(p, err);
	if (rc == 0) {
		set_profile(p, stmt);
		rc = row_ranges_seek(&p->ranges, p->id, err);
	}
	if (rc == 0)
		rc = push_profile_read(&p->row, &p->pusher->tables.profile, p->db, p->id,
				       err);
	if (rc == 0)
		rc = push_profile(p, sums, err);
	push_profile_release(&p->row);
	return rc;
}

static int push_rows_of_run(struct pushing *p, struct push_sums *sums, struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	if (sql_prepare(p->db, (const char *)asset_remote_push_profiles_sql, &stmt, err) <
	    0)
		return -1;
	while ((rc = sql_step(stmt, err)) > 0 && push_row(p, stmt, sums, err) == 0)
		;
	sqlite3_finalize(stmt);
	return rc == 0 ? 0 : -1;
}

int push_run(struct pusher *pusher, const struct push_from *from, struct push_sums *sums,
	     struct err *err)
{
	struct pushing p = { .pusher = pusher,
			     .db = store_db(from->store),
			     .from = from,
			     .store_key = hash_texts(&from->path, 1) };
	int rc = row_ranges_open(&pusher->tables, p.db, &p.ranges, err);

	if (rc == 0)
		rc = push_rows_of_run(&p, sums, err);
	row_ranges_close(&p.ranges);
	return rc;
}

uint64_t push_sent(const struct pusher *p)
{
	return p->sent;
}

bool push_is_broken(const struct pusher *p)
{
	return p->is_broken;
}

int push_open(const struct push_options *options, struct pusher **out, struct err *err)
{
	struct pusher *p = xcalloc(1, sizeof(*p));

	*out = NULL;
	p->options = *options;
	if (remote_tables_load(&p->tables, err) < 0) {
		push_close(p);
		return -1;
	}
	push_batch_init(&p->batch, p->tables.n);
	*out = p;
	return 0;
}

void push_close(struct pusher *p)
{
	if (!p)
		return;
	push_batch_release(&p->batch);
	remote_tables_release(&p->tables);
	free(p);
}

struct http *push_http(const struct pusher *p)
{
	return p->options.http;
}

struct tombstones {
	struct pusher *pusher;
	struct push_profile row; /* the last one that was given */
	const uint64_t *keys;    /* of those that follow */
	size_t n;
};

static const struct push_profile *next_tombstone(void *from)
{
	struct tombstones *t = from;

	if (t->n == 0)
		return NULL;
	t->row.key = *t->keys++;
	t->row.push_id = fresh_push_id(t->pusher);
	t->n--;
	return &t->row;
}

int push_tombstones(struct pusher *p, const char *run, const uint64_t *keys, size_t n,
		    struct err *err)
{
	static const struct remote_table profile = { .name = "profile" };
	struct tombstones stones = { .pusher = p, .keys = keys, .n = n };
	const struct push_profile_source source = { next_tombstone, &stones };
	uint64_t run_id = push_run_id(run);

	if (ask_newest(p, run_id, err) < 0)
		return -1;
	push_profile_init(&stones.row, run);
	stones.row.run_id = run_id;
	stones.row.is_deleted = true;
	int rc = push_profiles(p->options.http, &profile, &source, err);
	push_profile_release(&stones.row);
	return rc;
}
