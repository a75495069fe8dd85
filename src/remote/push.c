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
#include "remote/ddl.h"
#include "remote/push_file.h"
#include "remote/rows.h"
#include "store/sql.h"

ASSET(asset_remote_push_profiles_sql);
ASSET(asset_remote_largest_sum_sql);
ASSET(asset_remote_newest_push_sql);

#define TRIES       5
#define SQL_MAX     ((size_t)64 << 10)
#define ROW_MAX     ((size_t)1 << 30)
#define NS_A_SECOND INT64_C(1000000000)
/* Of a push_id these bits are random: 65 us, in which several ptools may begin a push. */
#define RANDOM_BITS 0xffffu

struct pusher {
	struct push_options options;
	struct remote_tables tables;
	uint64_t last_push_id; /* later ones are larger, whatever the clocks say */
	uint64_t asked_run;    /* the run whose newest push_id was asked for */
};

/* The columns of push_profiles.sql. */
enum { COLUMN_ID, COLUMN_RUN, COLUMN_PATH, COLUMN_WHO, COLUMN_PLACE };

/* A profile that is pushed; texts are borrowed. */
struct pushing {
	struct pusher *pusher;
	struct sqlite3 *db; /* of the store */
	int64_t id, place;
	const char *run;
	uint64_t run_id, key, store_key;
	uint64_t push_id; /* of this try */
	const struct push_parts *parts;
	const char *path;      /* of the store */
	struct push_file file; /* its own bytes */
	struct buf counts;     /* "op_stat=17 step=3 " */
	uint64_t nrows;
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

static int64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * NS_A_SECOND + t.tv_nsec;
}

static uint64_t fresh_push_id(struct pusher *p)
{
	uint64_t id = (uint64_t)clock_ns();
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
	ask_fill(asset_remote_newest_push_sql, words, &sql);
	int rc = ask_number(p->options.http, sql.p, &newest, err);
	buf_release(&sql);
	if (rc < 0)
		return -1;
	p->asked_run = run_id;
	if (newest > p->last_push_id)
		p->last_push_id = newest;
	return 0;
}

/* INSERT INTO table (first, its columns) */
static void insert_into(const struct remote_table *table, const char *first,
			struct buf *sql)
{
	buf_addf(sql, "INSERT INTO %s (%s", table->name, first);
	if (table->n)
		buf_add_text(sql, ", ");
	remote_columns_list(table, sql);
	buf_add_text(sql, ") FORMAT RowBinary");
}

static int insert(struct pushing *p, const struct remote_table *table,
		  struct http_request request, struct err *err)
{
	struct buf sql;

	buf_init(&sql, SQL_MAX);
	insert_into(table, "run_id, push_id", &sql);
	request.sql = sql.p;
	int rc = http_ask(p->pusher->options.http, &request, err);
	buf_release(&sql);
	return rc;
}

static void count(struct pushing *p, const struct remote_table *table, uint64_t nrows)
{
	buf_addf(&p->counts, "%s=%" PRIu64 " ", table->name, nrows);
	p->nrows += nrows;
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
		buf_addf(&p->counts, "op_stat.%" PRId64 "=%" PRId64 " ",
			 (int64_t)sqlite3_column_int64(stmt, 0),
			 (int64_t)sqlite3_column_int64(stmt, 1));
	sqlite3_finalize(stmt);
	return rc;
}

/* A profile without rows of a summary has no count of them, not 0. */
static int push_part(struct pushing *p, const struct remote_table *table, struct err *err)
{
	struct remote_parts parts = { .table = table,
				      .run_id = p->run_id,
				      .push_id = p->push_id };
	const struct push_parts *from = p->parts;
	int rc = from->load(from, p->id, table->name, &parts.rows, err);

	if (rc <= 0)
		return rc;
	rc = parts.rows.n ? insert(p, table,
				   (struct http_request){ .give = remote_parts_give,
							  .from = &parts },
				   err)
			  : 0;
	count(p, table, parts.rows.n);
	part_rows_release(&parts.rows);
	return rc;
}

static int push_table(struct pushing *p, const struct remote_table *table,
		      struct err *err)
{
	struct remote_rows rows = { .table = table,
				    .run_id = p->run_id,
				    .push_id = p->push_id };
	int rc = remote_rows_open(&rows, p->db, p->id, err);

