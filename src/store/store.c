/*
 * Opening a store to read it: see store.h.  The file's header is looked at
 * before SQLite sees the file, so that a foreign or an older file gets a message
 * that says so; https://www.sqlite.org/fileformat.html, 1.3, has the offsets.
 */
#include "store/store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/lift.h"
#include "store/need.h"
#include "store/schema_check.h"
#include "store/slice_tables.h"
#include "store/sql.h"
#include "store/statement_pool.h"
#include "store/store_limits.h"
#include "store/temporary_files.h"
#include "store/tree_check.h"
#include "store/tree_watch.h"

#define HEADER_SIZE           100
#define HEADER_PAGE_SIZE      16 /* 1: 65536 */
#define HEADER_READ_FORMAT    19 /* 2: write-ahead log */
#define HEADER_PAGES          28
#define HEADER_ENCODING       56 /* 1: UTF-8; 2 and 3: UTF-16; 0: it has no tables */
#define HEADER_USER_VERSION   60
#define HEADER_APPLICATION_ID 68

#define ENCODING_BITS 3 /* which SQLite looks at */

/* For the programs that lock a store to write it; ptool itself never does. */
#define BUSY_TIMEOUT_MS 5000

/*
 * Pages of a damaged store can refer to each other in circles, and its tables then have
 * rows without end.  So many steps of SQLite's machine are far more than most commands
 * need, which is less than one a byte; behind them the pages are checked, once, and the
 * command goes on if they are sound.
 */
#define STEPS_LEAST   INT64_C(20000000)
#define STEPS_A_BYTE  200
#define STEPS_BETWEEN 100000

/*
 * Smaller ones, which a stranger would rather send, have their pages checked when they are
 * opened: that takes a millisecond or two.  Steps say little of what a row in circles weighs.
 */
#define CHECKED_BYTES (INT64_C(16) << 20)

struct store {
	sqlite3 *db;
	struct statement_pool statements;
	bool forbids_slices, missed_slices, missed_others;
	struct fetch_need need; /* what was brought here, as store_forbid_others() says */
	bool is_borrowed;       /* the connection */
	bool has_other_rules;   /* store_note_rules() */
	/* Until its pages are known to be sound: steps, and what to check then. */
	int64_t steps_left;
	struct tree_roots roots;
	int64_t bytes;                 /* of its file */
	struct tree_watch *watch;      /* owned, or NULL */
	struct temporary_files *files; /* owned; NULL: the connection is borrowed */
};

/*
 * Set before the first page is read.  1 GiB of mmap: pages are not copied.  The lock is kept
 * to the end, as taking it for each of a million looks costs more than they do; it is a shared
 * one, for the connection cannot write.
 */
static const char reading_pragmas[] = "PRAGMA query_only = ON;"
				      "PRAGMA locking_mode = EXCLUSIVE;"
				      "PRAGMA temp_store = MEMORY;";
static const char mapping_pragma[] = "PRAGMA mmap_size = 1073741824;";

static uint32_t big_endian32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

struct store_header store_header_of(struct bytes head)
{
	static const char magic[] = "SQLite format 3"; /* with its NUL: 16 bytes */
	struct store_header header = { 0 };
	const uint8_t *bytes = head.p;

	header.is_sqlite =
		head.n >= HEADER_SIZE && memcmp(bytes, magic, sizeof(magic)) == 0;
	if (!header.is_sqlite)
		return header;
	header.is_store =
		big_endian32(bytes + HEADER_APPLICATION_ID) == STORE_APPLICATION_ID;
	header.is_wal = bytes[HEADER_READ_FORMAT] == 2;
	header.is_utf16 = (big_endian32(bytes + HEADER_ENCODING) & ENCODING_BITS) > 1;
	header.schema = big_endian32(bytes + HEADER_USER_VERSION);
	uint32_t page_size = big_endian32(bytes + HEADER_PAGE_SIZE) >> 16;
	header.size_bytes = (uint64_t)big_endian32(bytes + HEADER_PAGES) *
			    (page_size == 1 ? 65536 : page_size);
	return header;
}

struct store_header store_read_header(int fd)
{
	struct store_header header = { 0 };
	uint8_t bytes[HEADER_SIZE];
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return header;
	ssize_t n = pread(fd, bytes, sizeof(bytes), 0);
	if (n > 0)
		header = store_header_of((struct bytes){ bytes, (size_t)n });
	if (n < 0)
		header.error = errno;
	return header;
}

