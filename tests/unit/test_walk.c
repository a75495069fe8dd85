/* The files below a folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "base/walk.h"
#include "scratch.h"

static void make(void **state, const char *name, const char *text)
{
	char *path = scratch_path(state, name);

	if (text)
		scratch_write(path, text);
	else
		assert_int_equal(0, mkdir(path, 0700));
	free(path);
}

static void make_link(void **state, const char *name, const char *target)
{
	char *path = scratch_path(state, name);

	assert_int_equal(0, symlink(target, path));
	free(path);
}

static struct walk walk_it(void **state)
{
	struct err err = ERR_INIT;
	struct walk w;

	if (walk_folder(*state, &w, NULL, NULL, &err) < 0)
		fail_msg("%s", err.text);
	return w;
}

/* The names without the folder's, each with its kind, in a line. */
static void assert_files(void **state, const struct walk *w, const char *expected)
{
	char line[1024] = "";
	size_t skip = strlen(*state) + 1;

	for (size_t i = 0; i < w->n; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s%c%s",
			 i ? " " : "", "FLOX"[w->files[i].kind],
			 w -> files[i].path + skip);
	assert_string_equal(expected, line);
}

static void files_come_in_natural_order(void **state)
{
	make(state, "step_10.json", "ab");
	make(state, "step_9.json", "c");
	make(state, "b", NULL);
	make(state, "b/z", "");
	make(state, "b/c", NULL);
	make(state, "b/c/d", "efg");
	make(state, "a", "");
	struct walk w = walk_it(state);
	assert_files(state, &w, "Fa Fb/c/d Fb/z Fstep_9.json Fstep_10.json");
	assert_int_equal(6, w.bytes);
	assert_int_equal(2, w.files[4].st.st_size);
	walk_release(&w);
}

static void hidden_files_and_folders_are_passed_over(void **state)
{
	make(state, ".git", NULL);
	make(state, ".git/config", "");
	make(state, ".hidden.json", "");
	make(state, "seen.json", "");
	struct walk w = walk_it(state);
	assert_files(state, &w, "Fseen.json");
	walk_release(&w);
}

static void a_link_to_a_file_is_that_file(void **state)
{
	make(state, "a.json", "abc");
	make_link(state, "b.json", "a.json");
	struct walk w = walk_it(state);
	assert_files(state, &w, "Fa.json Fb.json");
	assert_int_equal(w.files[0].st.st_ino, w.files[1].st.st_ino);
	assert_int_equal(3, w.files[1].st.st_size);
	walk_release(&w);
}

static void no_link_makes_a_loop(void **state)
{
	make(state, "d", NULL);
	make_link(state, "d/up", "..");
	make_link(state, "d/self", "self");
	make_link(state, "d/nothing", "missing");
	make_link(state, "root", "/");
	struct walk w = walk_it(state);
	assert_files(state, &w, "Xd/nothing Xd/self Ld/up Lroot");
	assert_int_equal(ENOENT, w.files[0].error);
	assert_int_equal(ELOOP, w.files[1].error);
	walk_release(&w);
}

static void a_pipe_is_listed_and_not_opened(void **state)
{
	char *path = scratch_path(state, "pipe");

	assert_int_equal(0, mkfifo(path, 0600));
	struct walk w = walk_it(state);
	assert_files(state, &w, "Opipe");
	walk_release(&w);
	free(path);
}

static void a_folder_that_is_none_is_an_input_error(void **state)
{
	struct err err = ERR_INIT;
	struct walk w;
	char *path = scratch_path(state, "missing");

	assert_int_equal(-1, walk_folder(path, &w, NULL, NULL, &err));
	assert_int_equal(ERR_INPUT, err.kind);
	assert_string_equal("cannot list the folder: No such file or directory",
			    err.text);
	walk_release(&w);
	free(path);
}

static void a_folder_may_be_spelt_with_a_slash(void **state)
{
	struct err err = ERR_INIT;
	struct walk w;
	char *path = scratch_path(state, "");

	make(state, "a", "");
	assert_int_equal(0, walk_folder(path, &w, NULL, NULL, &err));
	assert_files(state, &w, "Fa");
	walk_release(&w);
	free(path);
}

static void folders_within_each_other_have_an_end(void **state)
{
	struct err err = ERR_INIT;
	struct walk w;
	char *path = scratch_path(state, "");

	for (int i = 0; i <= WALK_DEPTH_MAX; i++) {
		char *deeper = xasprintf("%sd/", path);
		assert_int_equal(0, mkdir(deeper, 0700));
		free(path);
		path = deeper;
	}
	assert_int_equal(-1, walk_folder(*state, &w, NULL, NULL, &err));
	assert_string_equal("more than 64 folders lie within each other", err.text);
	walk_release(&w);
	*strrchr(path, 'd') = '\0'; /* one less is not too many */
	char *last = xasprintf("%sd", path);
	assert_int_equal(0, rmdir(last));
	w = walk_it(state);
	walk_release(&w);
	free(last);
	free(path);
}

static int stop_at_once(void *to, struct err *err)
{
	++*(int *)to;
	return err_set(err, ERR_INTERRUPT, "stopped");
}

static void it_can_be_stopped(void **state)
{
	struct err err = ERR_INIT;
	struct walk w;
	int asked = 0;

	assert_int_equal(-1, walk_folder(*state, &w, stop_at_once, &asked, &err));
	assert_int_equal(ERR_INTERRUPT, err.kind);
	assert_int_equal(1, asked);
	walk_release(&w);
}

#define IN_FOLDER(test) \
	cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(files_come_in_natural_order),
		IN_FOLDER(hidden_files_and_folders_are_passed_over),
		IN_FOLDER(a_link_to_a_file_is_that_file),
		IN_FOLDER(no_link_makes_a_loop),
		IN_FOLDER(a_pipe_is_listed_and_not_opened),
		IN_FOLDER(a_folder_that_is_none_is_an_input_error),
		IN_FOLDER(a_folder_may_be_spelt_with_a_slash),
		IN_FOLDER(folders_within_each_other_have_an_end),
		IN_FOLDER(it_can_be_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
