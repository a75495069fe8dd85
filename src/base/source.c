/*
 * Files, pipes and memory as a source: see source.h.  read(2) is as fast as
 * mapping for one pass, works on pipes, and makes a file that shrinks shorter
 * instead of a SIGBUS.
 */
#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#define NO_FD (-1)

struct source {
	int fd;              /* NO_FD: memory */
	struct bytes memory; /* borrowed; all of it */
	size_t at;           /* of the next byte in memory */
	uint64_t begin; /* of the input within the file, which may be standard input */
	uint64_t size;
	bool can_seek;
	int kept;            /* NO_FD: it is not; else what was read so far */
	int why;             /* errno of what could not be written there, or 0 */
	uint64_t kept_end;   /* bytes */
	input_stop_fn *stop; /* NULL: nobody asks */
	void *stop_to;
};

struct source *source_of_memory(struct bytes bytes)
{
	struct source *s = xcalloc(1, sizeof(*s));

	s->fd = s->kept = NO_FD;
	s->memory = bytes;
	s->size = bytes.n;
	s->can_seek = true;
	return s;
}

void source_set_stop(struct source *s, input_stop_fn *stop, void *to)
{
	s->stop = stop;
	s->stop_to = to;
}

static int open_path(const char *path)
{
	int fd;

	if (strcmp(path, "-") == 0)
		return STDIN_FILENO;
	do {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	} while (fd < 0 && errno == EINTR);
	return fd;
}

static void close_fd(int fd)
{
	if (fd > STDIN_FILENO)
		close(fd);
}

/* Where a regular file stands and what is left of it. */
static void find_size(struct source *s, const struct stat *st)
{
	off_t at = S_ISREG(st->st_mode) ? lseek(s->fd, 0, SEEK_CUR) : -1;

	if (at < 0)
		return;
	s->begin = (uint64_t)at;
	s->size = st->st_size > at ? (uint64_t)(st->st_size - at) : 0;
	s->can_seek = s->size > 0;
}

struct source *source_open(const char *path, struct err *err)
{
	struct stat st;
	int fd = open_path(path);

	if (fd < 0 || fstat(fd, &st) < 0) {
		err_errno(err, "cannot open");
		close_fd(fd);
		return NULL;
	}
	if (S_ISDIR(st.st_mode)) {
		close_fd(fd);
		errno = EISDIR;
		err_errno(err, "cannot open");
		return NULL;
	}
	if (S_ISREG(st.st_mode))
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	struct source *s = xcalloc(1, sizeof(*s));
	s->fd = fd;
	s->kept = NO_FD;
	find_size(s, &st);
	return s;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	source_forget(s);
	close_fd(s->fd);
	free(s);
}

void source_keep(struct source *s, int fd)
{
	if (s->can_seek) {
		close_fd(fd);
		return;
	}
	s->kept = fd;
	s->why = fd < 0 ? errno : 0;
}

void source_forget(struct source *s)
{
	close_fd(s->kept);
	s->kept = NO_FD;
}

/* Why a copy is lost is told by who asks for it. */
static void keep(struct source *s, const uint8_t *p, size_t n)
{
	for (size_t at = 0; at < n;) {
		ssize_t wrote = write(s->kept, p + at, n - at);
		if (wrote < 0 && errno != EINTR) {
			s->why = errno;
			source_forget(s);
			return;
		}
		at += wrote < 0 ? 0 : (size_t)wrote;
	}
	s->kept_end += n;
}

static ssize_t read_memory(struct source *s, uint8_t *to, size_t n)
{
	size_t left = s->memory.n - s->at;

	if (n > left)
		n = left;
	if (n)
		memcpy(to, s->memory.p + s->at, n);
	s->at += n;
	return (ssize_t)n;
}

/* Waits where another program has made the shared standard input non-blocking. */
static ssize_t read_fd(const struct source *s, uint8_t *to, size_t n, struct err *err)
{
	for (;;) {
		struct pollfd ready = { .fd = s->fd, .events = POLLIN };
		if (s->stop && s->stop(s->stop_to, err) < 0)
			return -1;
		ssize_t got = read(s->fd, to, n);
		if (got >= 0)
			return got;
		if (errno == EAGAIN)
			(void)poll(&ready, 1, -1);
		else if (errno != EINTR)
			return err_errno(err, "cannot read");
	}
}

ssize_t source_read(void *source, uint8_t *to, size_t n, struct err *err)
{
	struct source *s = source;
	ssize_t got = s->fd == NO_FD ? read_memory(s, to, n) : read_fd(s, to, n, err);

	if (got > 0 && s->kept != NO_FD)
		keep(s, to, (size_t)got);
	return got;
}

uint64_t source_size(const struct source *s)
{
	return s->size;
}

bool source_can_seek(const struct source *s)
{
	return s->can_seek;
}

int source_seek(struct source *s, uint64_t offset, struct err *err)
{
	if (s->fd == NO_FD)
		s->at = (size_t)offset;
	else if (lseek(s->fd, (off_t)(s->begin + offset), SEEK_SET) < 0)
		return err_errno(err, "cannot seek");
	return 0;
}

int source_rewind(struct source *s, struct err *err)
{
	if (s->can_seek)
		return source_seek(s, 0, err);
	if (s->kept == NO_FD) {
		errno = s->why;
		return err_errno(err, "cannot keep it to read it again");
	}
	close_fd(s->fd);
	s->fd = s->kept;
	s->kept = NO_FD;
	s->begin = 0;
	s->size = s->kept_end;
	s->can_seek = true;
	return source_seek(s, 0, err);
}
