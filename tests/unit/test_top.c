/* The operator table from a store: what it answers, and what it does with a broken one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "query/top/top.h"
#include "scratch.h"
#include "store/import.h"

/*
 * Dialect F: an operator with a child and a kernel, a label around it all, memory
 * inside and outside of them.
 */
static const char trace[] =
	"{\"schemaVersion\": 1, \"baseTimeNanoseconds\": 1000, \"traceEvents\": [\n"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#3\",\"pid\":1,\"tid\":1,"
	"\"ts\":0.000,\"dur\":20.000},\n"
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::linear\",\"pid\":1,\"tid\":1,"
	"\"ts\":1.000,\"dur\":10.000,\"args\":{\"External id\":1,\"Input Dims\":[[8, 3]]}},\n"
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,"
	"\"ts\":2.000,\"dur\":6.000,"
	"\"args\":{\"External id\":2,\"Input Dims\":[[8, 3],[3, 4]]}},\n"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
	"\"ts\":3.000,\"dur\":2.000,\"args\":{\"External id\":2,\"correlation\":9}},\n"
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":6.000,"
	"\"dur\":4.000,\"args\":{\"External id\":2,\"correlation\":9,\"device\":0,\"stream\":7}},\n"
	"{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,"
	"\"ts\":2.500,\"args\":{\"Bytes\":512,\"Device Type\":0,\"Device Id\":-1}},\n"
	"{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,"
	"\"ts\":25.000,\"args\":{\"Bytes\":-512,\"Device Type\":0,\"Device Id\":-1}}\n"
	"]}\n";

/* The store of the trace; the caller frees the path. */
static char *make_store(void **state)
{
	char *json = scratch_path(state, "trace.json"),
	     *path = scratch_path(state, "a.db");
	const char *const paths[] = { json };
	struct import_options options = { .store = path };
	struct import_events events = { .to = NULL };
	struct import_result result;
	struct err err = ERR_INIT;

	scratch_write(json, trace);
	if (import_files(&options, paths, 1, &events, &result, &err) < 0)
		fail_msg("%s", err.text);
	free(json);
	return path;
}

struct loaded {
	struct store *store;
	struct scope scope;
	struct filter filter;
	struct top_rows rows;
	int rc;
};

static struct loaded load(const char *path, const char *by, bool slices, struct err *err)
{
	const struct filter_texts texts = { .min_dur = slices ? "0" : NULL };
	struct loaded l = { .rc = -1 };
	struct top_query query = { .filter = &l.filter, .torch_times = slices };

	assert_int_equal(0, filter_compile(&texts, &l.filter, err));
	assert_int_equal(0, top_by_add(&query, by, err));
	query.filter = &l.filter;
	if (store_open(path, &l.store, err) == 0 &&
	    scope_load(l.store, &(struct scope_request){ .run = NULL }, &l.scope, err) ==
		    0)
		l.rc = top_load(l.store, &l.scope, &query, &l.rows, err);
	return l;
}

static void unload(struct loaded *l)
{
	top_release(&l->rows);
	scope_release(&l->scope);
	store_close(l->store);
	filter_release(&l->filter);
}

static const struct opstat *find(const struct top_rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->stats.n; i++)
		if (str_is(text_pool_str(&rows->texts, rows->stats.rows[i].key.name),
			   name))
			return &rows->stats.rows[i];
	fail_msg("no row '%s'", name);
	return NULL;
}

static void assert_table(const char *path, bool slices)
{
	struct err err = ERR_INIT;
	struct loaded l = load(path, "name", slices, &err);

	assert_int_equal(0, l.rc);
	assert_int_equal(6, l.rows.nmatched);
	const struct opstat *linear = find(&l.rows, "aten::linear");
	assert_int_equal(4000, linear->sums.self_ns);
	assert_int_equal(10000, linear->sums.total_ns);
	assert_int_equal(0, linear->sums.self_device_ns);
	assert_int_equal(4000, linear->sums.total_device_ns);
	assert_int_equal(512, linear->sums.cpu_bytes);
	assert_int_equal(0, linear->sums.self_cpu_bytes);
	const struct opstat *mm = find(&l.rows, "aten::mm");
	assert_int_equal(4000, mm->sums.self_ns); /* less the launch */
	assert_int_equal(4000, mm->sums.self_device_ns);
	assert_int_equal(2 * 8 * 3 * 4, mm->sums.flops);
	assert_int_equal(OP_DEVICE, find(&l.rows, "gemm")->key.kind);
	assert_int_equal(-512, find(&l.rows, "[memory]")->sums.cpu_bytes);
	assert_int_equal(20000, l.rows.self_cpu_ns);
	assert_int_equal(4000, l.rows.self_device_ns);
	assert_true(l.rows.has_device && l.rows.has_memory);
	assert_string_equal("self_device_ns", l.rows.sorted_by->name);
	unload(&l);
}

static void both_roads_give_torchs_table(void **state)
{
	char *path = make_store(state);

	assert_table(path, false);
	assert_table(path, true);
	free(path);
}

static void rows_are_told_apart_by_shapes(void **state)
{
	char *path = make_store(state);
	struct err err = ERR_INIT;
	struct loaded l = load(path, "shape", false, &err);
	struct str shapes;

	assert_int_equal(0, l.rc);
	shapes = text_pool_str(&l.rows.texts, find(&l.rows, "aten::mm")->key.shapes);
	assert_true(str_is(shapes, "[[8, 3], [3, 4]]"));
	shapes = text_pool_str(&l.rows.texts, find(&l.rows, "ProfilerStep*")->key.shapes);
	assert_true(str_is(shapes, "[]"));
	assert_int_equal(TEXT_NONE,
			 find(&l.rows, "gemm")->key.shapes); /* kernels have none */
	unload(&l);
	free(path);
}

