/* Writing a store, all or nothing: several writers, killed ones, full disks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/err.h"
#include "publishing.h"
#include "scratch.h"

/* Runs in a child, whose failures are exit codes: cmocka's jumps stay with the parent. */
static pid_t start(int (*run)(const char *path, int argument), char *path, int argument)
{
	pid_t pid = fork();

	if (pid == 0) {
		int status = run(path, argument);
		free(path); /* the child's copy: memcheck looks at its end too */
		_exit(status);
	}
	assert_true(pid > 0);
	return pid;
}

static int finish(pid_t pid)
{
	int status;

	assert_int_equal(pid, waitpid(pid, &status, 0));
	return status;
}

static void pause_ms(long ms)
{
	struct timespec wait = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&wait, NULL);
}

/* The row's number is read and written in one turn: a lost update shows in the sum. */
static int add_rows(const char *path, int n)
{
	struct err err = ERR_INIT;

	for (int i = 0; i < n; i++)
		if (publish_sql(path, true,
				"INSERT INTO quarantine SELECT NULL, count(*) + 1, '', 0 "
				"FROM quarantine",
				&err) < 0)
			return 1;
	return 0;
}

static void writers_at_once_take_turns(void **state)
{
	char *path = scratch_path(state, "a.db");
	pid_t writers[4];

	must_publish(path, false, NEW_STORE);
	for (size_t i = 0; i < 4; i++)
		writers[i] = start(add_rows, path, 10);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(0, finish(writers[i]));
	assert_int_equal(40, nrows(path));
	assert_int_equal(40 * 41 / 2, ask(path, "SELECT sum(slice_id) FROM quarantine"));
	assert_int_equal(1, scratch_nfiles(state));
	free(path);
}

#define LAST_STEP 12

static void die_at(int step, int here)
{
	if (step == here)
		raise(SIGKILL);
}

/* Replaces the store's one row by 2000 big ones and dies on the way there. */
static int write_and_die(const char *path, int step)
{
	struct err err = ERR_INIT;
	struct publish *p;

	if (publish_begin(path, true, &p, &err) < 0)
		return 1;
	die_at(step, 0);
	sql_exec(publish_db(p), "DELETE FROM quarantine;" NUMBERS_TO(200), &err);
	die_at(step, 1);
	for (int i = 2; i < LAST_STEP; i++) {
		sql_exec(publish_db(p), BIG_ROW, &err);
		die_at(step, i);
	}
	sql_exec(publish_db(p), "REINDEX", &err);
	die_at(step, LAST_STEP);
	return publish_commit(p, &err) < 0;
}

static void a_killed_writer_leaves_the_old_store(void **state)
{
	char *path = scratch_path(state, "a.db");

	must_publish(path, false, NEW_STORE SMALL_ROW);
	for (int step = 0; step <= LAST_STEP; step++) {
		int status = finish(start(write_and_die, path, step));
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		assert_int_equal(step + 1, nrows(path));
		assert_int_equal(3, scratch_nfiles(state)); /* its .tmp and its .lock */
		must_publish(path, true, SMALL_ROW);
		assert_int_equal(1, scratch_nfiles(state));
	}
	free(path);
}

static void a_writer_killed_at_any_moment_leaves_a_whole_store(void **state)
{
	char *path = scratch_path(state, "a.db");
	int nold = 0, nnew = 0;

	for (long ms = 0; ms < 80 || nnew == 0; ms += 2) {
		must_publish(path, false, NEW_STORE SMALL_ROW);
		pid_t pid = start(write_and_die, path, -1);
		pause_ms(ms);
		kill(pid, SIGKILL);
		finish(pid);
		assert_whole(path);
		int64_t n = nrows(path);
		assert_true(n == 1 || n == 2000);
		nold += n == 1;
		nnew += n == 2000;
	}
	assert_true(nold > 0);
	must_publish(path, true, "");
	assert_int_equal(1, scratch_nfiles(state));
	free(path);
}

