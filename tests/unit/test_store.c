/* Opening a store to read it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>

#include "base/err.h"
#include "publishing.h"
#include "scratch.h"
#include "store/sql.h"
#include "store/store.h"
#include "store/tree_check.h"

/* A database made by the sqlite3 of anybody. */
static void make_database(const char *path, const char *sql)
{
	struct err err = ERR_INIT;
	sqlite3 *db;

	assert_int_equal(SQLITE_OK, sqlite3_open(path, &db));
	assert_int_equal(0, run_sql(db, sql, &err));
	assert_int_equal(SQLITE_OK, sqlite3_close(db));
}

#define TEXT_OF(number) #number
#define TEXT(macro)     TEXT_OF(macro)
#define SCHEMA          TEXT(STORE_SCHEMA_VERSION)
#define OUR_IDS         "PRAGMA application_id = 0x70746f6c; PRAGMA user_version = " SCHEMA ";"

static void assert_refused(const char *path, enum err_kind kind, const char *text)
{
	struct err err = ERR_INIT;
	struct store *store;

	assert_int_equal(-1, store_open(path, &store, &err));
	assert_null(store);
	assert_int_equal(kind, err.kind);
	assert_string_equal(text, err.text);
}

static void a_store_opens_and_answers(void **state)
{
	char *path = scratch_path(state, "odd ?name#100%.db");
	struct err err = ERR_INIT;
	struct store *store;
	int64_t value = 0;

	make_database(path, OUR_IDS NEW_STORE
		      "INSERT INTO quarantine VALUES (NULL, 42, '', 0);");
	assert_int_equal(0, store_open(path, &store, &err));
	assert_int_equal(0, sql_int(store_db(store), "SELECT slice_id FROM quarantine",
				    &value, &err));
	assert_int_equal(42, value);
	store_close(store);
	free(path);
}

/* In the midst of a query, which then goes on. */
static int check_pages(void *to)
{
	return tree_check_roots(((void **)to)[0], ((void **)to)[1], ((void **)to)[2]) < 0;
}

static void pages_are_checked_within_a_query(void **state)
{
	static const char query[] =
		"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c "
		"WHERE i < 1000) SELECT count(*) FROM c";
	char *path = scratch_path(state, "a.db");
	struct err err = ERR_INIT, damage = ERR_INIT;
	struct tree_roots roots;
	struct store *store;
	int64_t value = 0;

	make_database(path, OUR_IDS NEW_STORE);
	assert_int_equal(0, store_open(path, &store, &err));
	assert_int_equal(0, tree_roots_read(store_db(store), &roots, &err));
	assert_true(roots.n > 20);
	void *to[] = { store_db(store), &roots, &damage };
	sqlite3_progress_handler(store_db(store), 1000, check_pages, to);
	assert_int_equal(0, sql_int(store_db(store), query, &value, &err));
	assert_int_equal(1000, value);
	roots.items[1] = roots.items[0]; /* as if a page were of two tables */
	assert_int_equal(-1, sql_int(store_db(store), query, &value, &err));
	assert_int_equal(ERR_INPUT, damage.kind);
	assert_string_equal("the store is damaged: its pages form a loop", err.text);
	tree_roots_release(&roots);
	store_close(store);
	free(path);
}

/* Many steps of a query say nothing of the pages of a store. */
static void a_sound_store_is_not_called_damaged(void **state)
{
	char *path = scratch_path(state, "a.db");
	struct err err = ERR_INIT;
	struct store *store;
	int64_t value = 0;

	make_database(path, OUR_IDS NEW_STORE);
	assert_int_equal(0, store_open_in_part(path, &store, &err));
	assert_int_equal(0,
			 sql_int(store_db(store),
				 "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT "
				 "i + 1 FROM c WHERE i < 6000000) SELECT count(*) FROM c",
				 &value, &err));
	assert_int_equal(6000000, value);
	store_close(store);
	free(path);
}

