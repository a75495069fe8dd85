/* Writing a store, all or nothing: what a single writer sees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/err.h"
#include "publishing.h"
#include "scratch.h"

static void assert_begin_fails(const char *path, bool keep_old, enum err_kind kind,
			       const char *text)
{
	struct err err = ERR_INIT;
	struct publish *p;

	assert_int_equal(-1, publish_begin(path, keep_old, &p, &err));
	assert_null(p);
	assert_int_equal(kind, err.kind);
	assert_string_equal(text, err.text);
}

static void a_new_store_appears_whole_at_the_commit(void **state)
{
	char *path = scratch_path(state, "odd ?name#100%.db");
	struct err err = ERR_INIT;
	struct publish *p;
	struct stat st;
	mode_t mask = umask(027);

	assert_int_equal(0, publish_begin(path, true, &p, &err));
	assert_int_equal(0, run_sql(publish_db(p), NEW_STORE, &err));
	assert_false(scratch_exists(path));
	assert_int_equal(0, publish_commit(p, &err));
	umask(mask);
	assert_int_equal(0, stat(path, &st));
	assert_int_equal(0640, st.st_mode & 07777);
	assert_int_equal(0, nrows(path));
	assert_int_equal(1, scratch_nfiles(state));
	free(path);
}

static void an_open_transaction_is_committed(void **state)
{
	char *path = scratch_path(state, "a.db");

	must_publish(path, true, "BEGIN;" NEW_STORE SMALL_ROW);
	assert_int_equal(1, nrows(path));
	free(path);
}

static void an_abort_leaves_the_old_store_and_nothing_else(void **state)
{
	char *path = scratch_path(state, "a.db");
	struct err err = ERR_INIT;
	struct publish *p;

	must_publish(path, false, NEW_STORE);
	assert_int_equal(0, publish_begin(path, true, &p, &err));
	assert_int_equal(0, sql_exec(publish_db(p), SMALL_ROW, &err));
	publish_abort(p);
	publish_abort(NULL);
	assert_int_equal(0, nrows(path));
	assert_int_equal(1, scratch_nfiles(state));
	free(path);
}

static void the_old_rows_are_kept_when_asked_for(void **state)
{
	char *path = scratch_path(state, "a.db");

	must_publish(path, false, NEW_STORE NUMBERS_TO(2000) BIG_ROW);
	must_publish(path, true, SMALL_ROW);
	assert_int_equal(2001, nrows(path));
	assert_whole(path);
	must_publish(path, false, NEW_STORE);
	assert_int_equal(0, nrows(path));
	free(path);
}

static void the_old_mode_is_kept(void **state)
{
	char *path = scratch_path(state, "a.db");
	struct stat st;

	must_publish(path, false, NEW_STORE);
	assert_int_equal(0, chmod(path, 0604));
	must_publish(path, true, SMALL_ROW);
	assert_int_equal(0, stat(path, &st));
	assert_int_equal(0604, st.st_mode & 07777);
	free(path);
}

static void the_page_size_can_be_chosen_for_an_empty_store(void **state)
{
	char *path = scratch_path(state, "a.db");

	must_publish(path, false, NEW_STORE);
	assert_int_equal(4096, ask(path, "PRAGMA page_size"));
	must_publish(path, false, "PRAGMA page_size = 16384;" NEW_STORE);
	assert_int_equal(16384, ask(path, "PRAGMA page_size"));
	free(path);
}

static void a_reader_goes_on_seeing_the_old_rows(void **state)
{
	char *path = scratch_path(state, "a.db");
	struct err err = ERR_INIT;
	struct store *reader;
	int64_t value = -1;

	must_publish(path, false, NEW_STORE NUMBERS_TO(500) BIG_ROW);
	assert_int_equal(0, store_open(path, &reader, &err));
	must_publish(path, true, "DELETE FROM quarantine WHERE slice_id > 1");
	assert_int_equal(0,
			 sql_int(store_db(reader), "SELECT sum(slice_id) FROM quarantine",
				 &value, &err));
	assert_int_equal(500 * 501 / 2, value);
	assert_int_equal(1, nrows(path));
	store_close(reader);
	free(path);
}

static void what_is_not_a_store_is_refused_and_stays(void **state)
{
	char *text = scratch_path(state, "notes.txt");
	char *foreign = scratch_path(state, "places.sqlite");
	char *pipe_path = scratch_path(state, "pipe");
	sqlite3 *db;

	scratch_write(text, "mine\n");
	assert_int_equal(SQLITE_OK, sqlite3_open(foreign, &db));
	assert_int_equal(SQLITE_OK,
			 sqlite3_exec(db, "CREATE TABLE t (a)", NULL, NULL, NULL));
	sqlite3_close(db);
	assert_int_equal(0, mkfifo(pipe_path, 0600));
	assert_begin_fails(text, false, ERR_USAGE, "exists and is not a ptool store");
	assert_begin_fails(foreign, true, ERR_USAGE, "exists and is not a ptool store");
	assert_begin_fails(pipe_path, true, ERR_USAGE, "exists and is not a ptool store");
	assert_begin_fails(*state, true, ERR_USAGE, "exists and is not a ptool store");
	assert_begin_fails("", true, ERR_USAGE, "'' is not the name of a file");
	assert_int_equal(3, scratch_nfiles(state));
	free(pipe_path);
	free(foreign);
	free(text);
}

static void a_store_of_another_schema_is_replaced_but_not_added_to(void **state)
{
	char *path = scratch_path(state, "a.db");
	sqlite3 *db;

	must_publish(path, false, NEW_STORE);
	assert_int_equal(SQLITE_OK, sqlite3_open(path, &db));
	assert_int_equal(SQLITE_OK,
			 sqlite3_exec(db, "PRAGMA user_version = 9", NULL, NULL, NULL));
	sqlite3_close(db);
	char *text =
		xasprintf("store has schema 9, this ptool writes %d; move it away first",
			  STORE_SCHEMA_VERSION);
	assert_begin_fails(path, true, ERR_INPUT, text);
	free(text);
	must_publish(path, false, NEW_STORE);
	assert_int_equal(0, nrows(path));
	free(path);
}

static void a_store_with_a_schema_of_somebody_else_is_replaced_but_not_added_to(
	void **state)
{
	char *path = scratch_path(state, "a.db");
	sqlite3 *db;

	must_publish(path, false, NEW_STORE SMALL_ROW);
	assert_int_equal(SQLITE_OK, sqlite3_open(path, &db));
	assert_int_equal(SQLITE_OK,
			 sqlite3_exec(db,
				      "CREATE TRIGGER gone AFTER DELETE ON run BEGIN "
				      "DELETE FROM quarantine; END",
				      NULL, NULL, NULL));
	sqlite3_close(db);
	assert_begin_fails(
		path, true, ERR_INPUT,
		"not the schema of a ptool store: the trigger 'gone' was not made by ptool; "
		"ingest the trace again");
	assert_int_equal(1, scratch_nfiles(state));
	must_publish(path, false, NEW_STORE);
	assert_int_equal(0, nrows(path));
	free(path);
}

static void what_a_store_says_is_distrusted_while_it_is_written(void **state)
{
	char *path = scratch_path(state, "a.db");
	struct err err = ERR_INIT;
	struct publish *p;

	assert_int_equal(0, publish_begin(path, false, &p, &err));
	assert_int_equal(
		-1, sql_exec(publish_db(p), "SELECT fts3_tokenizer('simple')", &err));
	assert_string_equal("no such function: fts3_tokenizer", err.text);
	assert_int_equal(-1, sql_exec(publish_db(p),
				      "CREATE VIRTUAL TABLE v USING fts4(a)", &err));
	assert_int_equal(
		0, sql_exec(publish_db(p),
			    "CREATE TABLE a (x); CREATE TRIGGER t AFTER INSERT ON a "
			    "BEGIN DELETE FROM a; END; INSERT INTO a VALUES (1)",
			    &err));
	int64_t n = 0;
	assert_int_equal(0, sql_int(publish_db(p), "SELECT count(*) FROM a", &n, &err));
	assert_int_equal(1, n);
	publish_abort(p);
	free(path);
}

static void a_store_in_wal_mode_is_replaced_but_not_added_to(void **state)
{
	char *path = scratch_path(state, "a.db");
	sqlite3 *db;

	must_publish(path, false, NEW_STORE);
	assert_int_equal(SQLITE_OK, sqlite3_open(path, &db));
	assert_int_equal(SQLITE_OK,
			 sqlite3_exec(db, "PRAGMA journal_mode = WAL; " SMALL_ROW, NULL,
				      NULL, NULL));
	sqlite3_close(db);
	assert_begin_fails(path, true, ERR_INPUT,
			   "another program set the store to WAL mode; "
			   "set it back with PRAGMA journal_mode = DELETE");
	must_publish(path, false, NEW_STORE);
	assert_int_equal(0, nrows(path));
	assert_int_equal(1, scratch_nfiles(state));
	free(path);
}

static void a_journal_of_another_program_is_not_left_beside_new_bytes(void **state)
{
	static const char *const suffixes[] = { "-journal", "-wal" };

	for (size_t i = 0; i < 2; i++) {
		char *path = scratch_path(state, "a.db");
		char *journal = xasprintf("%s%s", path, suffixes[i]);
		char *text = xasprintf(
			"another program is changing the store: '%s' exists", journal);
		scratch_write(journal, "pages");
		assert_begin_fails(path, true, ERR_IO, text);
		assert_int_equal(0, unlink(journal));
		assert_int_equal(0, mkfifo(journal, 0600));
		assert_begin_fails(path, true, ERR_IO, text);
		assert_int_equal(0, unlink(journal));
		free(text);
		free(journal);
		free(path);
	}
}

static void a_symbolic_link_stays_and_its_target_is_replaced(void **state)
{
	char *folder = scratch_path(state, "disk");
	char *target = scratch_path(state, "disk/a.db");
	char *link_path = scratch_path(state, "link.db");
	struct stat st;

	assert_int_equal(0, mkdir(folder, 0700));
	assert_int_equal(0, symlink("disk/a.db", link_path));
	for (int i = 1; i <= 2; i++) { /* first dangling, then to a store */
		must_publish(link_path, false, NEW_STORE);
		must_publish(target, true, SMALL_ROW);
		assert_int_equal(0, lstat(link_path, &st));
		assert_true(S_ISLNK(st.st_mode));
		assert_int_equal(1, nrows(link_path));
	}
	assert_int_equal(2, scratch_nfiles(state));
	free(link_path);
	free(target);
	free(folder);
}