static void leftovers_of_a_living_writer_are_not_cleared(void **state)
{
	char *path = scratch_path(state, "a.db");
	char *note = scratch_path(state, "a.db.tmp.note");
	char *lock = scratch_path(state, "a.db.lock");
	struct err err = ERR_INIT;
	struct publish *p;

	scratch_write(note, "mine");
	assert_int_equal(0, publish_begin(path, true, &p, &err));
	assert_int_equal(3, scratch_nfiles(state));
	publish_clear_leftovers(path);
	assert_int_equal(3, scratch_nfiles(state));
	assert_int_equal(0, unlink(lock)); /* by somebody who tidies up */
	publish_clear_leftovers(path);
	assert_int_equal(2, scratch_nfiles(state));
	assert_int_equal(0, run_sql(publish_db(p), NEW_STORE, &err));
	assert_int_equal(0, publish_commit(p, &err));
	finish(start(write_and_die, path, 0));
	assert_int_equal(4, scratch_nfiles(state));
	publish_clear_leftovers(path);
	assert_int_equal(2, scratch_nfiles(state));
	assert_true(scratch_exists(note));
	free(lock);
	free(note);
	free(path);
}

static void on_signal(int number)
{
	(void)number;
}

/* Exits with the kind of the error, or with 0 when it gets its turn. */
static int wait_for_turn(const char *path, int argument)
{
	struct sigaction action = { .sa_flags = SA_RESTART };
	struct err err = ERR_INIT;

	(void)argument;
	action.sa_handler = on_signal;
	sigaction(SIGINT, &action, NULL);
	return publish_sql(path, true, "", &err) < 0 ? (int)err.kind : 0;
}

static void waiting_for_another_writer_ends_with_a_signal(void **state)
{
	char *path = scratch_path(state, "a.db");
	struct err err = ERR_INIT;
	struct publish *p;
	int status = -1;

	assert_int_equal(0, publish_begin(path, true, &p, &err));
	pid_t pid = start(wait_for_turn, path, 0);
	pause_ms(100);
	assert_int_equal(0, waitpid(pid, &status, WNOHANG));
	for (int i = 0; i < 100 && waitpid(pid, &status, WNOHANG) == 0; i++) {
		kill(pid, SIGINT);
		pause_ms(20);
	}
	assert_true(WIFEXITED(status));
	assert_int_equal(ERR_INTERRUPT, WEXITSTATUS(status));
	publish_abort(p);
	assert_int_equal(0, scratch_nfiles(state));
	free(path);
}

/* No file may grow beyond the limit: what a full disk is to a writer. */
static int write_beyond(const char *path, int limit_bytes)
{
	struct rlimit limit = { (rlim_t)limit_bytes, (rlim_t)limit_bytes };
	struct err err = ERR_INIT;

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	return publish_sql(path, true, NUMBERS_TO(3000) BIG_ROW, &err) < 0 ? (int)err.kind
									   : 0;
}

static void a_full_disk_leaves_the_old_store(void **state)
{
	static const int limits[] = { 0, 4096, 300000, 1000000, 5000000 };
	char *path = scratch_path(state, "a.db");

	must_publish(path, false, NEW_STORE NUMBERS_TO(100) BIG_ROW);
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		int status = finish(start(write_beyond, path, limits[i]));
		assert_true(WIFEXITED(status));
		assert_int_equal(ERR_IO, WEXITSTATUS(status));
		assert_int_equal(100, nrows(path));
		assert_int_equal(1, scratch_nfiles(state));
	}
	free(path);
}

#define WITH_SCRATCH(test) \
	cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SCRATCH(writers_at_once_take_turns),
		WITH_SCRATCH(a_killed_writer_leaves_the_old_store),
		WITH_SCRATCH(a_writer_killed_at_any_moment_leaves_a_whole_store),
		WITH_SCRATCH(leftovers_of_a_living_writer_are_not_cleared),
		WITH_SCRATCH(waiting_for_another_writer_ends_with_a_signal),
		WITH_SCRATCH(a_full_disk_leaves_the_old_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
