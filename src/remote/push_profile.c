/* The row that makes a push seen: see push_profile.h. */
#include "remote/push_profile.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/asset.h"
#include "remote/ddl.h"
#include "remote/rows.h"
#include "store/sql.h"
#include "store/store.h"

ASSET(asset_remote_largest_sum_sql);

#define SQL_MAX     ((size_t)64 << 10)
#define ROWS_MAX    ((size_t)1 << 30)
#define PIECE_BYTES ((size_t)1 << 20)
#define NS_A_SECOND INT64_C(1000000000)

int64_t push_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * NS_A_SECOND + t.tv_nsec;
}

void push_profile_init(struct push_profile *p, const char *run)
{
	p->run = xstrdup(run);
	buf_init(&p->counts, SQL_MAX);
	buf_init(&p->cells, ROWS_MAX);
}

void push_profile_release(struct push_profile *p)
{
	free(p->run);
	p->run = NULL;
	buf_release(&p->counts);
	buf_release(&p->cells);
}

void push_profile_count(struct push_profile *p, const char *what, uint64_t nrows)
{
	if (!buf_addf(&p->counts, "%s=%" PRIu64 " ", what, nrows))
		p->is_too_large = true;
	p->nrows += nrows;
}

void push_profile_count_grain(struct push_profile *p, const char *what, int64_t grain,
			      int64_t nrows)
{
	if (!buf_addf(&p->counts, "%s.%" PRId64 "=%" PRId64 " ", what, grain, nrows))
		p->is_too_large = true;
}

void push_profile_count_part(struct push_profile *p, const char *what, uint64_t nrows,
			     int rules)
{
	if (!buf_addf(&p->counts, "%s=%" PRIu64 ":%d ", what, nrows, rules))
		p->is_too_large = true;
	p->nrows += nrows;
}

/* Never less than any sum over the profile's rows. */
static int find_largest_sum(struct sqlite3 *db, int64_t id, int64_t *out, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (sql_prepare(db, (const char *)asset_remote_largest_sum_sql, &stmt, err) < 0)
		return -1;
	sqlite3_bind_int64(stmt, 1, id);
	int rc = sql_step(stmt, err);
	double most = rc > 0 ? sqlite3_column_double(stmt, 0) : 0;
	sqlite3_finalize(stmt);
	*out = most < 9e18 ? (int64_t)most : INT64_MAX;
	return rc < 0 ? -1 : 0;
}

int push_profile_read(struct push_profile *p, const struct remote_table *table,
		      struct sqlite3 *db, int64_t id, struct err *err)
{
	struct sqlite3_stmt *stmt;
	struct buf sql;

	if (find_largest_sum(db, id, &p->largest_sum, err) < 0)
		return -1;
	buf_init(&sql, SQL_MAX);
	buf_add_text(&sql, "SELECT ");
	remote_columns_list(table, &sql);
	buf_add_text(&sql, " FROM profile WHERE id = :profile");
	int rc = sql_prepare(db, sql.p, &stmt, err);
	buf_release(&sql);
	if (rc < 0)
		return -1;
	sqlite3_bind_int64(stmt, 1, id);
	rc = sql_step(stmt, err);
	if (rc > 0)
		rc = remote_rows_put(table, stmt, &p->cells, err);
	sqlite3_finalize(stmt);
	return rc;
}

static bool put_own(const struct push_profile *p, struct buf *row)
{
	return rowbinary_put_int(row, (int64_t)p->run_id) &&
	       rowbinary_put_text(row, str_of(p->run)) &&
	       rowbinary_put_int(row, (int64_t)p->key) &&
	       rowbinary_put_int(row, (int64_t)p->push_id) &&
	       rowbinary_put_int(row, p->is_deleted) &&
	       rowbinary_put_int(row, STORE_SCHEMA_VERSION) &&
	       rowbinary_put_text(row, str_of(PTOOL_VERSION)) &&
	       rowbinary_put_int(row, push_clock_ns()) &&
	       rowbinary_put_int(row, (int64_t)p->store_key) &&
	       rowbinary_put_int(row, p->place) &&
	       rowbinary_put_text(row, buf_str(&p->counts)) &&
	       rowbinary_put_int(row, p->largest_sum) &&
	       rowbinary_put_int(row, (int64_t)p->file.push_id) &&
	       rowbinary_put_int(row, p->file.bytes) &&
	       rowbinary_put_text(row, str_of(p->file.sha256));
}

/* Half a row would be taken for the end of all of them. */
static int give_rows(void *from, struct buf *piece, struct err *err)
{
	const struct push_profile_source *source = from;
	const struct push_profile *p;

	while (piece->n < PIECE_BYTES && (p = source->next(source->from)))
		if (p->is_too_large || !put_own(p, piece) ||
		    !buf_add_str(piece, buf_str(&p->cells)))
			return err_set(err, ERR_INPUT, "a profile is too large to push");
	return 0;
}

int push_profiles(struct http *http, const struct remote_table *table,
		  const struct push_profile_source *source, struct err *err)
{
	struct push_profile_source from = *source;
	struct http_request request = { .give = give_rows, .from = &from };
	struct buf sql;

	buf_init(&sql, SQL_MAX);
	remote_insert_into(table, DDL_PROFILE_OWN_NAMES, &sql);
	request.sql = sql.p;
	int rc = http_ask(http, &request, err);
	buf_release(&sql);
	return rc;
}
