/* A user's own SQL: see user_sql.h. */
#include "query/user_sql.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/machine.h"
#include "base/units.h"
#include "query/query.h"
#include "query/slices/slices_by_name.h"
#include "query/sql_guard.h"
#include "store/store_limits.h"

/* SQLite's own limit for one value. */
#define BLOB_MAX ((size_t)1000000000 * 2)

struct statement {
	struct sqlite3_stmt *stmt; /* owned */
	bool *bound;               /* owned; by parameter index - 1 */
	int nparameters;
};

struct user_sql {
	struct statement *statements; /* owned */
	size_t n, cap, at;
	struct store *store; /* borrowed, as its db */
	struct sqlite3 *db;
	struct user_sql_limits limits;
	struct sql_guard guard;
	struct slices_by_name by_name;
	int64_t collected_bytes; /* by who draws the results, at least */
};

/* That a collected cell takes, in an array that grows by doubling. */
#define CELL_BYTES (2 * sizeof(struct cell))

struct result {
	struct table table;
	struct sqlite3_stmt *stmt; /* borrowed */
	struct user_sql *q;        /* borrowed */
	struct column *columns;    /* owned */
	char **names;              /* owned: theirs */
	struct buf *hex;           /* owned; one for each column */
	int64_t nrows;
	bool is_over, is_collected;
};

/* "1.50 GiB", in `out`. */
static const char *size_text(int64_t bytes, char out[UNITS_TEXT_MAX])
{
	return units_text(UNIT_BYTES, cell_int(bytes), out).p;
}

static int memory_error(const struct sql_guard *guard, struct err *err)
{
	char all[UNITS_TEXT_MAX], one[UNITS_TEXT_MAX];

	err_set(err, ERR_IO,
		"the query needs more memory than %s, or than %s for one value; "
		"--memory-limit SIZE allows more",
		size_text(guard->memory_bytes, all),
		size_text(guard->memory_bytes / SQL_GUARD_VALUE_SHARE, one));
	err->names_culprit = true;
	return -1;
}

static int files_error(const struct user_sql *q, struct err *err)
{
	char text[UNITS_TEXT_MAX];

	err_set(err, ERR_IO,
		"what the query sorts takes more than %s in temporary files; "
		"--memory-limit SIZE allows so much there, too",
		size_text(q->limits.file_bytes, text));
	err->names_culprit = true;
	return -1;
}

/* A mistake in the query is the user's, damage is the store's: which sql_error() cannot know. */
static int query_error(const struct user_sql *q, struct err *err)
{
	const struct sql_guard *guard = &q->guard;
	int rc = sql_error(q->db, err);

	if (store_watch_found(q->store, err))
		return -1;
	if (guard->kind)
		return err_set(err, ERR_USAGE, "%s %s is not allowed in a query",
			       guard->kind, guard->name);
	if (guard->is_late)
		return err_set(err, ERR_USAGE,
			       "the query took longer than --timeout %" PRId64,
			       guard->limit_s);
	switch (sqlite3_errcode(q->db) & 0xff) {
	case SQLITE_FULL:
		return store_files_are_full(q->store) ? files_error(q, err) : rc;
	case SQLITE_NOMEM:
	case SQLITE_TOOBIG:
		return guard->memory_bytes ? memory_error(guard, err) : rc;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_FORMAT:
		return rc;
	default:
		if (err->kind == ERR_INPUT)
			err->kind = ERR_USAGE;
		return rc;
	}
}

static void set_running(const struct user_sql *q, bool is_running)
{
	if (q->limits.is_running)
		*q->limits.is_running = is_running;
}

static void add_statement(struct user_sql *q, struct sqlite3_stmt *stmt)
{
	int n = sqlite3_bind_parameter_count(stmt);

	*ARRAY_PUSH(q->statements, q->n, q->cap) =
		(struct statement){ .stmt = stmt,
				    .bound = xcalloc((size_t)n + 1, sizeof(bool)),
				    .nparameters = n };
}

static int check_statement(struct sqlite3_stmt *stmt, struct err *err)
{
	if (!sqlite3_stmt_readonly(stmt))
		return err_set(err, ERR_USAGE, "queries cannot write; this would: %.100s",
			       sqlite3_sql(stmt));
	for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++)
		if (!sqlite3_bind_parameter_name(stmt, i))
			return err_set(err, ERR_USAGE,
				       "a bare ? cannot be given a value; use :name");
	return 0;
}

