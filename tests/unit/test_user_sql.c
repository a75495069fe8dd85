/* A user's queries: what they may take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <time.h>

#include "base/err.h"
#include "base/table.h"
#include "publishing.h"
#include "query/user_sql.h"
#include "scratch.h"

#define SORTED "hex(zeroblob(500)) || i AS t FROM n ORDER BY t DESC"

/* The first row of a query whose sorted rows may take so much in files; 0 or -1. */
static int first_row(struct store *store, const char *text, int64_t file_bytes,
		     struct err *err)
{
	const struct user_sql_limits limits = { .file_bytes = file_bytes };
	struct table *table = NULL;
	struct user_sql *q;
	struct cell cells[2];

	assert_int_equal(0, user_sql_open(store, text, &limits, &q, err));
	assert_int_equal(1, user_sql_next(q, true, &table, err));
	int rc = table->next(table, cells, err);
	table_free(table);
	user_sql_close(q);
	return rc;
}

static void rows_without_end_fill_no_disk(void **state)
{
	static const char endless[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
				      "SELECT i + 1 FROM n) SELECT i, " SORTED,
			  /* 4 MB, which are written again for each part */
		some[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
			 "i + 1 FROM n LIMIT 4000) SELECT i, " SORTED;
	char *path = scratch_path(state, "store.db");
	struct err err = ERR_INIT;
	struct store *store;

	must_publish(path, false, NEW_STORE SMALL_ROW);
	assert_int_equal(0, store_open(path, &store, &err));
	assert_int_equal(-1, first_row(store, endless, INT64_C(1) << 20, &err));
	assert_int_equal(ERR_IO, err.kind);
	assert_string_equal("what the query sorts takes more than 1.00 MiB in temporary "
			    "files; --memory-limit SIZE allows so much there, too",
			    err.text);
	/* what it has written counts no longer */
	err = (struct err)ERR_INIT;
	assert_int_equal(1, first_row(store, some, INT64_C(20) << 20, &err));
	assert_int_equal(1, first_row(store, some, INT64_C(20) << 20, &err));
	assert_int_equal(1, first_row(store, some, 0, &err));
	store_close(store);
	free(path);
}

/* SQLite looks at the clock after many steps of its own: drawing is none of these. */
static void time_between_rows_counts(void **state)
{
	const struct user_sql_limits limits = { .seconds = 1 };
	const struct timespec longer = { .tv_sec = 1, .tv_nsec = 1000000 };
	char *path = scratch_path(state, "store.db");
	struct err err = ERR_INIT;
	struct table *table = NULL;
	struct store *store;
	struct user_sql *q;
	struct cell cells[1];

	must_publish(path, false, NEW_STORE SMALL_ROW);
	assert_int_equal(0, store_open(path, &store, &err));
	assert_int_equal(0, user_sql_open(store, "SELECT 1", &limits, &q, &err));
	assert_int_equal(1, user_sql_next(q, true, &table, &err));
	nanosleep(&longer, NULL);
	assert_int_equal(-1, table->next(table, cells, &err));
	assert_int_equal(ERR_USAGE, err.kind);
	assert_string_equal("the query took longer than --timeout 1", err.text);
	table_free(table);
	user_sql_close(q);
	store_close(store);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_without_end_fill_no_disk,
						scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(time_between_rows_counts, scratch_setup,
						scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
