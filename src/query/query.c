/* Statements of views: see query.h. */
#include "query/query.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/scope.h"
#include "store/store_limits.h"

/* Where rows of a function are short: its path may be as long as ten of them. */
#define NAMES_SHARE 2
/* Names of functions that another profile has, too, are read and not kept. */
#define NAMES_READ 16

#define MANY_ROWS 65536 /* fewer need no look at the file's size */

int query_rows_fit(struct store *store, int64_t n, int64_t row_bytes, bool *out,
		   struct err *err)
{
	struct sqlite3 *db = store_db(store);
	int64_t pages = 0, page_bytes = 0;

	*out = true;
	if (n < MANY_ROWS)
		return 0;
	if (sql_int(db, "PRAGMA page_count", &pages, err) < 0 ||
	    sql_int(db, "PRAGMA page_size", &page_bytes, err) < 0)
		return -1;
	*out = n <= pages * page_bytes / row_bytes;
	return 0;
}

ASSET(asset_query_views_track_ranges_sql);

int query_check_tracks(struct store *store, const struct scope_profile *profile,
		       struct err *err)
{
	int64_t end = profile->first_slice_id;
	struct query q =
		query_of_profile(store, asset_query_views_track_ranges_sql, profile, err);

	while (query_next(&q, err)) {
		int64_t first = sqlite3_column_int64(q.stmt, 0);
		int64_t n = sqlite3_column_int64(q.stmt, 1);
		if (!profile->has_slices && sqlite3_column_type(q.stmt, 0) == SQLITE_NULL)
			continue; /* its slices were left out */
		if (first < end || !query_is_range(first, n))
			q.rc = query_damaged("tracks", err);
		end = sum_add(first, n);
	}
	return query_end(&q);
}

static size_t long_bytes(struct str name)
{
	return name.n > SPELT_PART ? name.n : 0;
}

int query_take_names(struct store *store, struct str file, struct str name, bool is_known,
		     struct spelt *taken, struct err *err)
{
	size_t all = long_bytes(file) + long_bytes(name);
	size_t n = is_known ? all / NAMES_READ : all;
	int64_t bytes = store_bytes(store);

	if (!n || spelt_take(taken, n, NAMES_SHARE * (uint64_t)bytes))
		return 0;
	return err_set(
		err, ERR_INPUT,
		"its functions share names of more than %d bytes so often that they "
		"would take %llu MiB and more; choose a profile with --profile",
		SPELT_PART, (unsigned long long)((taken->bytes + n) >> 20));
}

int query_damaged(const char *what, struct err *err)
{
	return err_set(err, ERR_INPUT, "the store's %s do not fit together; ingest again",
		       what);
}

int query_prepare(struct store *store, const unsigned char *sql,
		  struct sqlite3_stmt **out, struct err *err)
{
	return sql_prepare(store_db(store), (const char *)sql, out, err);
}

int query_take(struct store *store, const unsigned char *sql, struct sqlite3_stmt **out,
	       struct err *err)
{
	return store_take_statement(store, (const char *)sql, out, err);
}

void query_give(struct store *store, struct sqlite3_stmt *stmt)
{
	store_give_statement(store, stmt);
}

static int parameter(struct sqlite3_stmt *stmt, const char *name)
{
	int index = sqlite3_bind_parameter_index(stmt, name);

	assert(index > 0 || !stmt);
	return index;
}

void query_bind_int(struct sqlite3_stmt *stmt, const char *name, int64_t value)
{
	int index = parameter(stmt, name);

	if (stmt)
		sqlite3_bind_int64(stmt, index, value);
}

void query_bind_text(struct sqlite3_stmt *stmt, const char *name, const char *text)
{
	int index = parameter(stmt, name);

	if (stmt)
		sqlite3_bind_text(stmt, index, text, -1, SQLITE_STATIC);
}

struct cell query_cell(struct sqlite3_stmt *stmt, int column)
{
	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_INTEGER:
		return cell_int(sqlite3_column_int64(stmt, column));
	case SQLITE_FLOAT:
		return cell_real(sqlite3_column_double(stmt, column));
	case SQLITE_NULL:
		return cell_null();
	default:
		break;
	}
	/* the text first: it may convert what the length is then of */
	const char *text = (const char *)sqlite3_column_text(stmt, column);
	int n = sqlite3_column_bytes(stmt, column);
	return cell_text((struct str){ text, (size_t)n });
}

int64_t query_number(struct sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL
		       ? NUMBER_NONE
		       : sqlite3_column_int64(stmt, column);
}

struct query query_open(struct store *store, const unsigned char *sql, struct err *err)
{
	struct query q = { .store = store };

	q.rc = query_take(store, sql, &q.stmt, err);
	return q;
}

static void bind_if_asked(struct sqlite3_stmt *stmt, const char *name, int64_t value)
{
	int index = sqlite3_bind_parameter_index(stmt, name);

	if (index)
		sqlite3_bind_int64(stmt, index, value);
}

struct query query_of_profile(struct store *store, const unsigned char *sql,
			      const struct scope_profile *profile, struct err *err)
{
	struct query q = query_open(store, sql, err);
	int64_t first = profile->first_slice_id;

	bind_if_asked(q.stmt, ":profile", profile->id);
	bind_if_asked(q.stmt, ":first", first);
	bind_if_asked(q.stmt, ":last", sum_sub(sum_add(first, profile->slices), 1));
	return q;
}

struct query query_of_scope(struct store *store, const unsigned char *sql,
			    const char *profiles, struct err *err)
{
	struct query q = query_open(store, sql, err);

	query_bind_text(q.stmt, ":profiles", profiles);
	return q;
}

struct query query_of_range(struct store *store, const unsigned char *sql, int64_t first,
			    int64_t last, struct err *err)
{
	struct query q = query_open(store, sql, err);

	query_bind_int(q.stmt, ":first", first);
	query_bind_int(q.stmt, ":last", last);
	return q;
}

bool query_next(struct query *q, struct err *err)
{
	int step = q->rc == 0 ? sql_step(q->stmt, err) : 0;

	if (step < 0)
		q->rc = -1;
	return step > 0;
}

int query_end(struct query *q)
{
	query_give(q->store, q->stmt);
	return q->rc < 0 ? -1 : 0;
}

int query_rows(struct store *store, const unsigned char *sql, const char *profiles,
	       struct memtable *to, struct err *err)
{
	struct query q = query_of_scope(store, sql, profiles, err);
	struct cell *cells = xcalloc(to->table.ncolumns, sizeof(*cells));
	int n = sqlite3_column_count(q.stmt);

	assert((size_t)n <= to->table.ncolumns);
	while (query_next(&q, err)) {
		for (int i = 0; i < n; i++)
			cells[i] = query_cell(q.stmt, i);
		memtable_add_row(to, cells);
	}
	free(cells);
	return query_end(&q);
}