static int prepare_all(struct user_sql *q, const char *text, struct err *err)
{
	const char *at = text;

	while (*at) {
		struct sqlite3_stmt *stmt;
		const char *rest;
		if (sql_guard_is_late(&q->guard))
			return query_error(q, err);
		set_running(q, true);
		int code = sqlite3_prepare_v2(q->db, at, -1, &stmt, &rest);
		set_running(q, false);
		if (code != SQLITE_OK) {
			int offset = sqlite3_error_offset(q->db);
			query_error(q, err);
			if (offset >= 0)
				err->offset = at - text + offset;
			return -1;
		}
		at = rest;
		if (!stmt) /* a comment, or blanks */
			continue;
		add_statement(q, stmt);
		if (check_statement(stmt, err) < 0)
			return -1;
	}
	return q->n ? 0 : err_set(err, ERR_USAGE, "the query is empty");
}

/* Where SQLite would put files without a name: the first that may be written (os_unix.c). */
static bool has_temporary_folder(void)
{
	const char *const folders[] = { getenv("SQLITE_TMPDIR"), getenv("TMPDIR"),
					"/var/tmp", "/usr/tmp", "/tmp" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (folders[i] && access(folders[i], W_OK | X_OK) == 0)
			return true;
	return false;
}

/*
 * What is sorted and is larger than the cache goes to such a file: in memory SQLite sorts
 * by a list, which takes three times as long, and all of it at once.  A thread of SQLite's
 * sorts one part while the next is read: three million names take 1.0 s, not 1.4.
 */
static int sort_in_files(struct sqlite3 *db, struct err *err)
{
	if (!has_temporary_folder())
		return 0;
	return sql_exec(db,
			machine_cores() > 1
				? "PRAGMA temp_store = FILE; PRAGMA threads = 1"
				: "PRAGMA temp_store = FILE",
			err);
}

/* Where they were left out of all profiles, none may be taken for an answer. */
static int look_for_slices(struct store *store, struct err *err)
{
	int64_t has_none = 0;
	int rc = sql_int(
		store_db(store),
		"SELECT min(has_slices) IS NOT NULL AND max(has_slices) = 0 FROM profile",
		&has_none, err);

	if (rc == 0 && has_none)
		store_forbid_slices(store);
	return rc;
}

static void forget_statements(struct user_sql *q)
{
	for (size_t i = 0; i < q->n; i++) {
		sqlite3_finalize(q->statements[i].stmt);
		free(q->statements[i].bound);
	}
	q->n = 0;
}

/* All of them on slices by name, or all on the view, whose mistakes are told. */
static int prepare_best(struct user_sql *q, struct store *store, const char *text,
			struct err *err)
{
	struct err ignored = ERR_INIT;

	slices_by_name_offer(q->db, q->limits.memory_bytes, &q->by_name);
	sql_guard_set(&q->guard, store);
	if (!q->by_name.db)
		return prepare_all(q, text, err);
	if (prepare_all(q, text, &ignored) == 0 && q->by_name.is_used)
		return 0;
	forget_statements(q);
	sql_guard_unset(q->db);
	slices_by_name_withdraw(&q->by_name);
	sql_guard_set(&q->guard, store);
	return prepare_all(q, text, err);
}

int user_sql_open(struct store *store, const char *text,
		  const struct user_sql_limits *limits, struct user_sql **out,
		  struct err *err)
{
	struct user_sql *q = xcalloc(1, sizeof(*q));

	*out = q;
	q->store = store;
	q->db = store_db(store);
	if (limits)
		q->limits = *limits;
	store_watch(store);
	if (q->limits.file_bytes)
		store_limit_files(store, q->limits.file_bytes);
	int rc = sort_in_files(q->db, err);
	if (rc == 0)
		rc = look_for_slices(store, err);
	sql_guard_limit(&q->guard, q->db, q->limits.seconds);
	if (q->limits.memory_bytes)
		sql_guard_limit_memory(&q->guard, q->db, q->limits.memory_bytes);
	if (rc == 0)
		rc = prepare_best(q, store, text, err);
	if (rc == 0)
		return 0;
	user_sql_close(q);
	*out = NULL;
	return -1;
}

void user_sql_close(struct user_sql *q)
{
	if (!q)
		return;
	store_unwatch(q->store);
	forget_statements(q);
	free(q->statements);
	sql_guard_remove(q->db);
	slices_by_name_withdraw(&q->by_name);
	free(q);
}

/* "12", "-1.5e3"; not "inf", "0x10", " 1" or "". */
static bool is_number(const char *text)
{
	return *text && text[strspn(text, "0123456789+-.eE")] == '\0' &&
	       strpbrk(text, "0123456789");
}

static void bind(struct sqlite3_stmt *stmt, int index, const char *value)
{
	char *end;

	if (is_number(value)) {
		errno = 0;
		long long integer = strtoll(value, &end, 10);
		if (!*end && errno == 0) {
			sqlite3_bind_int64(stmt, index, integer);
			return;
		}
		double real = strtod(value, &end);
		if (!*end && isfinite(real)) {
			sqlite3_bind_double(stmt, index, real);
			return;
		}
	}
	sqlite3_bind_text(stmt, index, value, -1, SQLITE_TRANSIENT);
}

int user_sql_bind(struct user_sql *q, struct str name, const char *value, struct err *err)
{
	bool found = false;

	for (size_t i = 0; i < q->n; i++) {
		struct statement *s = &q->statements[i];
		for (int at = 1; at <= s->nparameters; at++) {
			/* behind its ':', '@', '$' or '?' */
			if (!str_is(name, sqlite3_bind_parameter_name(s->stmt, at) + 1))
				continue;
			bind(s->stmt, at, value);
			s->bound[at - 1] = found = true;
		}
	}
	if (found)
		return 0;
	return err_set(err, ERR_USAGE, "--param " STR_FMT ": the query has no :" STR_FMT,
		       STR_ARG(name), STR_ARG(name));
}

int user_sql_check_bound(const struct user_sql *q, struct err *err)
{
	for (size_t i = 0; i < q->n; i++) {
		const struct statement *s = &q->statements[i];
		for (int at = 1; at <= s->nparameters; at++)
			if (!s->bound[at - 1]) {
				const char *name =
					sqlite3_bind_parameter_name(s->stmt, at);
				return err_set(
					err, ERR_USAGE,
					"%s has no value; give it --param %s=VALUE", name,
					name + 1);
			}
	}
	return 0;
}

size_t user_sql_nresults(const struct user_sql *q)
{
	size_t n = 0;

	for (size_t i = 0; i < q->n; i++)
		n += sqlite3_column_count(q->statements[i].stmt) > 0;
	return n;
}

static enum unit unit_of(const char *name)
{
	static const struct {
		const char *suffix;
		enum unit unit;
	} units[] = { { "_ns", UNIT_NS },
		      { "_bytes", UNIT_BYTES },
		      { "_pct", UNIT_PERCENT } };
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t len = strlen(units[i].suffix);
		if (n > len && strcmp(name + n - len, units[i].suffix) == 0)
			return units[i].unit;
	}
	return UNIT_ANY;
}

