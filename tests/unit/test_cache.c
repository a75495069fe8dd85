/* Where the stores of raw traces are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>

#include "base/err.h"
#include "scratch.h"
#include "store/cache.h"
#include "store/publish.h"
#include "store/sql.h"
#include "store/store.h"

static struct cache_entry find(const char *raw_path)
{
	struct err err = ERR_INIT;
	struct cache_entry entry;

	if (cache_find(raw_path, &entry, &err) < 0)
		fail_msg("%s", err.text);
	return entry;
}

/* A store of about `size_bytes` where the entry says. */
static void fill(const struct cache_entry *entry, int64_t size_bytes)
{
	struct err err = ERR_INIT;
	struct publish *p;
	char *sql = xasprintf("CREATE TABLE t AS SELECT zeroblob(%lld)",
			      (long long)size_bytes);

	if (publish_begin(entry->path, false, &p, &err) < 0 ||
	    sql_exec(publish_db(p), sql, &err) < 0 || publish_commit(p, &err) < 0)
		fail_msg("%s", err.text);
	free(sql);
}

/* A raw trace and the cache in the folder "cache" beside it. */
static char *raw_trace(void **state, const char *name)
{
	char *raw = scratch_path(state, name);
	char *cache = scratch_path(state, "cache");

	setenv("PTOOL_CACHE", cache, 1);
	scratch_write(raw, "{\"traceEvents\": []}");
	free(cache);
	return raw;
}

static void a_trace_is_found_again_once_it_is_stored(void **state)
{
	char *raw = raw_trace(state, "a.json");
	struct cache_entry first = find(raw);

	assert_false(first.is_ready);
	assert_false(first.is_temporary);
	fill(&first, 1);
	struct cache_entry second = find(raw);
	assert_true(second.is_ready);
	assert_string_equal(first.path, second.path);
	cache_discard(&first);
	assert_true(scratch_exists(second.path));
	cache_discard(&second);
	assert_null(second.path);
	free(raw);
}

static void one_file_under_two_names_is_one_entry(void **state)
{
	char *raw = raw_trace(state, "a.json");
	char *link_path = scratch_path(state, "link.json");
	char *dotted = scratch_path(state, "./a.json");

	assert_int_equal(0, symlink(raw, link_path));
	struct cache_entry entry = find(raw), linked = find(link_path),
			   same = find(dotted);
	assert_string_equal(entry.path, linked.path);
	assert_string_equal(entry.path, same.path);
	cache_discard(&same);
	cache_discard(&linked);
	cache_discard(&entry);
	free(dotted);
	free(link_path);
	free(raw);
}

static void the_key_changes_with_the_size(void **state)
{
	char *raw = raw_trace(state, "a.json");
	struct cache_entry before = find(raw);
	struct stat st;

	assert_int_equal(0, stat(raw, &st));
	assert_int_equal(0, truncate(raw, 3));
	struct timespec times[2] = { st.st_atim, st.st_mtim };
	assert_int_equal(0, utimensat(AT_FDCWD, raw, times, 0));
	struct cache_entry after = find(raw);
	assert_string_not_equal(before.path, after.path);
	cache_discard(&after);
	cache_discard(&before);
	free(raw);
}

static void the_key_changes_with_one_nanosecond_of_the_time(void **state)
{
	char *raw = raw_trace(state, "a.json");
	struct timespec times[2] = { { 1000, 5 }, { 1000, 5 } };

	assert_int_equal(0, utimensat(AT_FDCWD, raw, times, 0));
	struct cache_entry before = find(raw);
	times[1].tv_nsec = 6;
	assert_int_equal(0, utimensat(AT_FDCWD, raw, times, 0));
	struct cache_entry after = find(raw);
	assert_string_not_equal(before.path, after.path);
	cache_discard(&after);
	cache_discard(&before);
	free(raw);
}