	if (rc == 0 && rows.is_at_row)
		rc = insert(
			p, table,
			(struct http_request){ .give = remote_rows_give, .from = &rows },
			err);
	count(p, table, rows.nrows);
	remote_rows_close(&rows);
	return rc < 0 || strcmp(table->name, "op_stat") != 0 ? rc : count_grains(p, err);
}

/* Never less than any sum over the profile's rows. */
static int find_largest_sum(const struct pushing *p, int64_t *out, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (sql_prepare(p->db, (const char *)asset_remote_largest_sum_sql, &stmt, err) <
	    0)
		return -1;
	sqlite3_bind_int64(stmt, 1, p->id);
	int rc = sql_step(stmt, err);
	double most = rc > 0 ? sqlite3_column_double(stmt, 0) : 0;
	sqlite3_finalize(stmt);
	*out = most < 9e18 ? (int64_t)most : INT64_MAX;
	return rc < 0 ? -1 : 0;
}

/* The columns of DDL_PROFILE_OWN. */
struct own {
	const char *run, *counts;
	uint64_t run_id, key, push_id, store_key;
	int64_t place, largest_sum;
	bool is_deleted;
	struct push_file file;
};

static void put_own(const struct own *own, struct buf *row)
{
	rowbinary_put_int(row, (int64_t)own->run_id);
	rowbinary_put_text(row, str_of(own->run));
	rowbinary_put_int(row, (int64_t)own->key);
	rowbinary_put_int(row, (int64_t)own->push_id);
	rowbinary_put_int(row, own->is_deleted);
	rowbinary_put_int(row, STORE_SCHEMA_VERSION);
	rowbinary_put_text(row, str_of(PTOOL_VERSION));
	rowbinary_put_int(row, clock_ns());
	rowbinary_put_int(row, (int64_t)own->store_key);
	rowbinary_put_int(row, own->place);
	rowbinary_put_text(row, str_of(own->counts));
	rowbinary_put_int(row, own->largest_sum);
	rowbinary_put_int(row, (int64_t)own->file.push_id);
	rowbinary_put_int(row, own->file.bytes);
	rowbinary_put_text(row, str_of(own->file.sha256));
}

static int put_own_of(const struct pushing *p, struct buf *row, struct err *err)
{
	struct own own = { .run = p->run,
			   .counts = p->counts.n ? p->counts.p : "",
			   .run_id = p->run_id,
			   .key = p->key,
			   .push_id = p->push_id,
			   .store_key = p->store_key,
			   .place = p->place,
			   .file = p->file };

	if (find_largest_sum(p, &own.largest_sum, err) < 0)
		return -1;
	put_own(&own, row);
	return 0;
}

static int put_profile(const struct pushing *p, struct buf *row, struct err *err)
{
	const struct remote_table *table = &p->pusher->tables.profile;
	struct sqlite3_stmt *stmt;
	struct buf sql;

	buf_init(&sql, SQL_MAX);
	buf_add_text(&sql, "SELECT ");
	remote_columns_list(table, &sql);
	buf_add_text(&sql, " FROM profile WHERE id = :profile");
	int rc = sql_prepare(p->db, sql.p, &stmt, err);
	buf_release(&sql);
	if (rc < 0)
		return -1;
	sqlite3_bind_int64(stmt, 1, p->id);
	rc = sql_step(stmt, err);
	if (rc > 0)
		rc = remote_rows_put(table, stmt, row, err);
	sqlite3_finalize(stmt);
	return rc;
}

/* All of a row at once, and then nothing. */
static int give_row(void *from, struct buf *piece, struct err *err)
{
	struct buf *row = from;

	(void)err;
	buf_add_str(piece, buf_str(row));
	buf_clear(row);
	return 0;
}

/* The last: from now on the push is seen. */
static int publish(struct pushing *p, struct err *err)
{
	struct http_request request = { .give = give_row };
	struct buf row, sql;

	buf_init(&row, ROW_MAX);
	buf_init(&sql, SQL_MAX);
	insert_into(&p->pusher->tables.profile, DDL_PROFILE_OWN_NAMES, &sql);
	request.sql = sql.p;
	request.from = &row;
	int rc = put_own_of(p, &row, err);
	if (rc == 0)
		rc = put_profile(p, &row, err);
	if (rc == 0)
		rc = http_ask(p->pusher->options.http, &request, err);
	buf_release(&row);
	buf_release(&sql);
	return rc;
}