/* Counts the row: -1 when whoever collects rows has no room for it. */
static int collect(struct result *r, const struct cell *cells, struct err *err)
{
	int64_t most = r->q->limits.memory_bytes;

	if (!r->is_collected || !most)
		return 0;
	for (size_t i = 0; i < r->table.ncolumns; i++)
		r->q->collected_bytes +=
			(int64_t)(CELL_BYTES +
				  (cells[i].type == CELL_TEXT ? cells[i].as.text.n : 0));
	if (r->q->collected_bytes + sqlite3_memory_used() <= most)
		return 0;
	char text[UNITS_TEXT_MAX];

	err_set(err, ERR_IO,
		"the rows need more memory than %s; --format csv keeps no rows, "
		"--memory-limit SIZE allows more",
		size_text(most, text));
	err->names_culprit = true;
	return -1;
}

/* SQLite gives no bytes for what it has no memory for. */
static bool is_out_of_memory(const struct result *r, const struct cell *cells)
{
	for (size_t i = 0; i < r->table.ncolumns; i++)
		if (cells[i].type == CELL_TEXT && !cells[i].as.text.p &&
		    cells[i].as.text.n)
			return true;
	return false;
}

/* A blob as hexadecimal digits: no format can carry its bytes. */
static struct cell blob_cell(struct result *r, int column)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *bytes = sqlite3_column_blob(r->stmt, column);
	int n = sqlite3_column_bytes(r->stmt, column);
	struct buf *hex = &r->hex[column];

	if (!bytes && n > 0)
		return cell_text((struct str){ NULL, (size_t)n });
	buf_clear(hex);
	buf_add_text(hex, ""); /* an empty blob is empty text, not none */
	for (int i = 0; i < n; i++) {
		buf_add_char(hex, digits[bytes[i] >> 4]);
		buf_add_char(hex, digits[bytes[i] & 0xf]);
	}
	return cell_text(buf_str(hex));
}

