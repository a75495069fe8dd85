/* Where results go: files, standard output, and what may go wrong there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/memtable.h"
#include "cli/output.h"
#include "scratch.h"

static const struct column columns[] = {
	{ "name", "Name", UNIT_TEXT },
	{ "calls", "Calls", UNIT_COUNT },
};

static struct table *one_row(void)
{
	struct memtable *m = memtable_new(columns, 2);
	const struct cell cells[] = { cell_text(STR_LIT("aten::mm")), cell_int(7) };

	memtable_add_row(m, cells);
	return &m->table;
}

static int fail_to_read(struct table *t, struct cell *cells, struct err *err)
{
	(void)t;
	(void)cells;
	return err_set(err, ERR_INPUT, "database disk image is malformed");
}

static int write_table(struct table *t, const struct output_opts *o, struct err *err)
{
	int rc = output_table("top", t, o, err);

	table_free(t);
	return rc;
}

static void assert_file(const char *path, const char *expected)
{
	char text[4096];
	FILE *in = fopen(path, "r");

	assert_non_null(in);
	size_t n = fread(text, 1, sizeof(text) - 1, in);
	text[n] = '\0';
	fclose(in);
	assert_string_equal(expected, text);
}

static void the_suffix_chooses_the_format(void **state)
{
	char *path = scratch_path(state, "top.csv");
	struct output_opts o = { .path = path, .color = "auto" };
	struct err err = ERR_INIT;

	assert_int_equal(0, write_table(one_row(), &o, &err));
	assert_file(path, "name,calls\n\"aten::mm\",7\n");
	/* nothing but the result is left */
	assert_int_equal(1, scratch_nfiles(state));
	free(path);
}

static void a_named_format_beats_the_suffix(void **state)
{
	char *path = scratch_path(state, "top.json");
	struct output_opts o = { .path = path, .format = "tsv", .color = "auto" };
	struct err err = ERR_INIT;

	assert_int_equal(0, write_table(one_row(), &o, &err));
	assert_file(path, "name\tcalls\naten::mm\t7\n");
	free(path);
}

static void a_suffix_of_no_format_is_refused(void **state)
{
	char *path = scratch_path(state, "top.xlsx");
	struct output_opts o = { .path = path, .color = "auto" };
	struct err err = ERR_INIT;

	assert_int_equal(-1, write_table(one_row(), &o, &err));
	assert_int_equal(ERR_USAGE, err.kind);
	assert_non_null(strstr(err.text, "top.xlsx: no format has this suffix"));
	assert_int_equal(0, scratch_nfiles(state));
	free(path);
}

static void an_existing_file_is_replaced_only_by_force(void **state)
{
	char *path = scratch_path(state, "top.csv");
	struct output_opts o = { .path = path, .color = "auto" };
	struct err err = ERR_INIT;

	scratch_write(path, "precious");
	assert_int_equal(-1, output_check(&o, &err));
	assert_int_equal(ERR_USAGE, err.kind);
	assert_int_equal(-1, write_table(one_row(), &o, &err));
	assert_non_null(strstr(err.text, "top.csv exists; -f replaces it"));
	assert_file(path, "precious");

	o.force = true;
	assert_int_equal(0, output_check(&o, &err));
	assert_int_equal(0, write_table(one_row(), &o, &err));
	assert_file(path, "name,calls\n\"aten::mm\",7\n");
	assert_int_equal(1, scratch_nfiles(state));
	free(path);
}

static void a_file_made_meanwhile_is_not_overwritten(void **state)
{
	char *path = scratch_path(state, "top.txt");
	struct output_opts o = { .path = path, .color = "auto" };
	struct err err = ERR_INIT;
	struct output out;

	assert_int_equal(0, output_open(&out, "top", &o, &err));
	fputs("ours", out.stream);
	scratch_write(path, "theirs");
	assert_int_equal(-1, output_close(&out, true, &err));
	assert_int_equal(ERR_USAGE, err.kind);
	assert_file(path, "theirs");
	assert_int_equal(1, scratch_nfiles(state));
	free(path);
}

static void what_a_link_points_at_is_replaced_not_the_link(void **state)
{
	char *path = scratch_path(state, "real.csv");
	char *alias = scratch_path(state, "alias.csv");
	struct output_opts o = { .path = alias, .force = true, .color = "auto" };
	struct err err = ERR_INIT;

	scratch_write(path, "old");
	assert_int_equal(0, symlink("real.csv", alias));
	assert_int_equal(0, write_table(one_row(), &o, &err));
	assert_file(path, "name,calls\n\"aten::mm\",7\n");
	free(path);
	free(alias);
}

