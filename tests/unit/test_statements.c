/* The writer's SQL: every named statement prepares on an empty store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/asset.h"
#include "base/str.h"
#include "scratch.h"
#include "store/sql.h"
#include "store/statements.h"
#include "store/write.h"

static int store_setup(void **state)
{
	struct err err = ERR_INIT;
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		return -1;
	*state = db;
	return write_schema(db, &err);
}

static int store_teardown(void **state)
{
	return sqlite3_close(*state);
}

static void must_run(sqlite3 *db, const char *sql)
{
	struct err err = ERR_INIT;

	if (sql_exec(db, sql, &err) < 0)
		fail_msg("%s", err.text);
}

static int64_t ask(sqlite3 *db, const char *sql)
{
	struct err err = ERR_INIT;
	int64_t value = -1;

	if (sql_int(db, sql, &value, &err) < 0)
		fail_msg("%s: %s", sql, err.text);
	return value;
}

static void every_statement_prepares(void **state)
{
	static const char mark[] = "-- name: ";
	unsigned n = 0;

	for (const char *p = (const char *)asset_store_statements_sql;
	     (p = strstr(p, mark)); n++) {
		struct err err = ERR_INIT;
		struct sqlite3_stmt *stmt;
		char name[64];
		p += strlen(mark);
		size_t len = strcspn(p, "\n");
		assert_true(len < sizeof(name));
		memcpy(name, p, len);
		name[len] = '\0';
		if (statement_prepare(*state, name, &stmt, &err) < 0)
			fail_msg("%s: %s", name, err.text);
		assert_non_null(stmt);
		sqlite3_finalize(stmt);
	}
	assert_true(n > 20);
}

static void the_schema_is_strict_and_names_every_class(void **state)
{
	assert_int_equal(
		0, ask(*state,
		       "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' "
		       "AND type = 'table' AND name NOT LIKE 'sqlite_%' "
		       "AND NOT strict"));
	assert_int_equal(NCLASSES, ask(*state, "SELECT count(*) FROM slice_class"));
	assert_int_equal(4, ask(*state, "SELECT sum(is_device_work) FROM slice_class"));
	assert_int_equal(
		0, ask(*state, "SELECT count(*) FROM slice_class WHERE name IS NULL"));
}

static void every_view_can_be_asked(void **state)
{
	struct err err = ERR_INIT;
	struct sqlite3_stmt *list;
	unsigned n = 0;

	assert_int_equal(0, sql_prepare(*state,
					"SELECT 'SELECT count(*) FROM ' || name FROM "
					"sqlite_schema WHERE type = 'view'",
					&list, &err));
	for (; sql_step(list, &err) > 0; n++)
		assert_int_equal(0,
				 ask(*state, (const char *)sqlite3_column_text(list, 0)));
	sqlite3_finalize(list);
	assert_true(n >= 4);
}

/* A remove_* statement for every table that a run has rows in. */
static void removing_a_run_reaches_every_table_of_facts(void **state)
{
	struct err err = ERR_INIT;
	struct sqlite3_stmt *list;

	assert_int_equal(0, sql_prepare(*state,
					"SELECT 'remove_' || name FROM sqlite_schema "
					"WHERE type = 'table' AND name <> 'slice_class'",
					&list, &err));
	while (sql_step(list, &err) > 0) {
		struct sqlite3_stmt *stmt;
		const char *name = (const char *)sqlite3_column_text(list, 0);
		if (statement_prepare(*state, name, &stmt, &err) < 0)
			fail_msg("%s: %s", name, err.text);
		sqlite3_finalize(stmt);
	}
	sqlite3_finalize(list);
}

/* Every column that refers to string keeps the text from being removed. */
static void a_text_that_any_table_refers_to_is_kept(void **state)
{
	struct err err = ERR_INIT;
	struct sqlite3_stmt *list;
	unsigned n = 0;

	assert_int_equal(
		0,
		sql_prepare(
			*state,
			"SELECT 'SELECT instr((SELECT :sql), ''max(' || f.\"from\" || "
			"') FROM ' || m.name || ''')' FROM sqlite_schema m "
			"JOIN pragma_foreign_key_list(m.name) f WHERE f.\"table\" = 'string'",
			&list, &err));
	for (; sql_step(list, &err) > 0; n++) {
		struct sqlite3_stmt *stmt;
		assert_int_equal(
			0, sql_prepare(*state, (const char *)sqlite3_column_text(list, 0),
				       &stmt, &err));
		sqlite3_bind_text(stmt, 1, (const char *)asset_store_statements_sql, -1,
				  SQLITE_STATIC);
		assert_int_equal(1, sql_step(stmt, &err));
		if (sqlite3_column_int(stmt, 0) == 0)
			fail_msg("remove_string forgets: %s",
				 sqlite3_column_text(list, 0));
		sqlite3_finalize(stmt);
	}
	sqlite3_finalize(list);
	assert_true(n >= 10);
}

