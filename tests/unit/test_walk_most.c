/* A folder of as many files as may be, and of one more: it is the listing that repeats one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/walk.h"
#include "scratch.h"

static size_t entries_left; /* of the folder that is listed */

/* In place of the C library's, which names its parameter otherwise. */
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name)
struct dirent *readdir(DIR *dir)
{
	static struct dirent entry = { .d_name = "a" };

	(void)dir;
	if (entries_left == 0)
		return NULL;
	entries_left--;
	return &entry;
}

static int walk_of(void **state, size_t nfiles, struct walk *w, struct err *err)
{
	entries_left = nfiles;
	return walk_folder(*state, w, NULL, NULL, err);
}

static void a_folder_has_at_most_200000_files(void **state)
{
	struct err err = ERR_INIT;
	struct walk w;
	char *path = scratch_path(state, "a");

	scratch_write(path, "");
	assert_int_equal(0, walk_of(state, 200000, &w, &err));
	assert_int_equal(200000, w.n);
	walk_release(&w);
	assert_int_equal(-1, walk_of(state, 200001, &w, &err));
	assert_int_equal(ERR_INPUT, err.kind);
	assert_string_equal("more than 200000 files lie below it; name a smaller folder",
			    err.text);
	walk_release(&w);
	assert_int_equal(0, remove(path));
	free(path);
}

static void folders_that_are_still_to_be_listed_count(void **state)
{
	struct err err = ERR_INIT;
	struct walk w;
	char *path = scratch_path(state, "a");

	assert_int_equal(0, mkdir(path, 0700));
	assert_int_equal(-1, walk_of(state, 200001, &w, &err));
	assert_string_equal("more than 200000 files lie below it; name a smaller folder",
			    err.text);
	assert_int_equal(0, w.n);
	walk_release(&w);
	assert_int_equal(0, remove(path));
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_folder_has_at_most_200000_files,
						scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(folders_that_are_still_to_be_listed_count,
						scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