static void the_file_has_the_permissions_of_the_umask(void **state)
{
	char *path = scratch_path(state, "top.csv");
	struct output_opts o = { .path = path, .color = "auto" };
	struct err err = ERR_INIT;
	struct stat st;
	mode_t old = umask(027);

	assert_int_equal(0, write_table(one_row(), &o, &err));
	assert_int_equal(027, umask(old));
	assert_int_equal(0, stat(path, &st));
	assert_int_equal(0640, st.st_mode & 07777);
	free(path);
}

static void a_table_that_fails_leaves_the_old_file_and_its_own_message(void **state)
{
	char *path = scratch_path(state, "top.csv");
	struct output_opts o = { .path = path, .force = true, .color = "auto" };
	struct err err = ERR_INIT;
	struct table *t = one_row();

	scratch_write(path, "old");
	t->next = fail_to_read;
	assert_int_equal(-1, write_table(t, &o, &err));
	assert_int_equal(ERR_INPUT, err.kind);
	assert_string_equal("database disk image is malformed", err.text);
	assert_file(path, "old");
	assert_int_equal(1, scratch_nfiles(state));
	free(path);
}

static void a_folder_that_is_missing_is_an_io_error(void **state)
{
	char *path = scratch_path(state, "missing/top.csv");
	struct output_opts o = { .path = path, .color = "auto" };
	struct err err = ERR_INIT;

	assert_int_equal(-1, write_table(one_row(), &o, &err));
	assert_int_equal(ERR_IO, err.kind);
	assert_non_null(strstr(err.text, "missing/top.csv: No such file or directory"));
	free(path);
}

static void a_folder_is_no_output(void **state)
{
	struct output_opts o = { .path = *state, .force = true, .color = "auto" };
	struct err err = ERR_INIT;

	assert_int_equal(-1, output_check(&o, &err));
	assert_int_equal(ERR_USAGE, err.kind);
}

static void a_device_is_written_to_not_replaced(void **state)
{
	struct output_opts o = { .path = "/dev/null", .color = "auto" };
	struct err err = ERR_INIT;
	struct stat st;

	(void)state;
	assert_int_equal(0, write_table(one_row(), &o, &err));
	assert_int_equal(0, stat("/dev/null", &st));
	assert_true(S_ISCHR(st.st_mode));
}

static void a_full_disk_is_an_io_error(void **state)
{
	struct output_opts o = { .path = "/dev/full", .color = "auto" };
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(-1, write_table(one_row(), &o, &err));
	assert_int_equal(ERR_IO, err.kind);
	assert_string_equal("/dev/full: No space left on device", err.text);
}

/* Runs the child with stdout at fd; its exit code is 0, or the kind of the error. */
static int kind_with_stdout(int fd)
{
	const struct output_opts o = { .color = "auto" };
	struct err err = ERR_INIT;
	int status;

	fflush(stdout);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		signal(SIGPIPE, SIG_IGN);
		dup2(fd, STDOUT_FILENO);
		struct table *t = one_row();
		int rc = output_table("top", t, &o, &err);
		table_free(t);
		if (rc == 0)
			rc = output_flush_stdout(&err);
		_exit(rc < 0 ? (int)err.kind : 0);
	}
	assert_int_equal(pid, waitpid(pid, &status, 0));
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void a_reader_of_our_pipe_that_went_away_is_no_error(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(0, pipe(fds));
	close(fds[0]);
	assert_int_equal(ERR_NONE, kind_with_stdout(fds[1]));
	close(fds[1]);
}

static void a_full_standard_output_is_an_io_error(void **state)
{
	int fd = open("/dev/full", O_WRONLY);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ERR_IO, kind_with_stdout(fd));
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_suffix_chooses_the_format),
		TEST(a_named_format_beats_the_suffix),
		TEST(a_suffix_of_no_format_is_refused),
		TEST(an_existing_file_is_replaced_only_by_force),
		TEST(a_file_made_meanwhile_is_not_overwritten),
		TEST(what_a_link_points_at_is_replaced_not_the_link),
		TEST(the_file_has_the_permissions_of_the_umask),
		TEST(a_table_that_fails_leaves_the_old_file_and_its_own_message),
		TEST(a_folder_that_is_missing_is_an_io_error),
		TEST(a_folder_is_no_output),
		TEST(a_device_is_written_to_not_replaced),
		TEST(a_full_disk_is_an_io_error),
		TEST(a_reader_of_our_pipe_that_went_away_is_no_error),
		TEST(a_full_standard_output_is_an_io_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