static void links_in_a_circle_are_an_error(void **state)
{
	char *path = scratch_path(state, "a.db");
	char *text =
		xasprintf("cannot write '%s': Too many levels of symbolic links", path);

	assert_int_equal(0, symlink("a.db", path));
	assert_begin_fails(path, true, ERR_IO, text);
	free(text);
	free(path);
}

static void a_missing_folder_is_named(void **state)
{
	char *path = scratch_path(state, "missing/a.db");
	char *text =
		xasprintf("cannot create '%s.lock': No such file or directory", path);

	assert_begin_fails(path, true, ERR_IO, text);
	free(text);
	free(path);
}

static void a_folder_that_cannot_be_written_is_named(void **state)
{
	if (geteuid() == 0) {
		print_message("skipped: root may write everywhere\n");
		skip();
		return;
	}

	char *path = scratch_path(state, "a.db");
	char *text = xasprintf("cannot create '%s.lock': Permission denied", path);
	assert_int_equal(0, chmod(*state, 0500));
	assert_begin_fails(path, true, ERR_IO, text);
	assert_int_equal(0, chmod(*state, 0700));
	free(text);
	free(path);
}

static void a_database_that_may_not_grow_leaves_the_old_store(void **state)
{
	char *path = scratch_path(state, "a.db");
	struct err err = ERR_INIT;

	must_publish(path, false, NEW_STORE);
	assert_int_equal(-1, publish_sql(path, true,
					 "PRAGMA max_page_count = 50;" NUMBERS_TO(100)
						 BIG_ROW,
					 &err));
	assert_int_equal(ERR_IO, err.kind);
	assert_non_null(strstr(err.text, "a.db.tmp."));
	assert_non_null(strstr(err.text, ": No space left on device"));
	assert_int_equal(0, nrows(path));
	assert_int_equal(1, scratch_nfiles(state));
	free(path);
}

