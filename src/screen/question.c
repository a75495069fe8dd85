/* Questions: see question.h. */
#include "screen/question.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/table_pack.h"
#include "screen/tty.h"

#define READ_BYTES ((size_t)256 * 1024)

/* The last byte of an answer: what came before it. */
enum { ENDS_WITH_TABLE = 'T', ENDS_WITH_ERROR = 'E' };

static int pack(void *to, struct table *t, struct err *err)
{
	return table_pack(t, to, err);
}

/* The process of its own.  What it wrote of a table before it failed is no answer. */
__attribute__((noreturn)) static void answer(const struct screen_source *source, int argc,
					     char **argv, int fd)
{
	struct err err = ERR_INIT;
	FILE *out;

	tty_forget_signals();
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* an answer that nobody waits for */
	/* nothing may be written into the screen */
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(nowhere, STDIN_FILENO);
	dup2(nowhere, STDOUT_FILENO);
	dup2(nowhere, STDERR_FILENO);
	out = fdopen(fd, "w");
	if (!out)
		_exit(1);
	if (source->ask(source, argc, argv, pack, out, &err) == 0) {
		putc(ENDS_WITH_TABLE, out);
	} else {
		fwrite(&err, sizeof(err), 1, out);
		putc(ENDS_WITH_ERROR, out);
	}
	fflush(out);
	_exit(0);
}

int question_start(struct question *q, const struct screen_source *source, int argc,
		   char **argv, struct err *err)
{
	sigset_t all, before;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_set(err, ERR_IO, "no pipe: %s", strerror(errno));
	fflush(NULL);
	/* until the new process has forgotten what its signals did here */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid_t pid = fork();
	if (pid == 0)
		answer(source, argc, argv, fds[1]);
	int why = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return err_set(err, ERR_IO, "cannot start a process: %s", strerror(why));
	}
	*q = (struct question){ .pid = pid, .fd = fds[0] };
	buf_init(&q->answer, SIZE_MAX / 2);
	return 0;
}

bool question_read(struct question *q)
{
	char bytes[READ_BYTES];
	ssize_t n;

	do
		n = read(q->fd, bytes, sizeof(bytes));
	while (n < 0 && errno == EINTR);
	if (n > 0)
		buf_add(&q->answer, bytes, (size_t)n);
	return n > 0;
}

static int release(struct question *q)
{
	int status = 0;

	close(q->fd);
	while (waitpid(q->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return status;
}

static struct table *unpack(struct str answer, int status, struct err *err)
{
	int end = answer.n ? answer.p[answer.n - 1] : 0;

	if (end == ENDS_WITH_TABLE)
		return table_unpack((struct str){ answer.p, answer.n - 1 }, err);
	if (end == ENDS_WITH_ERROR && answer.n > sizeof(*err))
		memcpy(err, answer.p + answer.n - 1 - sizeof(*err), sizeof(*err));
	else if (WIFSIGNALED(status))
		err_set(err, ERR_IO, "the question was ended by a signal: %s",
			strsignal(WTERMSIG(status)));
	else
		err_set(err, ERR_IO, "the question ended without an answer");
	return NULL;
}

struct table *question_end(struct question *q, struct err *err)
{
	int status = release(q);
	struct table *t = unpack(buf_str(&q->answer), status, err);

	buf_release(&q->answer);
	return t;
}

void question_break(struct question *q)
{
	kill(q->pid, SIGKILL);
	release(q);
	buf_release(&q->answer);
}
