/* SQL with failures in a struct err: see sql.h. */
#include "store/sql.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/buf.h"
#include "store/slice_tables.h"

/* Every byte of a path may become "%XX", and no path is that long. */
#define URI_MAX ((size_t)1 << 20)

static enum err_kind kind_of_code(int code)
{
	switch (code) {
	case SQLITE_FULL:
	case SQLITE_IOERR:
	case SQLITE_NOMEM:
	case SQLITE_CANTOPEN:
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return ERR_IO;
	case SQLITE_READONLY:
		return ERR_USAGE;
	case SQLITE_INTERRUPT:
		return ERR_INTERRUPT;
	default:
		return ERR_INPUT;
	}
}

/* What the system said of the file that failed last; 0: nothing. */
static int errno_of(struct sqlite3 *db)
{
	static const char *const names[] = { "main", SQL_OLD };
	int number = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && number == 0; i++)
		sqlite3_file_control(db, names[i], SQLITE_FCNTL_LAST_ERRNO, &number);
	return number;
}

/* SQLite's "access to TABLE.COLUMN is prohibited". */
static int refused(const char *message, struct err *err)
{
	static const char before[] = "access to ";
	char table[64] = "";

	if (strncmp(message, before, sizeof(before) - 1) == 0)
		snprintf(table, sizeof(table), "%.*s",
			 (int)strcspn(message + sizeof(before) - 1, "."),
			 message + sizeof(before) - 1);
	if (!table[0] || slice_table_is(table))
		return err_set(err, ERR_EMPTY,
			       "reads slices, which the store does not have");
	return err_set(err, ERR_INPUT,
		       "reads the table %s, which was not brought here: this is a "
		       "mistake of ptool, please report it",
		       table);
}

/* What fails so is no reading. */
static bool has_no_room(int number)
{
	return number == ENOSPC || number == EDQUOT || number == EFBIG;
}

int sql_error(struct sqlite3 *db, struct err *err)
{
	int primary = sqlite3_errcode(db) & 0xff;
	int number =
		primary == SQLITE_CORRUPT || primary == SQLITE_IOERR ? errno_of(db) : 0;

	if (primary == SQLITE_FULL)
		number = ENOSPC;
	if (has_no_room(number) && sqlite3_db_readonly(db, "main") == 0)
		return err_set(err, ERR_IO, "cannot write '%s': %s",
			       sqlite3_db_filename(db, "main"), strerror(number));
	if (primary == SQLITE_FULL)
		return err_set(err, ERR_IO,
			       "no room for temporary files; SQLITE_TMPDIR or TMPDIR "
			       "names another folder");
	if (primary == SQLITE_IOERR && number)
		return err_set(err, ERR_IO, "%s", strerror(number));
	/* it takes a disk that cannot be read for a damaged database */
	if (primary == SQLITE_CORRUPT && number == EIO)
		return err_set(err, ERR_IO, "cannot read it: %s", strerror(EIO));
	/* nobody but store_open() sets a limit to reading; users' queries have their own */
	if (primary == SQLITE_INTERRUPT && sqlite3_db_readonly(db, "main") == 1)
		return err_set(err, ERR_INPUT,
			       "the store is damaged: its pages form a loop");
	if (sqlite3_extended_errcode(db) == SQLITE_READONLY_ROLLBACK)
		return err_set(
			err, ERR_INPUT,
			"another program was stopped while it wrote the store, and left "
			"the journal beside it; sqlite3 restores it when it opens it");
	if (primary == SQLITE_AUTH)
		return refused(sqlite3_errmsg(db), err);
	return err_set(err, kind_of_code(primary), "%s", sqlite3_errmsg(db));
}

bool sql_is_out_of_memory(const struct err *err)
{
	return err->kind == ERR_IO &&
	       strcmp(err->text, sqlite3_errstr(SQLITE_NOMEM)) == 0;
}

void sql_count_memory(bool does)
{
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, does);
}

