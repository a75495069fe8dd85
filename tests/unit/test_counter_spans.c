/* The rows that each profile has in the table counter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/timeline/counter_spans.h"
#include "scratch.h"
#include "store/publish.h"
#include "store/sql.h"
#include "store/store.h"
#include "store/write.h"

static struct store *store_of(void **state, const char *rows)
{
	char *path = scratch_path(state, "a.db");
	struct err err = ERR_INIT;
	struct publish *publish;
	struct store *store;

	assert_int_equal(0, publish_begin(path, false, &publish, &err));
	assert_int_equal(0, write_schema(publish_db(publish), &err));
	assert_int_equal(0, sql_exec(publish_db(publish), rows, &err));
	assert_int_equal(0, publish_commit(publish, &err));
	assert_int_equal(0, store_open(path, &store, &err));
	free(path);
	return store;
}

static void assert_span(const struct counter_spans *spans, int64_t profile, int64_t first,
			int64_t last)
{
	const struct counter_span *span = counter_spans_find(spans, profile);

	assert_non_null(span);
	assert_int_equal(profile, span->profile);
	assert_int_equal(first, span->first);
	assert_int_equal(last, span->last);
}

#define TRACKS                                                               \
	"INSERT INTO track (id, profile_id, kind, slices) VALUES "           \
	"(1, 3, 'counter', 0), (2, 3, 'counter', 0), (3, 7, 'counter', 0), " \
	"(4, 5, 'thread', 0);"

static void profiles_stand_behind_each_other(void **state)
{
	struct store *store = store_of(
		state, TRACKS "INSERT INTO counter (id, track_id, ts, value) VALUES "
			      "(1, 1, 0, 1), (2, 1, 5, 2), (3, 2, 0, 3), (9, 3, 0, 4)");
	struct counter_spans spans;
	struct err err = ERR_INIT;

	assert_int_equal(0, counter_spans_load(store, &spans, &err));
	assert_int_equal(2, spans.n);
	assert_span(&spans, 3, 1, 3);
	assert_span(&spans, 7, 9, 9);
	assert_null(counter_spans_find(&spans, 5));
	counter_spans_release(&spans);
	store_close(store);
}

static void samples_of_a_strange_store_are_anywhere(void **state)
{
	struct store *store = store_of(
		state, TRACKS "INSERT INTO counter (id, track_id, ts, value) VALUES "
			      "(-4, 3, 0, 1), (1, 1, 0, 1), (2, 3, 0, 2), (3, 2, 0, 3), "
			      "(8, 99, 0, 0), (9, 3, 0, 4)");
	struct counter_spans spans;
	struct err err = ERR_INIT;

	assert_int_equal(0, counter_spans_load(store, &spans, &err));
	assert_int_equal(2, spans.n); /* not of the track that is none */
	assert_span(&spans, 3, 1, 3);
	assert_span(&spans, 7, -4, 9);
	counter_spans_release(&spans);
	store_close(store);
}

static void without_counters_there_are_none(void **state)
{
	struct store *store = store_of(state, TRACKS);
	struct counter_spans spans;
	struct err err = ERR_INIT;

	assert_int_equal(0, counter_spans_load(store, &spans, &err));
	assert_int_equal(0, spans.n);
	assert_null(counter_spans_find(&spans, 3));
	counter_spans_release(&spans);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(profiles_stand_behind_each_other,
						scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(samples_of_a_strange_store_are_anywhere,
						scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(without_counters_there_are_none,
						scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
