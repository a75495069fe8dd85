/* Lock files that one process holds at a time and that are gone afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "base/err.h"
#include "scratch.h"
#include "store/lockfile.h"

static void a_lock_is_held_once_and_gone_when_released(void **state)
{
	char *path = scratch_path(state, "a.lock");
	struct err err = ERR_INIT;
	struct lockfile first, second;

	assert_int_equal(0, lockfile_acquire(&first, path, &err));
	assert_int_equal(1, lockfile_try(&second, path, &err));
	lockfile_release(&second); /* not held: nothing happens */
	assert_true(scratch_exists(path));
	lockfile_release(&first);
	assert_false(scratch_exists(path));
	free(path);
}

static void the_file_of_a_killed_holder_is_taken_over(void **state)
{
	char *path = scratch_path(state, "a.lock");
	struct err err = ERR_INIT;
	struct lockfile lock;

	scratch_write(path, "");
	assert_int_equal(0, lockfile_try(&lock, path, &err));
	lockfile_release(&lock);
	assert_int_equal(0, scratch_nfiles(state));
	free(path);
}

/* Root may write anything: another user takes its file over then. */
static void the_file_of_another_user_is_taken_over(void **state)
{
	struct err err = ERR_INIT;
	struct lockfile lock;
	int here = open(".", O_RDONLY | O_DIRECTORY);

	assert_int_equal(0, chdir(*state));
	scratch_write("a.lock", "");
	assert_int_equal(0, chmod("a.lock", 0444));
	assert_int_equal(0, chmod(".", 0777));
	bool is_root = geteuid() == 0;
	if (is_root)
		assert_int_equal(0, seteuid(65534));
	int rc = lockfile_try(&lock, "a.lock", &err);
	lockfile_release(&lock);
	if (is_root)
		assert_int_equal(0, seteuid(0));
	assert_int_equal(0, rc);
	assert_int_equal(0, scratch_nfiles(state));
	assert_int_equal(0, fchdir(here));
	close(here);
}

static void a_symbolic_link_is_not_followed_to_a_lock(void **state)
{
	char *path = scratch_path(state, "a.lock");
	struct err err = ERR_INIT;
	struct lockfile lock;

	assert_int_equal(0, symlink("elsewhere", path));
	assert_int_equal(-1, lockfile_try(&lock, path, &err));
	assert_int_equal(ERR_IO, err.kind);
	assert_int_equal(1, scratch_nfiles(state));
	free(path);
}

#define TURNS 600

/* In a child: 0 when nobody else was inside in any turn. */
static int take_turns(const char *path, const char *inside)
{
	struct err err = ERR_INIT;
	struct lockfile lock;
	int rc = 0;

	for (int i = 0; i < TURNS && rc == 0;) {
		if (lockfile_try(&lock, path, &err) != 0)
			continue;
		int fd = open(inside, O_WRONLY | O_CREAT | O_EXCL, 0600);
		rc = fd < 0 || close(fd) < 0 || unlink(inside) < 0;
		lockfile_release(&lock);
		i++;
	}
	return rc;
}

/* The holder removes the file, so that a lock can be won on one that is gone. */
static void a_lock_is_never_held_twice_however_often_it_changes_hands(void **state)
{
	char *path = scratch_path(state, "a.lock");
	char *inside = scratch_path(state, "inside");
	int status;

	for (int i = 0; i < 4; i++) {
		pid_t pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			int rc = take_turns(path, inside);
			free(inside);
			free(path);
			_exit(rc);
		}
	}
	for (int i = 0; i < 4; i++) {
		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status));
		assert_int_equal(0, WEXITSTATUS(status));
	}
	free(inside);
	free(path);
}

#define WITH_SCRATCH(test) \
	cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SCRATCH(a_lock_is_held_once_and_gone_when_released),
		WITH_SCRATCH(the_file_of_a_killed_holder_is_taken_over),
		WITH_SCRATCH(the_file_of_another_user_is_taken_over),
		WITH_SCRATCH(a_symbolic_link_is_not_followed_to_a_lock),
		WITH_SCRATCH(a_lock_is_never_held_twice_however_often_it_changes_hands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