static void another_trace_with_the_same_size_and_time_has_its_own_store(void **state)
{
	char *a = raw_trace(state, "a.json"), *b = raw_trace(state, "b.json");
	struct timespec times[2] = { { 1000, 5 }, { 1000, 5 } };

	assert_int_equal(0, utimensat(AT_FDCWD, a, times, 0));
	assert_int_equal(0, utimensat(AT_FDCWD, b, times, 0));
	struct cache_entry first = find(a);
	assert_int_equal(0, rename(b, a)); /* as an unpacking program replaces it */
	struct cache_entry second = find(a);
	assert_string_not_equal(first.path, second.path);
	cache_discard(&second);
	cache_discard(&first);
	free(b);
	free(a);
}

static void a_damaged_entry_makes_room_for_a_new_one(void **state)
{
	char *raw = raw_trace(state, "a.json");
	struct cache_entry entry = find(raw);

	scratch_write(entry.path, "not a store");
	struct cache_entry again = find(raw);
	assert_false(again.is_ready);
	fill(&again, 1);
	cache_discard(&again);
	cache_discard(&entry);
	free(raw);
}

static void a_missing_trace_is_an_input_error(void **state)
{
	char *raw = scratch_path(state, "missing.json");
	struct err err = ERR_INIT;
	struct cache_entry entry;

	assert_int_equal(-1, cache_find(raw, &entry, &err));
	assert_int_equal(ERR_INPUT, err.kind);
	assert_string_equal("No such file or directory", err.text);
	free(raw);
}

static void assert_in(const struct cache_entry *entry, void **state, const char *name)
{
	char *folder = scratch_path(state, name);

	assert_memory_equal(folder, entry->path, strlen(folder));
	assert_int_equal('/', entry->path[strlen(folder)]);
	free(folder);
}

static void the_cache_is_where_the_environment_says(void **state)
{
	char *raw = raw_trace(state, "a.json");
	char *xdg = scratch_path(state, "xdg"), *home = scratch_path(state, "home");
	char *parent = scratch_path(state, "home/.cache");
	struct stat st;

	setenv("XDG_CACHE_HOME", xdg, 1);
	setenv("HOME", home, 1);
	struct cache_entry own = find(raw);
	assert_in(&own, state, "cache");
	setenv("PTOOL_CACHE", "", 1);
	struct cache_entry shared = find(raw);
	assert_in(&shared, state, "xdg/ptool");
	setenv("XDG_CACHE_HOME", "relative/is/ignored", 1);
	struct cache_entry fallback = find(raw);
	assert_in(&fallback, state, "home/.cache/ptool");
	assert_int_equal(0, stat(parent, &st));
	assert_int_equal(0700, st.st_mode & 07777);
	cache_discard(&fallback);
	cache_discard(&shared);
	cache_discard(&own);
	free(parent);
	free(home);
	free(xdg);
	free(raw);
}

/* The entry is temporary, works, and is gone after its use. */
static void assert_temporary(struct cache_entry *entry, void **state)
{
	assert_true(entry->is_temporary);
	assert_false(entry->is_ready);
	assert_in(entry, state, "tmp");
	fill(entry, 1);
	char *path = xstrdup(entry->path);
	cache_discard(entry);
	assert_false(scratch_exists(path));
	*strrchr(path, '/') = '\0';
	assert_false(scratch_exists(path));
	free(path);
}

static void what_cannot_be_cached_gets_a_temporary_store(void **state)
{
	char *raw = raw_trace(state, "a.json");
	char *under_a_file = scratch_path(state, "a.json/cache");
	char *tmp = scratch_path(state, "tmp");

	assert_int_equal(0, mkdir(tmp, 0700));
	setenv("TMPDIR", tmp, 1);
	struct cache_entry standard_input = find("-");
	assert_temporary(&standard_input, state);
	setenv("PTOOL_CACHE", under_a_file, 1);
	struct cache_entry unwritable = find(raw);
	assert_temporary(&unwritable, state);
	setenv("TMPDIR", under_a_file, 1);
	struct err err = ERR_INIT;
	assert_int_equal(-1, cache_find(raw, &unwritable, &err));
	assert_int_equal(ERR_IO, err.kind);
	unsetenv("TMPDIR");
	free(tmp);
	free(under_a_file);
	free(raw);
}

