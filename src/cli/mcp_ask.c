/* Commands in processes of their own: see mcp_ask.h. */
#include "cli/mcp_ask.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/cli.h"

#define OUT_MAX    ((size_t)16 * 1024 * 1024)
#define TOLD_MAX   ((size_t)16 * 1024)
#define READ_BYTES ((size_t)64 * 1024)
#define NS_PER_MS  INT64_C(1000000)

/* To tidy up; a command that is within a call of SQLite's does not hear it. */
#define PATIENCE_MS 500
#define LOOK_MS     5
#define FILES_OPEN  16 /* of folders within folders */

/* What a process may leave behind where it is killed. */
struct surroundings {
	char *folder; /* owned: its TMPDIR; NULL: none can be made, it has the server's */
	sigset_t before, ends; /* signals that end the server, blocked meanwhile */
	int fd;                /* readable when one has come, or -1 */
};

static const int ending[] = { SIGINT, SIGTERM, SIGHUP };

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* A server that is ended breaks off the answer first: else its folder would stay. */
static void surround(struct surroundings *s)
{
	const char *tmp = getenv("TMPDIR");
	struct sigaction now;

	s->folder = xasprintf("%s/ptool-mcp-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	sigemptyset(&s->ends);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(&s->ends, ending[i]);
	sigprocmask(SIG_BLOCK, &s->ends, &s->before);
	s->fd = signalfd(-1, &s->ends, SFD_CLOEXEC);
	if (mkdtemp(s->folder))
		return;
	free(s->folder);
	s->folder = NULL;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	remove(path); /* what stays, stays: the next one may go */
	return 0;
}

static void tidy(struct surroundings *s)
{
	if (s->folder)
		nftw(s->folder, remove_one, FILES_OPEN, FTW_DEPTH | FTW_PHYS);
	free(s->folder);
	if (s->fd >= 0)
		close(s->fd);
	sigprocmask(SIG_SETMASK, &s->before, NULL); /* one that has come ends us here */
}

__attribute__((noreturn)) static void answer(int argc, char **argv, int out, int told,
					     const struct surroundings *s)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* an answer that nobody waits for */
	dup2(nothing, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(told, STDERR_FILENO);
	unsetenv("PTOOL_STORE"); /* files are named, never found */
	if (s->folder)
		setenv("TMPDIR", s->folder, 1);
	sigprocmask(SIG_SETMASK, &s->before, NULL);
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
static const char *take_all(int out, int told, int ended, int64_t until_ns,
			    struct mcp_answer *a)
{
	struct pollfd fds[] = { { .fd = out, .events = POLLIN },
				{ .fd = told, .events = POLLIN },
				{ .fd = ended, .events = POLLIN } };

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		int64_t left_ns = until_ns - now_ns();
		if (left_ns <= 0)
			return "it takes too long; ask for less, or start the server with "
			       "a longer --timeout";
		int64_t left_ms = left_ns / NS_PER_MS + 1;
		if (poll(fds, 3, left_ms < INT_MAX ? (int)left_ms : INT_MAX) <= 0)
			continue;
		if (fds[2].revents)
			return "the server ends";
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

/* It tidies up what it has begun, if it hears; else it is killed. */
static int end(pid_t pid)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * NS_PER_MS };
	int status = 0;

	kill(pid, SIGTERM);
	for (int ms = 0; ms < PATIENCE_MS; ms += LOOK_MS) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		nanosleep(&pause, NULL);
	}
	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return status;
}

static void follow(pid_t pid, int out, int told, int ended, int64_t timeout_ns,
		   struct mcp_answer *a)
{
	const char *why = take_all(out, told, ended, now_ns() + timeout_ns, a);
	int status = 0;

	if (why)
		status = end(pid);
	else
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			continue;
	if (!why && WIFSIGNALED(status))
		why = strsignal(WTERMSIG(status));
	if (why)
		buf_addf(&a->told, "ptool: the command was ended: %s\n", why);
	a->code = why ? -1 : WEXITSTATUS(status);
}

static void ask(int argc, char **argv, const int fds[2], const int told[2],
		int64_t timeout_ns, struct mcp_answer *out)
{
	struct surroundings s;

	surround(&s);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		answer(argc, argv, fds[1], told[1], &s);
	int why = errno;
	close(fds[1]);
	close(told[1]);
	if (pid < 0)
		buf_addf(&out->told, "ptool: cannot start a process: %s\n",
			 strerror(why));
	else
		follow(pid, fds[0], told[0], s.fd, timeout_ns, out);
	tidy(&s);
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
	ask(argc, argv, fds, told, timeout_ns, out);
	close(fds[0]);
	close(told[0]);
}

void mcp_answer_release(struct mcp_answer *a)
{
	buf_release(&a->out);
	buf_release(&a->told);
}