#define WITH_SCRATCH(test) \
	cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SCRATCH(a_new_store_appears_whole_at_the_commit),
		WITH_SCRATCH(an_open_transaction_is_committed),
		WITH_SCRATCH(an_abort_leaves_the_old_store_and_nothing_else),
		WITH_SCRATCH(the_old_rows_are_kept_when_asked_for),
		WITH_SCRATCH(the_old_mode_is_kept),
		WITH_SCRATCH(the_page_size_can_be_chosen_for_an_empty_store),
		WITH_SCRATCH(a_reader_goes_on_seeing_the_old_rows),
		WITH_SCRATCH(what_is_not_a_store_is_refused_and_stays),
		WITH_SCRATCH(a_store_of_another_schema_is_replaced_but_not_added_to),
		WITH_SCRATCH(
			a_store_with_a_schema_of_somebody_else_is_replaced_but_not_added_to),
		WITH_SCRATCH(what_a_store_says_is_distrusted_while_it_is_written),
		WITH_SCRATCH(a_store_in_wal_mode_is_replaced_but_not_added_to),
		WITH_SCRATCH(a_journal_of_another_program_is_not_left_beside_new_bytes),
		WITH_SCRATCH(a_symbolic_link_stays_and_its_target_is_replaced),
		WITH_SCRATCH(links_in_a_circle_are_an_error),
		WITH_SCRATCH(a_missing_folder_is_named),
		WITH_SCRATCH(a_folder_that_cannot_be_written_is_named),
		WITH_SCRATCH(a_database_that_may_not_grow_leaves_the_old_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