/* 1: a row; 0: end; -1. */
static int step(struct user_sql *q, struct sqlite3_stmt *stmt, struct err *err)
{
	if (sql_guard_is_late(&q->guard)) /* short steps are many, and rows are drawn */
		return query_error(q, err);
	set_running(q, true);
	int rc = sqlite3_step(stmt);
	set_running(q, false);
	switch (rc) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	default:
		return query_error(q, err);
	}
}

/* What it needed for its rows goes, the next result follows: there may be many. */
static int result_end(struct result *r, struct err *err)
{
	r->is_over = true;
	r->table.total_rows = r->nrows;
	for (size_t i = 0; i < r->table.ncolumns; i++)
		buf_release(&r->hex[i]);
	return user_sql_next(r->q, !r->is_collected, &r->table.more, err) < 0 ? -1 : 0;
}

static int result_next(struct table *t, struct cell *cells, struct err *err)
{
	struct result *r = (struct result *)t;
	int rc = r->is_over ? 0 : step(r->q, r->stmt, err);

	if (rc == 0 && !r->is_over)
		return result_end(r, err);
	if (rc <= 0)
		return rc;
	for (int i = 0; i < (int)t->ncolumns; i++)
		cells[i] = sqlite3_column_type(r->stmt, i) == SQLITE_BLOB
				   ? blob_cell(r, i)
				   : query_cell(r->stmt, i);
	if (is_out_of_memory(r, cells))
		return memory_error(&r->q->guard, err);
	r->nrows++;
	return collect(r, cells, err) < 0 ? -1 : 1;
}

static void result_free(struct table *t)
{
	struct result *r = (struct result *)t;

	for (size_t i = 0; i < t->ncolumns; i++) {
		buf_release(&r->hex[i]);
		free(r->names[i]);
	}
	free(r->hex);
	free(r->names);
	free(r->columns);
	free(r);
}

static struct table *result_new(struct user_sql *q, struct sqlite3_stmt *stmt, bool units)
{
	struct result *r = xcalloc(1, sizeof(*r));
	size_t n = (size_t)sqlite3_column_count(stmt);

	r->stmt = stmt;
	r->q = q;
	r->is_collected = !units;
	r->columns = xcalloc(n, sizeof(*r->columns));
	r->names = xcalloc(n, sizeof(*r->names));
	r->hex = xcalloc(n, sizeof(*r->hex));
	for (size_t i = 0; i < n; i++) {
		const char *name = sqlite3_column_name(stmt, (int)i);
		name = r->names[i] = xstrdup(name ? name : "");
		r->columns[i] =
			(struct column){ name, NULL, units ? unit_of(name) : UNIT_ANY };
		buf_init(&r->hex[i], BLOB_MAX);
	}
	r->table = (struct table){ .columns = r->columns,
				   .ncolumns = n,
				   .next = result_next,
				   .free = result_free,
				   .total_rows = -1 };
	return &r->table;
}

int user_sql_next(struct user_sql *q, bool units, struct table **out, struct err *err)
{
	*out = NULL;
	if (store_watch_found(q->store, err)) /* between two statements, none was ended */
		return -1;
	while (q->at < q->n) {
		struct sqlite3_stmt *stmt = q->statements[q->at++].stmt;
		if (sqlite3_column_count(stmt) > 0) {
			*out = result_new(q, stmt, units);
			if (!q->limits.keeps_results)
				q->collected_bytes = 0;
			return 1;
		}
		if (step(q, stmt, err) < 0)
			return -1;
	}
	return 0;
}
