/* Terminals: see terminal.h. */
#include "cli/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define USUAL_WIDTH  80
#define PIPE_WIDTH   120
#define USUAL_HEIGHT 24
#define WIDEST       10000

const char *const terminal_color_choices[] = { "auto", "always", "never", NULL };

bool terminal_is(int fd)
{
	return isatty(fd) == 1;
}

/* $COLUMNS or $LINES when it is exported and makes sense, else 0. */
static int cells_from_environment(const char *variable)
{
	const char *text = getenv(variable);
	long cells = text ? strtol(text, NULL, 10) : 0;

	return cells > 0 && cells <= WIDEST ? (int)cells : 0;
}

int terminal_width(int fd)
{
	struct winsize size;
	int width = cells_from_environment("COLUMNS");

	if (width)
		return width;
	if (!terminal_is(fd))
		return PIPE_WIDTH;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return USUAL_WIDTH;
}

int terminal_height(int fd)
{
	struct winsize size;
	int height = cells_from_environment("LINES");

	if (!terminal_is(fd))
		return 0;
	if (height)
		return height;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0)
		return size.ws_row;
	return USUAL_HEIGHT;
}

/* Set and not empty, as no-color.org has it. */
static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

bool terminal_is_ascii(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);
		if (value && *value)
			return strcmp(value, "C") == 0 || strcmp(value, "POSIX") == 0;
	}
	return false;
}

bool terminal_color(const char *when, int fd)
{
	const char *term = getenv("TERM");
	const char *forced = getenv("CLICOLOR_FORCE");

	if (strcmp(when, "always") == 0)
		return true;
	if (strcmp(when, "never") == 0 || is_set("NO_COLOR"))
		return false;
	if (forced && *forced && strcmp(forced, "0") != 0)
		return true;
	return terminal_is(fd) && term && strcmp(term, "dumb") != 0;
}

/* A machine without less still shows its output. */
#define DEFAULT_PAGER \
	"if command -v less >/dev/null 2>&1; then exec less -FRSX; else exec cat; fi"

static const char *pager_command(void)
{
	const char *command = getenv("PTOOL_PAGER");

	if (!command)
		command = getenv("PAGER");
	return command ? command : DEFAULT_PAGER;
}

static void run_pager(const char *command, const int pipe_fds[2])
{
	struct sigaction usual = { .sa_handler = SIG_DFL };

	sigaction(SIGPIPE, &usual, NULL);
	dup2(pipe_fds[0], STDIN_FILENO);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/*
 * Ctrl-C belongs to the pager while it runs.  We do not die under it and leave
 * it behind; when its reader quits, writing fails and ends us quietly.
 */
static void adopt(struct pager *pager, pid_t pid, FILE *out)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGINT, &ignore, &pager->interrupt);
	pager->pid = pid;
	pager->out = out;
}

void pager_open(struct pager *pager, bool wanted)
{
	const char *command = pager_command();
	int fds[2];

	*pager = (struct pager){ .out = stdout };
	if (!wanted || !*command || strcmp(command, "cat") == 0 ||
	    !terminal_is(STDOUT_FILENO))
		return;
	fflush(stdout);
	if (pipe(fds) < 0)
		return;
	FILE *out = fdopen(fds[1], "w");
	pid_t pid = out ? fork() : -1;
	if (pid == 0)
		run_pager(command, fds);
	close(fds[0]);
	if (pid > 0) {
		adopt(pager, pid, out);
		return;
	}
	if (out)
		fclose(out);
	else
		close(fds[1]);
}

void pager_close(struct pager *pager)
{
	int status;

	if (!pager->pid)
		return;
	fclose(pager->out);
	while (waitpid(pager->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	sigaction(SIGINT, &pager->interrupt, NULL);
	*pager = (struct pager){ .out = stdout };
}