static int refuse_schema(uint32_t schema, struct err *err)
{
	const char *what = "ingest the trace again";

	if (schema > STORE_SCHEMA_VERSION)
		what = "a newer ptool wrote it: use that version";
	else if (lift_knows(schema))
		what = "'ptool migrate' upgrades it";
	return err_set(err, ERR_INPUT, "store has schema %u, this ptool reads %d; %s",
		       (unsigned)schema, STORE_SCHEMA_VERSION, what);
}

int store_check_header(const struct store_header *header, struct err *err)
{
	if (header->error)
		return err_set(err, ERR_IO, "cannot read it: %s",
			       strerror(header->error));
	if (!header->is_store)
		return err_set(err, ERR_INPUT, "not a ptool store");
	/* SQLite would make -wal and -shm files to read it. */
	if (header->is_wal)
		return err_set(err, ERR_INPUT,
			       "another program set the store to WAL mode; "
			       "set it back with PRAGMA journal_mode = DELETE");
	if (header->is_utf16)
		return err_set(err, ERR_INPUT,
			       "another program changed the store's texts to UTF-16; "
			       "ingest the trace again");
	if (header->schema == STORE_SCHEMA_VERSION)
		return 0;
	return refuse_schema(header->schema, err);
}

/* Not blocking: opening a named pipe must not wait for its writer. */
static int open_to_look(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

struct store_header store_look_at(const char *path)
{
	struct store_header header = { 0 };
	struct stat st;
	/* who writes into a pipe begins once it is open, and what he wrote is lost */
	bool is_pipe = stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
	int fd = is_pipe ? -1 : open_to_look(path);

	if (fd < 0)
		return header;
	header = store_read_header(fd);
	close(fd);
	return header;
}

bool store_is(const char *path)
{
	return store_look_at(path).is_sqlite;
}

bool store_is_own(const char *path)
{
	return store_look_at(path).is_store;
}

static int check_file(const char *path, int64_t *bytes, struct err *err)
{
	int fd = open_to_look(path);
	struct stat st;

	if (fd < 0)
		return err_set(err, err_kind_of(errno), "%s", strerror(errno));
	struct store_header header = store_read_header(fd);
	*bytes = fstat(fd, &st) == 0 ? st.st_size : 0;
	close(fd);
	if (store_check_header(&header, err) < 0)
		return -1;
	return sql_check_journal(path, err);
}

static int count_steps(void *to)
{
	struct store *store = to;
	struct err ignored = ERR_INIT;

	store->steps_left -= STEPS_BETWEEN;
	if (store->steps_left >= 0)
		return 0;
	if (tree_check_roots(store->db, &store->roots, &ignored) < 0)
		return 1;
	store->steps_left = INT64_MAX;
	return 0;
}

/* Pages are checked now, or once the steps are spent. */
static int check_pages(struct store *store, bool is_whole, struct err *err)
{
	int64_t bytes = store->bytes;

	if (is_whole && bytes < CHECKED_BYTES)
		return tree_check(store->db, err);
	if (tree_roots_read(store->db, &store->roots, err) < 0)
		return -1;
	store->steps_left =
		STEPS_LEAST +
		(bytes < INT64_MAX / STEPS_A_BYTE / 2 ? bytes * STEPS_A_BYTE : 0);
	sqlite3_progress_handler(store->db, STEPS_BETWEEN, count_steps, store);
	return 0;
}

static int open_db(struct store *store, const char *path, bool is_whole, struct err *err)
{
	char *uri = sql_uri(path, "mode=ro&immutable=0");
	int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;

	store->files = temporary_files_new();
	int code = sqlite3_open_v2(uri, &store->db, flags,
				   temporary_files_vfs(store->files));

	assert(sqlite3_threadsafe()); /* threads have a connection each */
	free(uri);
	if (code != SQLITE_OK)
		return sql_error(store->db, err);
	sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
	sql_harden(store->db);
	/* VACUUM INTO attaches, and makes its file before it finds that it may not. */
	sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 0);
	if (sql_exec(store->db, reading_pragmas, err) < 0 ||
	    (is_whole && sql_exec(store->db, mapping_pragma, err) < 0))
		return -1;
	if (schema_check(store->db, err) < 0)
		return -1;
	return check_pages(store, is_whole, err);
}

static int open_store(const char *path, bool is_whole, struct store **out,
		      struct err *err)
{
	int64_t bytes = 0;

	*out = NULL;
	if (check_file(path, &bytes, err) < 0)
		return -1;