/* Four stores of 100 kB, used in the order 1 2 3 0; the caller discards them. */
static void fill_four(void **state, struct cache_entry entries[4])
{
	static const char *const names[] = { "a", "b", "c", "d" };

	for (int i = 0; i < 4; i++) {
		char *raw = raw_trace(state, names[i]);
		struct timespec used[2] = { { 1000, i }, { 1000, i } };
		entries[i] = find(raw);
		fill(&entries[i], 100000);
		assert_int_equal(0, utimensat(AT_FDCWD, entries[i].path, used, 0));
		free(raw);
	}
	char *raw = scratch_path(state, names[0]);
	struct cache_entry again = find(raw);
	assert_true(again.is_ready);
	cache_discard(&again);
	free(raw);
}

static void trimming_drops_the_least_recently_used_first(void **state)
{
	struct cache_entry entries[4];

	fill_four(state, entries);
	cache_trim(500000);
	assert_true(scratch_exists(entries[1].path));
	cache_trim(250000);
	assert_false(scratch_exists(entries[1].path));
	assert_false(scratch_exists(entries[2].path));
	assert_true(scratch_exists(entries[3].path));
	assert_true(scratch_exists(entries[0].path));
	cache_trim(0);
	assert_false(scratch_exists(entries[3].path));
	assert_true(scratch_exists(entries[0].path)); /* the last used one stays */
	for (int i = 0; i < 4; i++)
		cache_discard(&entries[i]);
}

static void trimming_touches_nothing_that_is_not_the_caches(void **state)
{
	static const char *const names[] = { "cache/mine.db",
					     "cache/0123456789abcdef.db.bak",
					     "cache/0123456789abcde.db" };
	struct cache_entry entries[4];

	fill_four(state, entries);
	for (int i = 0; i < 3; i++) {
		char *path = scratch_path(state, names[i]);
		scratch_write(path, "mine");
		free(path);
	}
	cache_trim(0);
	for (int i = 0; i < 3; i++) {
		char *path = scratch_path(state, names[i]);
		assert_true(scratch_exists(path));
		free(path);
	}
	for (int i = 0; i < 4; i++)
		cache_discard(&entries[i]);
}

static void trimming_clears_what_killed_writers_left(void **state)
{
	static const char *const names[] = { "cache/0123456789abcdef.db.tmp.77",
					     "cache/0123456789abcdef.db.lock" };
	char *raw = raw_trace(state, "a.json");
	struct cache_entry entry = find(raw);

	for (int i = 0; i < 2; i++) {
		char *path = scratch_path(state, names[i]);
		scratch_write(path, "");
		cache_trim(CACHE_MAX_BYTES);
		assert_false(scratch_exists(path));
		free(path);
	}
	cache_discard(&entry);
	free(raw);
}

#define WITH_SCRATCH(test) \
	cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SCRATCH(a_trace_is_found_again_once_it_is_stored),
		WITH_SCRATCH(one_file_under_two_names_is_one_entry),
		WITH_SCRATCH(the_key_changes_with_the_size),
		WITH_SCRATCH(the_key_changes_with_one_nanosecond_of_the_time),
		WITH_SCRATCH(another_trace_with_the_same_size_and_time_has_its_own_store),
		WITH_SCRATCH(a_damaged_entry_makes_room_for_a_new_one),
		WITH_SCRATCH(a_missing_trace_is_an_input_error),
		WITH_SCRATCH(the_cache_is_where_the_environment_says),
		WITH_SCRATCH(what_cannot_be_cached_gets_a_temporary_store),
		WITH_SCRATCH(trimming_drops_the_least_recently_used_first),
		WITH_SCRATCH(trimming_touches_nothing_that_is_not_the_caches),
		WITH_SCRATCH(trimming_clears_what_killed_writers_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