static void removing_an_unknown_run_changes_nothing(void **state)
{
	struct err err = ERR_INIT;
	int64_t run;

	assert_int_equal(0, write_run(*state, "kept", &run, &err));
	assert_int_equal(0, write_remove_run(*state, "no such run", &err));
	assert_int_equal(1, ask(*state, "SELECT count(*) FROM run WHERE name = 'kept'"));
}

static void several_runs_go_as_one_does(void **state)
{
	static const char *const gone[] = { "c", "a", "d" };
	struct err err = ERR_INIT;
	char name[] = "a";
	char *path = scratch_path(state, "a.db"); /* its pages are checked, too */
	int64_t run;
	sqlite3 *db;

	assert_int_equal(SQLITE_OK, sqlite3_open(path, &db));
	assert_int_equal(0, write_schema(db, &err));
	for (; *name < 'f'; name[0]++)
		assert_int_equal(0, write_run(db, name, &run, &err));
	must_run(db, "INSERT INTO profile (id, run_id, path, format, start_ns, dur_ns, "
		     "  bytes, first_slice_id, slices, first_op_detail_id, op_details, "
		     "  has_memory, has_shapes, has_stacks, has_flops, has_slices, "
		     "  all_slices, split_annotations, float_memory_window, "
		     "  python_in_tree, keep_unfinished, annotation_fudge_ns, "
		     "  metadata) "
		     "SELECT id, id, name, 'chrome', 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, "
		     "  0, 0, 0, 0, 0, 0, 0, '{}' FROM run;"
		     "INSERT INTO process (profile_id, pid) SELECT id, 7 FROM profile");
	int rc = write_remove_runs(db, gone, 3, &err);
	assert_string_equal("", rc < 0 ? err.text : "");
	assert_int_equal(2, ask(db, "SELECT count(*) FROM run WHERE name IN ('b', 'e')"));
	assert_int_equal(2, ask(db, "SELECT count(*) FROM run"));
	assert_int_equal(2, ask(db, "SELECT count(*) FROM run r JOIN profile p "
				    "ON p.run_id = r.id AND p.path = r.name"));
	assert_int_equal(2, ask(db, "SELECT count(*) FROM profile"));
	assert_int_equal(2, ask(db, "SELECT count(*) FROM process"));
	assert_int_equal(0, ask(db, "SELECT count(*) FROM sqlite_temp_schema"));
	sqlite3_close(db);
	free(path);
}

static void texts_come_back_with_their_numbers(void **state)
{
	struct err err = ERR_INIT;
	struct intern texts, back;

	intern_init(&texts);
	intern_init(&back);
	intern_add(&texts, STR_LIT(""));
	intern_add(&texts, STR_LIT("aten::mm"));
	intern_add(&texts, (struct str){ "a\0b", 3 });
	assert_int_equal(0, write_texts(*state, &texts, 0, &usual_limits, &err));
	intern_add(&texts, STR_LIT("later"));
	assert_int_equal(0, write_texts(*state, &texts, 3, &usual_limits, &err));
	assert_int_equal(0, write_load_texts(*state, &back, &err));
	assert_int_equal(4, back.n);
	for (uint32_t i = 0; i < 4; i++)
		assert_true(str_equal(intern_str(&texts, i), intern_str(&back, i)));
	intern_release(&texts);
	intern_release(&back);
}

static void a_store_whose_texts_have_a_gap_is_refused(void **state)
{
	struct err err = ERR_INIT;
	struct intern texts;

	intern_init(&texts);
	must_run(*state, "INSERT INTO string VALUES (1, 'a'), (3, 'c')");
	assert_int_equal(-1, write_load_texts(*state, &texts, &err));
	assert_int_equal(ERR_INPUT, err.kind);
	intern_release(&texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_statement_prepares, store_setup,
						store_teardown),
		cmocka_unit_test_setup_teardown(
			the_schema_is_strict_and_names_every_class, store_setup,
			store_teardown),
		cmocka_unit_test_setup_teardown(every_view_can_be_asked, store_setup,
						store_teardown),
		cmocka_unit_test_setup_teardown(
			removing_a_run_reaches_every_table_of_facts, store_setup,
			store_teardown),
		cmocka_unit_test_setup_teardown(a_text_that_any_table_refers_to_is_kept,
						store_setup, store_teardown),
		cmocka_unit_test_setup_teardown(removing_an_unknown_run_changes_nothing,
						store_setup, store_teardown),
		cmocka_unit_test_setup_teardown(several_runs_go_as_one_does,
						scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(texts_come_back_with_their_numbers,
						store_setup, store_teardown),
		cmocka_unit_test_setup_teardown(a_store_whose_texts_have_a_gap_is_refused,
						store_setup, store_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
