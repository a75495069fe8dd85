/* Packed slices: what a sound store says, and what is refused of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest/sink.h"
#include "publishing.h"
#include "query/slices/slice_pack.h"
#include "scratch.h"
#include "store/write.h"

#define ALL 127U
#define WITH_SCRATCH(f) \
	cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

/* Slices 1 to 3 of track 1 (two rows), and 4 to 5 of track 2. */
#define PACKS                                                                             \
	"INSERT INTO slice_pack VALUES"                                                   \
	"(1, 2, x'0402', x'0503', x'0101', x'0104', x'0400', x'0200', NULL, NULL, NULL)," \
	"(3, 1, x'14', NULL, x'02', x'07', NULL, x'02', x'02', x'04', NULL),"             \
	"(4, 2, x'0002', x'0101', x'0301', x'0101', NULL, NULL, NULL, NULL, x'1201');"
#define TRACKS                                                                          \
	"INSERT INTO track (id, profile_id, kind, upid, first_slice_id, slices) VALUES" \
	"(1, 7, 'thread', 1, 1, 3), (2, 7, 'thread', 1, 4, 2), (3, 8, 'thread', 1, 6, 1);"

static struct store *open_store(void **state, const char *edit)
{
	char *path = scratch_path(state, "store.db");
	struct err err = ERR_INIT;
	struct publish *publish;
	struct store *store = NULL;

	assert_int_equal(0, publish_begin(path, false, &publish, &err));
	struct sqlite3 *db = publish_db(publish);
	if (write_schema(db, &err) < 0 ||
	    sql_exec(db, "PRAGMA foreign_keys = OFF;" TRACKS PACKS, &err) < 0 ||
	    sql_exec(db, edit, &err) < 0 || publish_commit(publish, &err) < 0 ||
	    store_open(path, &store, &err) < 0)
		fail_msg("%s", err.text);
	free(path);
	return store;
}

static void slices_come_with_what_was_asked_for(void **state)
{
	static const struct packed_slice expected[] = {
		{ 1, 2, 7, 1, 1, 0, 0, 0, CLASS_OP, 4 },
		{ 2, 3, 6, 1, 1, 0, 0, 0, CLASS_RUNTIME, 0 },
		{ 3, 10, 10, 2, 1, 1, 2, 0, CLASS_KERNEL, 0 },
	};
	struct store *store = open_store(state, "");
	struct err err = ERR_INIT;
	struct slice_pack p;

	assert_int_equal(0, slice_pack_open(store, ALL, &p, &err));
	for (int round = 0; round < 2; round++) {
		assert_int_equal(0, slice_pack_seek(&p, 1, 3, &err));
		for (size_t i = 0; i < 3; i++) {
			const struct packed_slice *s = &p.slice, *e = &expected[i];
			assert_int_equal(1, slice_pack_next(&p, &err));
			assert_int_equal(e->id, s->id);
			assert_int_equal(e->start_ns, s->start_ns);
			assert_int_equal(e->end_ns, s->end_ns);
			assert_int_equal(e->name_id, s->name_id);
			assert_int_equal(e->step_id, s->step_id);
			assert_int_equal(e->launch_id, s->launch_id);
			assert_int_equal(e->op_id, s->op_id);
			assert_int_equal(e->class, s->class);
			assert_int_equal(e->marks, s->marks);
		}
		assert_int_equal(0, slice_pack_next(&p, &err));
		assert_int_equal(0, slice_pack_next(&p, &err));
	}
	assert_int_equal(0, slice_pack_seek(&p, 4, 0, &err));
	assert_int_equal(0, slice_pack_next(&p, &err));
	slice_pack_close(&p);
	assert_int_equal(0, slice_pack_open(store, 0, &p, &err));
	assert_int_equal(0, slice_pack_seek(&p, 1, 3, &err));
	assert_int_equal(1, slice_pack_next(&p, &err));
	assert_int_equal(2, p.slice.start_ns);
	assert_int_equal(0, p.slice.name_id);
	slice_pack_close(&p);
	store_close(store);
}

/* Reads slices 1 to 3 until they end or fail: what the last call returned. */
static int read_track(struct store *store)
{
	struct err err = ERR_INIT;
	struct slice_pack p;

	assert_int_equal(0, slice_pack_open(store, ALL, &p, &err));
	int rc = slice_pack_seek(&p, 1, 3, &err);
	while (rc == 0 && (rc = slice_pack_next(&p, &err)) > 0)
		rc = 0;
	if (rc < 0) {
		assert_int_equal(ERR_INPUT, err.kind);
		assert_string_equal(
			"the store's slices do not fit together; ingest again", err.text);
	}
	slice_pack_close(&p);
	return rc;
}

