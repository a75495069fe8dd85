/* Colour and width: who decides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/terminal.h"

/* A terminal of its own, whose width nobody has set. */
static int open_terminal(void)
{
	int manager = posix_openpt(O_RDWR | O_NOCTTY);

	assert_true(manager >= 0);
	assert_int_equal(0, grantpt(manager));
	assert_int_equal(0, unlockpt(manager));
	int fd = open(ptsname(manager), O_RDWR | O_NOCTTY);
	assert_true(fd >= 0);
	return fd;
}

static int fresh_environment(void **state)
{
	(void)state;
	unsetenv("NO_COLOR");
	unsetenv("CLICOLOR_FORCE");
	unsetenv("COLUMNS");
	return setenv("TERM", "xterm", 1);
}

static void a_pipe_has_a_usual_width_and_no_colour(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(0, pipe(fds));
	assert_int_equal(120, terminal_width(fds[1]));
	setenv("COLUMNS", "90", 1);
	assert_int_equal(90, terminal_width(fds[1]));
	assert_false(terminal_color("auto", fds[1]));
	assert_true(terminal_color("always", fds[1]));
	setenv("CLICOLOR_FORCE", "1", 1);
	assert_true(terminal_color("auto", fds[1]));
	setenv("CLICOLOR_FORCE", "0", 1);
	assert_false(terminal_color("auto", fds[1]));
	close(fds[0]);
	close(fds[1]);
}

static void a_terminal_of_unknown_width_is_as_wide_as_columns_says(void **state)
{
	int fd = open_terminal();

	(void)state;
	assert_int_equal(80, terminal_width(fd));
	setenv("COLUMNS", "120", 1);
	assert_int_equal(120, terminal_width(fd));
	setenv("COLUMNS", "-3", 1);
	assert_int_equal(80, terminal_width(fd));
	setenv("COLUMNS", "wide", 1);
	assert_int_equal(80, terminal_width(fd));
	close(fd);
}

static void a_terminal_has_colour_unless_somebody_objects(void **state)
{
	int fd = open_terminal();

	(void)state;
	assert_true(terminal_color("auto", fd));
	assert_false(terminal_color("never", fd));
	setenv("NO_COLOR", "", 1);
	assert_true(terminal_color("auto", fd));
	setenv("NO_COLOR", "1", 1);
	assert_false(terminal_color("auto", fd));
	assert_true(terminal_color("always", fd));
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	assert_false(terminal_color("auto", fd));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_pipe_has_a_usual_width_and_no_colour,
				       fresh_environment),
		cmocka_unit_test_setup(
			a_terminal_of_unknown_width_is_as_wide_as_columns_says,
			fresh_environment),
		cmocka_unit_test_setup(a_terminal_has_colour_unless_somebody_objects,
				       fresh_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