static void what_was_not_recorded_is_said(void **state)
{
	static const char *const words[] = { "stack", "overload", "module", "rank" };
	char *path = make_store(state);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct err err = ERR_INIT;
		struct loaded l = load(path, words[i], false, &err);
		assert_int_equal(-1, l.rc);
		assert_int_equal(ERR_EMPTY, err.kind);
		assert_non_null(strstr(err.text, words[i]));
		unload(&l);
	}
	free(path);
}

static void torchs_microseconds_are_its_float64_sums(void **state)
{
	char *path = make_store(state);
	struct err err = ERR_INIT;
	struct loaded l = load(path, "name", true, &err);

	assert_int_equal(0, l.rc);
	size_t mm = (size_t)(find(&l.rows, "aten::mm") - l.rows.stats.rows);
	assert_true(l.rows.floats[mm].total_us == 8.0 - 2.0);
	assert_true(l.rows.floats[mm].self_us == 6.0 - 2.0);
	unload(&l);
	free(path);
}

static void damage(const char *path, const char *sql)
{
	sqlite3 *db;

	assert_int_equal(SQLITE_OK, sqlite3_open(path, &db));
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	assert_int_equal(SQLITE_OK, sqlite3_close(db));
}

/* Any program may write a store: what ptool did not is told, not followed. */
static void a_store_that_does_not_fit_together_is_told(void **state)
{
	static const char *const damages[] = {
		"UPDATE slice_row SET class = 99 WHERE id = 2",
		"UPDATE slice_row SET class = -1 WHERE id = 2",
		"UPDATE slice_row SET name_id = 1000000 WHERE id = 2",
		"UPDATE slice_row SET name_id = -4 WHERE id = 2",
		"UPDATE slice_row SET category_id = 9223372036854775807 WHERE id = 2",
		"DELETE FROM slice_row WHERE id = 3",
		"UPDATE track SET first_slice_id = 1000 WHERE kind = 'thread'",
		"UPDATE track SET slices = 1000 WHERE kind = 'stream'",
		"UPDATE track SET first_slice_id = -5 WHERE kind = 'stream'",
		"UPDATE allocation SET slice_id = slice_id + 1000",
		"UPDATE profile SET slices = 9000000000",
		"UPDATE profile SET slices = -1",
		"UPDATE profile SET first_slice_id = 9223372036854775807",
		"DELETE FROM string WHERE text = 'gemm'",
		"UPDATE slice_row SET ts = 9223372036854775807, dur = 9223372036854775807",
		"UPDATE slice_row SET ts = -9223372036854775807 - 1, dur = 9223372036854775807",
		"UPDATE slice_row SET dur = -1",
		"DELETE FROM slice_pack",
		"UPDATE slice_pack SET name_id = NULL",
		"UPDATE slice_pack SET class = x'63'",
	};

	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		char *path = make_store(state);
		struct err err = ERR_INIT;
		damage(path, damages[i]);
		/* categories are in the rows, all else is in the packed columns */
		const char *by = strstr(damages[i], "slice_row") ? "category" : "name";
		struct loaded l = load(path, by, true, &err);
		/* an allocation outside of the profile's slices is not the profile's */
		if (l.rc == 0 && !strstr(damages[i], "allocation"))
			fail_msg("%s: not noticed", damages[i]);
		assert_true(l.rc == 0 || err.kind == ERR_INPUT);
		unload(&l);
		free(path);
	}
}

static void links_that_lead_nowhere_are_not_followed(void **state)
{
	static const char *const damages[] = {
		"UPDATE slice_row SET parent_id = id",
		"UPDATE slice_row SET parent_id = id + 1",
		"UPDATE slice_row SET parent_id = -1",
		"UPDATE slice_row SET launch_id = 1000, op_id = 1000",
		"UPDATE slice_row SET launch_id = id, op_id = NULL",
		"UPDATE slice_row SET step_id = 77",
		"UPDATE slice_row SET op_detail_id = 77",
		"UPDATE step SET id = -9223372036854775807",
		"UPDATE profile SET first_op_detail_id = -9223372036854775807 - 1",
		("UPDATE profile SET window_end_ns = 9223372036854775807, "
		 "base_ns = start_ns - 1 - 9223372036854775807"),
		"UPDATE slice_row SET ts = -ts",
		"UPDATE op_stat SET calls = 0 WHERE kind = 0",
		"UPDATE op_stat SET self_ns = 9223372036854775807, total_ns = 9223372036854775807",
	};

	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		char *path = make_store(state);
		damage(path, damages[i]);
		for (int slices = 0; slices < 2; slices++) {
			struct err err = ERR_INIT;
			struct loaded l =
				load(path, slices ? "category" : "name", slices, &err);
			assert_int_equal(0, l.rc);
			unload(&l);
		}
		free(path);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		TEST(both_roads_give_torchs_table),
		TEST(rows_are_told_apart_by_shapes),
		TEST(what_was_not_recorded_is_said),
		TEST(torchs_microseconds_are_its_float64_sums),
		TEST(a_store_that_does_not_fit_together_is_told),
		TEST(links_that_lead_nowhere_are_not_followed),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