/* A lock for each of a million statements cost more than what they did. */
static void one_lock_lasts_until_the_store_is_closed(void **state)
{
	char *path = scratch_path(state, "a.db");
	struct err err = ERR_INIT;
	struct store *store;
	sqlite3_stmt *stmt;

	make_database(path, OUR_IDS NEW_STORE);
	assert_int_equal(0, store_open(path, &store, &err));
	assert_int_equal(
		0, sql_prepare(store_db(store), "PRAGMA locking_mode", &stmt, &err));
	assert_int_equal(1, sql_step(stmt, &err));
	assert_string_equal("exclusive", (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
	store_close(store);
	free(path);
}

static void a_path_that_begins_with_two_slashes_opens(void **state)
{
	char *path = scratch_path(state, "a.db");
	char *slashed = xasprintf("/%s", path);
	struct err err = ERR_INIT;
	struct store *store;

	make_database(path, OUR_IDS NEW_STORE);
	assert_int_equal(0, store_open(slashed, &store, &err));
	store_close(store);
	free(slashed);
	free(path);
}

static void a_missing_store_is_an_input_error_and_is_not_created(void **state)
{
	char *path = scratch_path(state, "a.db");

	assert_refused(path, ERR_INPUT, "No such file or directory");
	assert_int_equal(0, scratch_nfiles(state));
	free(path);
}

static void files_that_are_no_store_say_so(void **state)
{
	char *json = scratch_path(state, "trace.json");
	char *empty = scratch_path(state, "empty");
	char *foreign = scratch_path(state, "places.sqlite");

	scratch_write(json, "{\"traceEvents\": []}");
	scratch_write(empty, "");
	make_database(foreign, "PRAGMA user_version = 8; CREATE TABLE t (a);");
	assert_refused(json, ERR_INPUT, "not a ptool store");
	assert_refused(empty, ERR_INPUT, "not a ptool store");
	assert_refused(foreign, ERR_INPUT, "not a ptool store");
	assert_refused(*state, ERR_INPUT, "not a ptool store");
	free(foreign);
	free(empty);
	free(json);
}

/* Memory at address 0 cannot be read: EIO, as a failing disk gives it. */
static void a_disk_that_fails_is_no_foreign_file(void **state)
{
	(void)state;
	if (access("/proc/self/mem", R_OK) < 0) {
		skip();
		return;
	}
	assert_refused("/proc/self/mem", ERR_IO, "cannot read it: Input/output error");
}

static void another_schema_tells_both_numbers(void **state)
{
	char *path = scratch_path(state, "a.db");

	make_database(path,
		      "PRAGMA application_id = 0x70746f6c; PRAGMA user_version = 99;");
	assert_refused(path, ERR_INPUT,
		       "store has schema 99, this ptool reads " SCHEMA
		       "; a newer ptool wrote it: use that version");
	free(path);
}

static void a_store_cut_in_the_middle_is_an_input_error(void **state)
{
	char *path = scratch_path(state, "a.db");

	make_database(path, OUR_IDS NEW_STORE);
	assert_int_equal(0, truncate(path, 5000));
	assert_refused(path, ERR_INPUT, "database disk image is malformed");
	free(path);
}

/* Each would run code of somebody else, or hold what a column of ours cannot. */
static void a_schema_that_ptool_did_not_write_is_refused(void **state)
{
	static const struct {
		const char *edit, *what;
	} edits[] = {
		{ "CREATE TRIGGER t AFTER DELETE ON run BEGIN DELETE FROM string; END",
		  "the trigger 't' was not made by ptool" },
		{ "CREATE VIRTUAL TABLE v USING fts4(a)",
		  "the table 'v' was not made by ptool" },
		{ "CREATE VIEW v AS SELECT 1", "the view 'v' was not made by ptool" },
		{ "CREATE TABLE v (a)", "the table 'v' was not made by ptool" },
		{ "CREATE INDEX v ON run (name)", "the index 'v' was not made by ptool" },
		{ "DROP VIEW v_step; CREATE VIEW v_step AS SELECT 1 AS step",
		  "the view 'v_step' was changed" },
		{ "DROP VIEW v_step; CREATE TABLE v_step (a)",
		  "the table 'v_step' was changed" },
		{ "ALTER TABLE run ADD COLUMN more TEXT", "the table 'run' was changed" },
		{ "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET "
		  "sql = replace(sql, ') STRICT', ')') WHERE name = 'profile'",
		  "the table 'profile' was changed" },
		{ "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET "
		  "sql = replace(sql, ' NOT NULL', '') WHERE name = 'track'",
		  "the table 'track' was changed" },
		/* a comment within a text is none, and a NUL ends what SQLite reads */
		{ "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, "
		  "'[frames left', '[frames--'' || (SELECT 1) || ''' || char(10) || ' left') "
		  "WHERE name = 'v_stack'",
		  "the view 'v_stack' was changed" },
		{ "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, "
		  "') STRICT', ')--' || char(0, 10) || ' STRICT') WHERE name = 'run'",
		  "the table 'run' was changed" },
		{ "DROP INDEX collective_slice", "'collective_slice' is missing" },
		{ "DROP TABLE finding", "'finding' is missing" },
	};

	for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
		char *path = scratch_path(state, "a.db");
		char *sql = xasprintf(OUR_IDS NEW_STORE "%s", edits[i].edit);
		char *text = xasprintf(
			"not the schema of a ptool store: %s; ingest the trace again",
			edits[i].what);
		make_database(path, sql);
		assert_refused(path, ERR_INPUT, text);
		unlink(path);
		free(text);
		free(sql);
		free(path);
	}
}

static void comments_and_blanks_in_the_schema_do_not_count(void **state)
{
	char *path = scratch_path(state, "a.db");
	struct err err = ERR_INIT;
	struct store *store;

	make_database(path, OUR_IDS NEW_STORE
		      "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = "
		      "replace(replace(sql, '-- ', '-- another word '), '    ', ' ')");
	assert_int_equal(0, store_open(path, &store, &err));
	store_close(store);
	free(path);
}

static void a_schema_without_end_is_refused_at_its_beginning(void **state)
{
	char *path = scratch_path(state, "a.db");
	struct err err = ERR_INIT;
	struct store *store;

	make_database(
		path, OUR_IDS
		"PRAGMA writable_schema = 1;"
		"CREATE TABLE t (a);" NUMBERS_TO(
			100000) "INSERT INTO sqlite_schema SELECT 'view', 'v' || i, 'v' || i, "
				"0, 'CREATE VIEW v' || i || ' AS SELECT 1' FROM n");
	assert_int_equal(-1, store_open(path, &store, &err));
	assert_int_equal(ERR_INPUT, err.kind);
	assert_string_equal(
		"not the schema of a ptool store: it has too many tables; ingest the "
		"trace again",
		err.text);
	free(path);
}

static void a_store_in_wal_mode_is_refused_before_sqlite_makes_files(void **state)
{
	char *path = scratch_path(state, "a.db");

	make_database(path, OUR_IDS "PRAGMA journal_mode = WAL;" NEW_STORE);
	assert_refused(path, ERR_INPUT,
		       "another program set the store to WAL mode; "
		       "set it back with PRAGMA journal_mode = DELETE");
	assert_int_equal(1, scratch_nfiles(state));
	free(path);
}

static void reading_changes_nothing_and_leaves_nothing(void **state)
{
	char *path = scratch_path(state, "a.db");
	struct err err = ERR_INIT;
	struct store *store;
	struct stat before, after;
	int64_t value;

	make_database(path, OUR_IDS NEW_STORE SMALL_ROW);
	assert_int_equal(0, stat(path, &before));
	assert_int_equal(0, store_open(path, &store, &err));
	sqlite3 *db = store_db(store);
	assert_int_equal(0, sql_int(db, "SELECT dur FROM quarantine ORDER BY dur LIMIT 1",
				    &value, &err));
	assert_int_equal(1, scratch_nfiles(state));
	store_close(store);
	assert_int_equal(0, stat(path, &after));
	assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	assert_int_equal(1, scratch_nfiles(state));
	free(path);
}

/* VACUUM INTO and ATTACH are the two statements that write files of any name. */
static void writing_through_a_store_is_a_usage_error(void **state)
{
	static const char *const writes[] = { SMALL_ROW, "DROP TABLE quarantine",
					      "CREATE TEMP TABLE u (a)",
					      "PRAGMA user_version = 9" };
	char *path = scratch_path(state, "a.db");
	char *vacuum = xasprintf("VACUUM INTO '%s/b.db'", (const char *)*state);
	char *attach =
		xasprintf("ATTACH 'file:%s/c.db?mode=rwc' AS c; CREATE TABLE c.t (a);",
			  (const char *)*state);
	struct err err = ERR_INIT;
	struct store *store;

	make_database(path, OUR_IDS NEW_STORE);
	assert_int_equal(0, store_open(path, &store, &err));
	for (size_t i = 0; i < sizeof(writes) / sizeof(*writes); i++) {
		assert_int_equal(-1, sql_exec(store_db(store), writes[i], &err));
		assert_int_equal(ERR_USAGE, err.kind);
		assert_string_equal("attempt to write a readonly database", err.text);
	}
	assert_int_equal(-1, sql_exec(store_db(store), vacuum, &err));
	assert_int_equal(-1, sql_exec(store_db(store), attach, &err));
	store_close(store);
	assert_int_equal(1, scratch_nfiles(state));
	free(attach);
	free(vacuum);
	free(path);
}

static void sqlite_files_are_told_from_raw_traces(void **state)
{
	char *store = scratch_path(state, "a.db");
	char *foreign = scratch_path(state, "nsys.sqlite");
	char *raw = scratch_path(state, "trace.json");
	char *cut = scratch_path(state, "cut");
	char *missing = scratch_path(state, "missing");

	make_database(store, OUR_IDS NEW_STORE);
	make_database(foreign, "CREATE TABLE t (a);");
	scratch_write(raw, "{\"traceEvents\": []}");
	scratch_write(cut, "SQLite format 3");
	assert_true(store_is(store));
	assert_true(store_is(foreign));
	assert_false(store_is(raw));
	assert_false(store_is(cut));
	assert_false(store_is(missing));
	assert_false(store_is(*state));
	free(missing);
	free(cut);
	free(raw);
	free(foreign);
	free(store);
}

static void asking_whether_a_pipe_is_a_store_leaves_its_bytes(void **state)
{
	char *path = scratch_path(state, "pipe");
	char byte = 0;

	assert_int_equal(0, mkfifo(path, 0600));
	int fd = open(path, O_RDWR);
	assert_int_equal(1, write(fd, "x", 1));
	assert_false(store_is(path));
	assert_int_equal(1, read(fd, &byte, 1));
	assert_int_equal('x', byte);
	close(fd);
	free(path);
}

static int interrupt_now(void *db)
{
	sqlite3_interrupt(db);
	return 0;
}

static void sql_failures_have_the_kind_of_their_cause(void **state)
{
	struct err err = ERR_INIT;
	sqlite3_stmt *stmt;
	sqlite3 *db;
	int64_t value;

	(void)state;
	assert_int_equal(SQLITE_OK, sqlite3_open(":memory:", &db));
	assert_int_equal(-1, sql_prepare(db, "SELECT a FROM missing", &stmt, &err));
	assert_null(stmt);
	assert_int_equal(ERR_INPUT, err.kind);
	assert_string_equal("no such table: missing", err.text);

	assert_int_equal(0, sql_exec(db, "CREATE TABLE t (a)", &err));
	assert_int_equal(-1, sql_int(db, "SELECT a FROM t", &value, &err));
	assert_int_equal(ERR_EMPTY, err.kind);

	assert_int_equal(0, sql_exec(db, "PRAGMA max_page_count = 4", &err));
	assert_int_equal(-1,
			 sql_exec(db, "INSERT INTO t VALUES (zeroblob(100000))", &err));
	assert_int_equal(ERR_IO, err.kind);
	assert_string_equal("cannot write '': No space left on device", err.text);

	sqlite3_progress_handler(db, 10, interrupt_now, db);
	assert_int_equal(
		-1, sql_exec(db,
			     "WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 "
			     "FROM n LIMIT 100000) SELECT sum(i) FROM n",
			     &err));
	assert_int_equal(ERR_INTERRUPT, err.kind);
	sqlite3_close(db);
}

static void stepping_gives_rows_then_the_end_then_rows_again(void **state)
{
	struct err err = ERR_INIT;
	sqlite3_stmt *stmt;
	sqlite3 *db;

	(void)state;
	assert_int_equal(SQLITE_OK, sqlite3_open(":memory:", &db));
	assert_int_equal(0, sql_prepare(db, "VALUES (1), (2)", &stmt, &err));
	for (int pass = 0; pass < 2; pass++) {
		assert_int_equal(1, sql_step(stmt, &err));
		assert_int_equal(1, sqlite3_column_int(stmt, 0));
		assert_int_equal(1, sql_step(stmt, &err));
		assert_int_equal(2, sqlite3_column_int(stmt, 0));
		assert_int_equal(0, sql_step(stmt, &err));
	}
	sqlite3_finalize(stmt);
	sqlite3_close(db);
}

#define WITH_SCRATCH(test) \
	cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SCRATCH(a_store_opens_and_answers),
		WITH_SCRATCH(pages_are_checked_within_a_query),
		WITH_SCRATCH(a_sound_store_is_not_called_damaged),
		WITH_SCRATCH(one_lock_lasts_until_the_store_is_closed),
		WITH_SCRATCH(a_path_that_begins_with_two_slashes_opens),
		WITH_SCRATCH(a_missing_store_is_an_input_error_and_is_not_created),
		WITH_SCRATCH(files_that_are_no_store_say_so),
		WITH_SCRATCH(a_disk_that_fails_is_no_foreign_file),
		WITH_SCRATCH(another_schema_tells_both_numbers),
		WITH_SCRATCH(a_store_cut_in_the_middle_is_an_input_error),
		WITH_SCRATCH(a_schema_that_ptool_did_not_write_is_refused),
		WITH_SCRATCH(comments_and_blanks_in_the_schema_do_not_count),
		WITH_SCRATCH(a_schema_without_end_is_refused_at_its_beginning),
		WITH_SCRATCH(a_store_in_wal_mode_is_refused_before_sqlite_makes_files),
		WITH_SCRATCH(reading_changes_nothing_and_leaves_nothing),
		WITH_SCRATCH(writing_through_a_store_is_a_usage_error),
		WITH_SCRATCH(sqlite_files_are_told_from_raw_traces),
		WITH_SCRATCH(asking_whether_a_pipe_is_a_store_leaves_its_bytes),
		cmocka_unit_test(sql_failures_have_the_kind_of_their_cause),
		cmocka_unit_test(stepping_gives_rows_then_the_end_then_rows_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
