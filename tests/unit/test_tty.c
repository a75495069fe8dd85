/* The terminal that a program fills, on a pseudo terminal of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "screen/tty.h"

/* Its ends, and how it was. */
struct terminal {
	int ours, theirs;
	struct termios before;
};

static void set_size(int fd, unsigned short lines, unsigned short columns)
{
	const struct winsize size = { .ws_row = lines, .ws_col = columns };

	assert_int_equal(ioctl(fd, TIOCSWINSZ, &size), 0);
}

static struct terminal new_terminal(void)
{
	struct terminal t = { .ours = posix_openpt(O_RDWR | O_NOCTTY) };

	assert_true(t.ours >= 0);
	assert_int_equal(grantpt(t.ours), 0);
	assert_int_equal(unlockpt(t.ours), 0);
	t.theirs = open(ptsname(t.ours), O_RDWR | O_NOCTTY);
	assert_true(t.theirs >= 0);
	set_size(t.ours, 24, 80);
	assert_int_equal(tcgetattr(t.theirs, &t.before), 0);
	return t;
}

/* What is drawn must be read, or the program waits. */
static void drain(int fd)
{
	char bytes[4096];

	while (read(fd, bytes, sizeof(bytes)) > 0)
		continue;
}

/* In the process of a program: what is written there was typed. */
static int typist;

/* Runs it in a process of its own that the terminal controls; its exit status. */
static int run_on(struct terminal *t, int (*program)(struct tty *tty))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		const struct tty_options options = { .color = false };
		struct err err = ERR_INIT;
		setsid();
		ioctl(t->theirs, TIOCSCTTY, 0);
		typist = t->ours;
		setlocale(LC_ALL, "C.UTF-8");
		dup2(t->theirs, STDIN_FILENO);
		dup2(t->theirs, STDOUT_FILENO);
		setenv("TERM", "linux", 1);
		struct tty *tty = tty_open(&options, &err);
		_exit(tty ? program(tty) : 99);
	}
	pid_t reader = fork();
	if (reader == 0) {
		drain(t->ours);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	kill(reader, SIGKILL);
	waitpid(reader, NULL, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void release(struct terminal *t)
{
	close(t->ours);
	close(t->theirs);
}

static void draw(struct tty *tty)
{
	tty_clear(tty);
	for (int i = 0; i < tty_lines(tty); i++)
		tty_text(tty, (struct tty_spot){ i, 0, tty_columns(tty), 0 },
			 STR_LIT("a line"), LOOK_PLAIN);
	tty_show(tty);
}

static int at_most(int n, int most)
{
	return n < most ? n : most;
}

static int change_sizes(struct tty *tty)
{
	static const unsigned short sizes[][2] = { { 1, 1 },      { 65535, 1 },
						   { 24, 65535 }, { 32768, 80 },
						   { 2, 1 },      { 24, 80 } };

	draw(tty);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		set_size(STDIN_FILENO, sizes[i][0], sizes[i][1]);
		/* curses tells of one resize several times */
		while (tty_lines(tty) != at_most(sizes[i][0], 1024) ||
		       tty_columns(tty) != at_most(sizes[i][1], 4096))
			if (tty_key(tty, -1, 60000) != TTY_RESIZED)
				return 1;
		draw(tty);
	}
	tty_close(tty);
	return 0;
}

static void any_size_is_drawn(void **state)
{
	struct terminal t = new_terminal();

	(void)state;
	assert_int_equal(run_on(&t, change_sizes), 0);
	set_size(t.ours, 65535, 65535);
	assert_int_equal(run_on(&t, change_sizes), 0);
	release(&t);
}

/* Two at once, one for the thread and one for the process, and one that nobody waits for. */
static int stop_often(struct tty *tty)
{
	draw(tty);
	raise(SIGTSTP);
	kill(getpid(), SIGTSTP);
	tty_key(tty, -1, 1000);
	draw(tty);
	raise(SIGTSTP);
	tty_close(tty);
	return 0;
}

static void stops_leave_the_terminal_as_it_was(void **state)
{
	struct terminal t = new_terminal();
	struct termios after;

	(void)state;
	/* none that a shell could continue, so the signal is dropped */
	assert_int_equal(run_on(&t, stop_often), 0);
	assert_int_equal(tcgetattr(t.theirs, &after), 0);
	assert_int_equal(after.c_lflag, t.before.c_lflag);
	assert_int_equal(after.c_iflag, t.before.c_iflag);
	assert_int_equal(after.c_oflag, t.before.c_oflag);
	release(&t);
}

/* False where it has not come within a second. */
static bool type_bytes(struct tty *tty, const char *bytes)
{
	const struct timespec wait = { 0, 1000000 };

	if (write(typist, bytes, strlen(bytes)) < 0)
		return false;
	for (int i = 0; i < 1000 && !tty_has_key(tty); i++)
		nanosleep(&wait, NULL);
	return tty_has_key(tty);
}

/* What was typed is there until it is taken. */
static int look_for_keys(struct tty *tty)
{
	alarm(60); /* one that waits for ever */
	if (tty_has_key(tty))
		return 1;
	if (!type_bytes(tty, "j") || tty_key(tty, -1, -1) != 'j' || tty_has_key(tty))
		return 2;
	/* whoever did not draw for these wants to know that they were no key */
	if (!type_bytes(tty, "\xff") || tty_key(tty, -1, -1) != TTY_TIMEOUT)
		return 3;
	if (!type_bytes(tty, "\xc3") || tty_key(tty, -1, -1) != TTY_TIMEOUT)
		return 4;
	tty_close(tty);
	return 0;
}

static void a_key_that_waits_is_told(void **state)
{
	struct terminal t = new_terminal();

	(void)state;
	assert_int_equal(run_on(&t, look_for_keys), 0);
	release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_size_is_drawn),
		cmocka_unit_test(stops_leave_the_terminal_as_it_was),
		cmocka_unit_test(a_key_that_waits_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
