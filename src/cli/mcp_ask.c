/* Commands in processes of their own: see mcp_ask.h. */
#include "cli/mcp_ask.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

#define OUT_MAX    ((size_t)16 * 1024 * 1024)
#define TOLD_MAX   ((size_t)16 * 1024)
#define READ_BYTES ((size_t)64 * 1024)
#define NS_PER_MS  INT64_C(1000000)

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

__attribute__((noreturn)) static void answer(int argc, char **argv, int out, int told)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* an answer that nobody waits for */
	dup2(nothing, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(told, STDERR_FILENO);
	unsetenv("PTOOL_STORE"); /* files are named, never found */
	int code = cli_main(argc, argv);
	fflush(NULL);
	_exit(code);
}

enum taken { ENDED, TAKEN, TOO_MUCH };

static enum taken take(int fd, struct buf *into)
{
	char bytes[READ_BYTES];
	ssize_t n;

	do
		n = read(fd, bytes, sizeof(bytes));
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return ENDED;
	return buf_add(into, bytes, (size_t)n) ? TAKEN : TOO_MUCH;
}

/* NULL: both have ended; else why it is to be broken off. */
static const char *take_all(int out, int told, int64_t until_ns, struct mcp_answer *a)
{
	struct pollfd fds[] = { { .fd = out, .events = POLLIN },
				{ .fd = told, .events = POLLIN } };

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		int64_t left_ns = until_ns - now_ns();
		if (left_ns <= 0)
			return "it takes too long; ask for less, or start the server with "
			       "a longer --timeout";
		int64_t left_ms = left_ns / NS_PER_MS + 1;
		if (poll(fds, 2, left_ms < INT_MAX ? (int)left_ms : INT_MAX) <= 0)
			continue;
		enum taken taken = fds[0].revents ? take(out, &a->out) : TAKEN;
		if (taken == TOO_MUCH)
			return "it writes more than 16 MiB; ask for less";
		if (taken == ENDED)
			fds[0].fd = -1;
		/* what is too much of messages is passed over */
		if (fds[1].revents && take(told, &a->told) == ENDED)
			fds[1].fd = -1;
	}
	return NULL;
}

static void follow(pid_t pid, int out, int told, int64_t timeout_ns, struct mcp_answer *a)
{
	const char *why = take_all(out, told, now_ns() + timeout_ns, a);
	int status = 0;

	if (why)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (!why && WIFSIGNALED(status))
		why = strsignal(WTERMSIG(status));
	if (why)
		buf_addf(&a->told, "ptool: the command was ended: %s\n", why);
	a->code = why ? -1 : WEXITSTATUS(status);
}

void mcp_ask(int argc, char **argv, int64_t timeout_ns, struct mcp_answer *out)
{
	int fds[2], told[2];

	*out = (struct mcp_answer){ .code = -1 };
	buf_init(&out->out, OUT_MAX);
	buf_init(&out->told, TOLD_MAX);
	if (pipe2(fds, O_CLOEXEC) < 0) {
		buf_addf(&out->told, "ptool: no pipe: %s\n", strerror(errno));
		return;
	}
	if (pipe2(told, O_CLOEXEC) < 0) {
		buf_addf(&out->told, "ptool: no pipe: %s\n", strerror(errno));
		close(fds[0]);
		close(fds[1]);
		return;
	}
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		answer(argc, argv, fds[1], told[1]);
	int why = errno;
	close(fds[1]);
	close(told[1]);
	if (pid < 0)
		buf_addf(&out->told,
			 "ptool: cannot start a process: "
			 "%s\n",
			 strerror(why));
	else
		follow(pid, fds[0], told[0], timeout_ns, out);
	close(fds[0]);
	close(told[0]);
}

void mcp_answer_release(struct mcp_answer *a)
{
	buf_release(&a->out);
	buf_release(&a->told);
}