	struct store *store = xcalloc(1, sizeof(*store));
	store->bytes = bytes;
	if (open_db(store, path, is_whole, err) < 0) {
		store_close(store);
		return -1;
	}
	*out = store;
	return 0;
}

int store_open(const char *path, struct store **out, struct err *err)
{
	return open_store(path, true, out, err);
}

int store_open_in_part(const char *path, struct store **out, struct err *err)
{
	return open_store(path, false, out, err);
}

void store_close(struct store *store)
{
	if (!store)
		return;
	store_unwatch(store);
	statement_pool_release(&store->statements);
	if (!store->is_borrowed)
		sqlite3_close_v2(store->db);
	tree_roots_release(&store->roots);
	temporary_files_free(store->files);
	free(store);
}

struct store *store_of_writer(struct sqlite3 *db)
{
	struct store *store = xcalloc(1, sizeof(*store));

	*store = (struct store){ .db = db, .is_borrowed = true };
	return store;
}

bool store_is_damaged(struct store *store)
{
	struct err ignored = ERR_INIT;
	sqlite3_stmt *stmt;
	bool is_ok = false;

	if (sql_prepare(store->db, "PRAGMA quick_check(1)", &stmt, &ignored) < 0)
		return true;
	if (sql_step(stmt, &ignored) == 1) {
		const unsigned char *text = sqlite3_column_text(stmt, 0);
		is_ok = text && strcmp((const char *)text, "ok") == 0;
	}
	sqlite3_finalize(stmt);
	return !is_ok;
}

/* What every store that is made of others has, or that is no table of it. */
static bool is_always_there(const char *table)
{
	static const char *const always[] = { "run",         "profile", "string",
					      "slice_class", "summary", "json_each",
					      "json_tree" };

	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		if (strcmp(table, always[i]) == 0)
			return true;
	return strncmp(table, "sqlite_", 7) == 0 || strncmp(table, "pragma_", 7) == 0;
}

bool store_has_table(const struct store *store, const char *table)
{
	return fetch_need_has(&store->need, table) || is_always_there(table);
}

bool store_may(struct store *store, int action, const char *table)
{
	if (action != SQLITE_READ)
		return true;
	if (store->forbids_slices && slice_table_is(table)) {
		store->missed_slices = true;
		return false;
	}
	if (store_has_table(store, table))
		return true;
	store->missed_others = true;
	return false;
}

static int authorize(void *to, int action, const char *first, const char *second,
		     const char *database, const char *inner)
{
	(void)second;
	(void)database;
	(void)inner;
	return store_may(to, action, first) ? SQLITE_OK : SQLITE_DENY;
}

void store_forbid_slices(struct store *store)
{
	store->forbids_slices = true;
	sqlite3_set_authorizer(store->db, authorize, store);
}

void store_forbid_others(struct store *store, const struct fetch_need *need)
{
	store->need = *need;
	sqlite3_set_authorizer(store->db, authorize, store);
}

bool store_missed_others(const struct store *store)
{
	return store->missed_others;
}

bool store_missed_slices(const struct store *store)
{
	return store->missed_slices;
}

void store_note_rules(struct store *store)
{
	store->has_other_rules = true;
}

bool store_noted_rules(const struct store *store)
{
	return store->has_other_rules;
}

struct sqlite3 *store_db(struct store *store)
{
	return store->db;
}

int64_t store_bytes(const struct store *store)
{
	return store->bytes;
}

void store_limit_files(struct store *store, int64_t bytes)
{
	if (store->files)
		temporary_files_limit(store->files, bytes);
}

bool store_files_are_full(const struct store *store)
{
	return store->files && temporary_files_are_full(store->files);
}

void store_watch(struct store *store)
{
	store_unwatch(store);
	store->watch = tree_watch_start(store->db);
}

bool store_watch_found(const struct store *store, struct err *err)
{
	return tree_watch_found(store->watch, err);
}

void store_unwatch(struct store *store)
{
	tree_watch_end(store->watch);
	store->watch = NULL;
}

bool store_has_failed(struct store *store)
{
	int code = sqlite3_errcode(store->db);

	return code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE;
}

int store_take_statement(struct store *store, const char *sql, struct sqlite3_stmt **out,
			 struct err *err)
{
	return statement_pool_take(&store->statements, store->db, sql, out, err);
}

void store_give_statement(struct store *store, struct sqlite3_stmt *stmt)
{
	statement_pool_give(&store->statements, stmt);
}

int store_schema_version(void)
{
	return STORE_SCHEMA_VERSION;
}

const char *store_sqlite_version(void)
{
	return sqlite3_libversion();
}
