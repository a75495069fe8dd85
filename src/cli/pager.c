/* The pager: see pager.h. */
#include "cli/pager.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/terminal.h"

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