void sql_harden(struct sqlite3 *db)
{
	static const struct {
		int what, on;
	} settings[] = {
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
		{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
		{ SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0 },
		{ SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
	};
	static const char *modules[] = { "json_each", "json_tree", NULL };
	/* They use what belongs to modules, and dropping those frees it. */
	static const struct {
		const char *name;
		int nargs;
	} functions[] = { { "fts3_tokenizer", 1 },
			  { "fts3_tokenizer", 2 },
			  { "fts5", 1 } };

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		sqlite3_db_config(db, settings[i].what, settings[i].on, NULL);
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		sqlite3_create_function_v2(db, functions[i].name, functions[i].nargs,
					   SQLITE_UTF8, NULL, NULL, NULL, NULL, NULL);
	sqlite3_drop_modules(db, modules);
}

int sql_prepare(struct sqlite3 *db, const char *text, struct sqlite3_stmt **out,
		struct err *err)
{
	*out = NULL;
	if (sqlite3_prepare_v2(db, text, -1, out, NULL) != SQLITE_OK)
		return sql_error(db, err);
	return 0;
}

int sql_step(struct sqlite3_stmt *stmt, struct err *err)
{
	int code = sqlite3_step(stmt);

	if (code == SQLITE_ROW)
		return 1;
	/* The message belongs to the connection, and the reset keeps it. */
	sqlite3_reset(stmt);
	return code == SQLITE_DONE ? 0 : sql_error(sqlite3_db_handle(stmt), err);
}

void sql_bind_bytes(struct sqlite3_stmt *stmt, int index, struct str bytes, bool is_text,
		    int *rc)
{
	int bound = is_text ? sqlite3_bind_text64(stmt, index, bytes.p, bytes.n,
						  SQLITE_STATIC, SQLITE_UTF8)
			    : sqlite3_bind_blob64(stmt, index, bytes.p, bytes.n,
						  SQLITE_STATIC);

	if (*rc == SQLITE_OK)
		*rc = bound;
}

int sql_step_bound(struct sqlite3_stmt *stmt, int rc, struct err *err)
{
	if (rc == SQLITE_OK)
		return sql_step(stmt, err);
	return err_set(err, rc == SQLITE_NOMEM ? ERR_IO : ERR_INPUT, "a text of it: %s",
		       sqlite3_errstr(rc));
}

int sql_exec(struct sqlite3 *db, const char *text, struct err *err)
{
	if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
		return sql_error(db, err);
	return 0;
}

int sql_int(struct sqlite3 *db, const char *text, int64_t *out, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (sql_prepare(db, text, &stmt, err) < 0)
		return -1;
	int rc = sql_step(stmt, err);
	if (rc == 1)
		*out = sqlite3_column_int64(stmt, 0);
	else if (rc == 0)
		rc = err_set(err, ERR_EMPTY, "no row");
	sqlite3_finalize(stmt);
	return rc < 0 ? -1 : 0;
}

struct str sql_bytes(struct sqlite3_stmt *stmt, int column)
{
	/* in this order: the first may convert what the length is then of */
	const char *p = sqlite3_column_blob(stmt, column);
	int n = sqlite3_column_bytes(stmt, column);

	return (struct str){ p ? p : "", (size_t)n };
}

const char *sql_text(struct sqlite3_stmt *stmt, int column, struct arena *arena)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	return text ? arena_strdup(arena, text) : NULL;
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("/._-~", c));
}

char *sql_uri(const char *path, const char *options)
{
	struct buf uri;

	buf_init(&uri, URI_MAX);
	/*
	 * An empty authority, so that a path that begins with "//" is not taken for one; and
	 * ":memory:" is a file, too.
	 */
	buf_add_text(&uri, path[0] == '/' ? "file://" : "file:./");
	for (const char *p = path; *p; p++) {
		if (is_plain(*p))
			buf_add_char(&uri, *p);
		else
			buf_addf(&uri, "%%%02X", (unsigned)(unsigned char)*p);
	}
	buf_addf(&uri, "?%s", options);
	return uri.p; /* moved to the caller: what a buf owns is malloc()ed */
}

static int check_beside(const char *file, const char *suffix, bool may_be_file,
			struct err *err)
{
	char *journal = xasprintf("%s%s", file, suffix);
	struct stat st;
	int rc = 0;

	if (stat(journal, &st) == 0 && !S_ISREG(st.st_mode))
		rc = err_set(err, ERR_INPUT,
			     "'%s' is not a file, and SQLite would open it; move it away",
			     journal);
	else if (!may_be_file && stat(journal, &st) == 0 && st.st_size > 0)
		rc = err_set(err, ERR_INPUT,
			     "'%s' is of another program, and SQLite would take it for a "
			     "part of the store; move it away",
			     journal);
	free(journal);
	return rc;
}

int sql_check_journal(const char *path, struct err *err)
{
	char *file = realpath(path, NULL); /* where SQLite looks if it is a link */
	const char *name = file ? file : path;
	int rc = check_beside(name, "-journal", true, err);

	if (rc == 0) /* whatever the store's header says */
		rc = check_beside(name, "-wal", false, err);
	free(file);
	return rc;
}