static void what_does_not_fit_is_refused(void **state)
{
	static const char *const edits[] = {
		"DELETE FROM slice_pack",
		"DELETE FROM slice_pack WHERE id = 3",
		"DELETE FROM slice_pack WHERE id = 1",
		"UPDATE slice_pack SET slices = 0 WHERE id = 1",
		"UPDATE slice_pack SET slices = 1 WHERE id = 1",
		"UPDATE slice_pack SET slices = 3 WHERE id = 1",
		"UPDATE slice_pack SET slices = 9223372036854775807 WHERE id = 3",
		"UPDATE slice_pack SET slices = -1 WHERE id = 3",
		"UPDATE slice_pack SET ts = x'04' WHERE id = 1",
		"UPDATE slice_pack SET ts = x'040201' WHERE id = 1",
		"UPDATE slice_pack SET ts = x'0482' WHERE id = 1",
		"UPDATE slice_pack SET name_id = x'01' WHERE id = 1",
		"UPDATE slice_pack SET class = x'01' WHERE id = 1",
		"UPDATE slice_pack SET class = x'0163' WHERE id = 1",
		"UPDATE slice_pack SET op_id = x'ffffffffffffffffffff' WHERE id = 3",
		/* -1, and 2^63 - 1 from a start behind 0 */
		"UPDATE slice_pack SET dur = x'ffffffffffffffffff01' WHERE id = 3",
		"UPDATE slice_pack SET dur = x'ffffffffffffffff7f' WHERE id = 3",
	};

	for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
		struct store *store = open_store(state, edits[i]);
		if (read_track(store) != -1)
			fail_msg("not refused: %s", edits[i]);
		store_close(store);
	}
}

static void a_range_that_cannot_be_is_refused(void **state)
{
	struct store *store = open_store(state, "");
	struct err err = ERR_INIT;
	struct slice_pack p;

	assert_int_equal(0, slice_pack_open(store, ALL, &p, &err));
	assert_int_equal(-1, slice_pack_seek(&p, -1, 1, &err));
	assert_int_equal(-1, slice_pack_seek(&p, 1, -1, &err));
	assert_int_equal(-1, slice_pack_seek(&p, INT64_MAX, 1, &err));
	slice_pack_close(&p);
	store_close(store);
}

struct picked {
	int64_t starts_ns[8], tracks[8];
	size_t n;
	size_t fails_at;
};

static int pick(void *context, size_t place, const struct packed_slice *slice,
		int64_t track_id, struct err *err)
{
	struct picked *picked = context;

	if (picked->n++ == picked->fails_at)
		return err_set(err, ERR_EMPTY, "enough");
	picked->starts_ns[place] = slice->start_ns;
	picked->tracks[place] = track_id;
	return 0;
}

/* Of profile 7. */
static int pick_of(struct store *store, const int64_t *ids, size_t n,
		   struct picked *picked, struct err *err)
{
	static const struct scope_profile profile = { .id = 7 };

	return slice_pick(store, &profile,
			  &(struct slice_picks){
				  .ids = ids, .n = n, .each = pick, .context = picked },
			  err);
}

static void ids_in_any_order_find_their_slices(void **state)
{
	static const int64_t ids[] = { 5, 0, 1, 5, 3, 0, 4, 1 };
	static const int64_t starts_ns[] = { 1, 0, 2, 1, 10, 0, 0, 2 };
	static const int64_t tracks[] = { 2, 0, 1, 2, 1, 0, 2, 1 };
	struct picked picked = { .fails_at = SIZE_MAX };
	struct store *store = open_store(state, "");
	struct err err = ERR_INIT;

	assert_int_equal(0, pick_of(store, ids, 8, &picked, &err));
	assert_int_equal(6, picked.n);
	assert_memory_equal(starts_ns, picked.starts_ns, sizeof(starts_ns));
	assert_memory_equal(tracks, picked.tracks, sizeof(tracks));
	assert_int_equal(0, pick_of(store, ids, 0, &picked, &err));
	picked = (struct picked){ .fails_at = 2 };
	assert_int_equal(-1, pick_of(store, ids, 8, &picked, &err));
	assert_string_equal("enough", err.text);
	assert_int_equal(3, picked.n);
	store_close(store);
}

static void an_id_of_no_track_is_refused(void **state)
{
	static const int64_t ids[] = { -1, 6, INT64_MAX, INT64_MIN };
	struct store *store = open_store(state, "");

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		struct picked picked = { .fails_at = SIZE_MAX };
		struct err err = ERR_INIT;
		assert_int_equal(-1, pick_of(store, &ids[i], 1, &picked, &err));
		assert_int_equal(ERR_INPUT, err.kind);
		assert_int_equal(0, picked.n);
	}
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SCRATCH(slices_come_with_what_was_asked_for),
		WITH_SCRATCH(what_does_not_fit_is_refused),
		WITH_SCRATCH(a_range_that_cannot_be_is_refused),
		WITH_SCRATCH(ids_in_any_order_find_their_slices),
		WITH_SCRATCH(an_id_of_no_track_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