static int try_profile(struct pushing *p, struct err *err)
{
	struct pusher *pusher = p->pusher;
	int rc = 0;

	p->push_id = fresh_push_id(pusher);
	p->nrows = 0;
	buf_clear(&p->counts);
	for (size_t i = 0; rc == 0 && i < pusher->tables.n; i++) {
		const struct remote_table *table = &pusher->tables.items[i];
		rc = table->is_part ? push_part(p, table, err)
				    : push_table(p, table, err);
	}
	return rc < 0 ? -1 : publish(p, err);
}

static int try_file(struct pushing *p, struct err *err)
{
	return push_file(p->pusher->options.http, p->path, p->run_id,
			 fresh_push_id(p->pusher), &p->file, err);
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
static int try_often(struct pushing *p, int (*try_once)(struct pushing *, struct err *),
		     struct err *err)
{
	const struct push_options *o = &p->pusher->options;
	int rc;

	for (unsigned tries = 0;; tries++) {
		rc = try_once(p, err);
		if (rc == 0 || tries + 1 == TRIES || !http_may_retry(o->http))
			break;
		unsigned ms = wait_before(tries);
		if (o->again)
			o->again(err->text, (ms + 999) / 1000);
		wait_ms(ms);
	}
	return rc;
}

/* What the row of push_profiles.sql says. */
static void set_profile(struct pushing *p, struct sqlite3_stmt *stmt)
{
	const char *texts[] = { p->run,
				(const char *)sqlite3_column_text(stmt, COLUMN_PATH),
				(const char *)sqlite3_column_text(stmt, COLUMN_WHO) };

	p->id = sqlite3_column_int64(stmt, COLUMN_ID);
	p->place = sqlite3_column_int64(stmt, COLUMN_PLACE);
	p->key = hash_texts(texts, sizeof(texts) / sizeof(*texts));
}

/* Before the first profile. */
static int begin_run(struct pushing *p, struct sqlite3_stmt *stmt, struct err *err)
{
	const struct push_options *o = &p->pusher->options;

	p->run = o->run ? o->run : (const char *)sqlite3_column_text(stmt, COLUMN_RUN);
	p->run_id = push_run_id(p->run);
	if (p->pusher->asked_run != p->run_id &&
	    ask_newest(p->pusher, p->run_id, err) < 0)
		return -1;
	return o->with_store && p->file.push_id == 0 ? try_often(p, try_file, err) : 0;
}

int push_run(struct pusher *pusher, const struct push_from *from, struct push_sums *sums,
	     struct err *err)
{
	struct pushing p = { .pusher = pusher,
			     .db = store_db(from->store),
			     .path = from->path,
			     .parts = from->parts,
			     .store_key = hash_texts(&from->path, 1) };
	struct sqlite3_stmt *stmt;
	int rc;

	if (sql_prepare(p.db, (const char *)asset_remote_push_profiles_sql, &stmt, err) <
	    0)
		return -1;
	buf_init(&p.counts, SQL_MAX);
	while ((rc = sql_step(stmt, err)) > 0) {
		rc = begin_run(&p, stmt, err);
		if (rc < 0)
			break;
		set_profile(&p, stmt);
		rc = try_often(&p, try_profile, err);
		if (rc < 0)
			break;
		sums->profiles++;
		sums->rows += p.nrows + 1;
	}
	buf_release(&p.counts);
	sqlite3_finalize(stmt);
	return rc;
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
	*out = p;
	return 0;
}

void push_close(struct pusher *p)
{
	if (!p)
		return;
	remote_tables_release(&p->tables);
	free(p);
}

struct http *push_http(const struct pusher *p)
{
	return p->options.http;
}

int push_tombstones(struct pusher *p, const char *run, const uint64_t *keys, size_t n,
		    struct err *err)
{
	static const struct remote_table profile = { .name = "profile" };
	struct own own = { .run = run, .counts = "", .is_deleted = true };
	struct http_request request = { .give = give_row };
	struct buf rows, sql;

	own.run_id = push_run_id(run);
	if (ask_newest(p, own.run_id, err) < 0)
		return -1;
	buf_init(&rows, ROW_MAX);
	buf_init(&sql, SQL_MAX);
	for (size_t i = 0; i < n; i++) {
		own.key = keys[i];
		own.push_id = fresh_push_id(p);
		put_own(&own, &rows);
	}
	insert_into(&profile, DDL_PROFILE_OWN_NAMES, &sql);
	request.sql = sql.p;
	request.from = &rows;
	int rc = http_ask(p->options.http, &request, err);
	buf_release(&rows);
	buf_release(&sql);
	return rc;
}
