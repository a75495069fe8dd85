/*
 * A window that slides over a file, a pipe or memory: see input.h.  It is
 * filled by read(2), which is as fast as mapping for one pass, works on pipes,
 * and makes a file that shrinks shorter instead of a SIGBUS.
 */
#include "base/input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/inflate.h"

#define FIRST_WINDOW ((size_t)1 << 20)
#define MAX_WINDOW   ((size_t)1 << 30)
#define GZIP_ID_LEN  2
#define NO_FD        (-1)

struct input {
	int fd;              /* NO_FD: memory */
	struct bytes memory; /* borrowed; what was not read yet */
	uint64_t consumed, size;
	input_stop_fn *stop; /* NULL: nobody asks */
	void *stop_to;
	uint8_t *window; /* NULL before the first peek, then
			    cap + INPUT_PADDING bytes; zeros behind `end` */
	size_t cap, max;
	size_t start, end; /* the unread bytes within the window */
	uint64_t offset;   /* of `start` */
	struct inflate *gzip;
	bool sniffed, at_end;
	struct err failure; /* a read error stays */
};

static void end_window(struct input *in)
{
	memset(in->window + in->end, 0, INPUT_PADDING);
}

static void resize_window(struct input *in, size_t cap)
{
	in->window = xrealloc_array(in->window, cap + INPUT_PADDING, 1);
	in->cap = cap;
}

static struct input *input_new(int fd, struct bytes memory, uint64_t size)
{
	struct input *in = xcalloc(1, sizeof(*in));

	in->fd = fd;
	in->memory = memory;
	in->size = size;
	in->cap = FIRST_WINDOW;
	in->max = MAX_WINDOW;
	return in;
}

struct input *input_from_memory(struct bytes bytes)
{
	return input_new(NO_FD, bytes, bytes.n);
}

void input_set_window(struct input *in, size_t size, size_t max)
{
	assert(!in->sniffed && size >= GZIP_ID_LEN && max >= size);
	in->cap = size;
	in->max = max;
}

void input_set_stop(struct input *in, input_stop_fn *stop, void *to)
{
	in->stop = stop;
	in->stop_to = to;
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

/* What is left of a regular file: standard input may stand in its middle. */
static uint64_t bytes_left(int fd, const struct stat *st)
{
	off_t at = S_ISREG(st->st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;

	return at >= 0 && st->st_size > at ? (uint64_t)(st->st_size - at) : 0;
}

struct input *input_open(const char *path, struct err *err)
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
	return input_new(fd, (struct bytes){ NULL, 0 }, bytes_left(fd, &st));
}

void input_close(struct input *in)
{
	if (!in)
		return;
	close_fd(in->fd);
	inflate_free(in->gzip);
	free(in->window);
	free(in);
}

static size_t read_memory(struct input *in, uint8_t *to, size_t n)
{
	if (n > in->memory.n)
		n = in->memory.n;
	if (n == 0)
		return 0;
	memcpy(to, in->memory.p, n);
	in->memory.p += n;
	in->memory.n -= n;
	return n;
}

/* Waits where another program has made the shared standard input non-blocking. */
static ssize_t read_fd(const struct input *in, uint8_t *to, size_t n, struct err *err)
{
	for (;;) {
		struct pollfd ready = { .fd = in->fd, .events = POLLIN };
		if (in->stop && in->stop(in->stop_to, err) < 0)
			return -1;
		ssize_t got = read(in->fd, to, n);
		if (got >= 0)
			return got;
		if (errno == EAGAIN)
			(void)poll(&ready, 1, -1);
		else if (errno != EINTR)
			return err_errno(err, "cannot read");
	}
}

static ssize_t read_source(void *source, uint8_t *to, size_t n, struct err *err)
{
	struct input *in = source;
	ssize_t got;

	if (in->fd == NO_FD)
		got = (ssize_t)read_memory(in, to, n);
	else
		got = read_fd(in, to, n, err);
	if (got < 0)
		return -1;
	in->consumed += (uint64_t)got;
	return got;
}

/* More bytes behind `end`, or at_end, or -1: from the source or through gzip. */
static int pull(struct input *in, size_t n, struct err *err)
{
	uint8_t *to = in->window + in->end;
	ssize_t got = in->gzip ? inflate_read(in->gzip, to, n, err)
			       : read_source(in, to, n, err);

	if (got < 0) {
		in->failure = *err;
		return -1;
	}
	in->end += (size_t)got;
	in->at_end = got == 0;
	return 0;
}

/* gzip's magic: the bytes that were read become its first input. */
static int sniff(struct input *in, struct err *err)
{
	size_t most = in->cap < INFLATE_CHUNK ? in->cap : INFLATE_CHUNK;

	resize_window(in, in->cap);
	while (in->end < GZIP_ID_LEN && !in->at_end) {
		if (pull(in, most - in->end, err) < 0)
			return -1;
	}
	in->sniffed = true;
	if (in->end < GZIP_ID_LEN || in->window[0] != GZIP_ID1 ||
	    in->window[1] != GZIP_ID2)
		return 0;
	in->gzip = inflate_new(read_source, in, (struct bytes){ in->window, in->end });
	in->end = 0;
	return 0;
}

/*
 * Room behind `end`.  The unread tail moves to the front when what is free
 * behind it is too little for `want` or for a read worth its call.
 */
static int make_room(struct input *in, size_t want, struct err *err)
{
	size_t unread = in->end - in->start;
	size_t room = in->cap - in->end;

	if (room >= want - unread && room >= in->cap / 8)
		return 0;
	if (in->start) {
		memmove(in->window, in->window + in->start, unread);
		in->start = 0;
		in->end = unread;
	}
	if (unread < in->cap)
		return 0;
	if (in->cap >= in->max)
		return err_at(err, in->offset, "one piece of more than %zu bytes",
			      in->max);
	resize_window(in, in->cap < in->max / 2 ? in->cap * 2 : in->max);
	return 0;
}

static int fill(struct input *in, size_t want, struct err *err)
{
	if (in->failure.kind != ERR_NONE) {
		*err = in->failure;
		return -1;
	}
	if (!in->sniffed && sniff(in, err) < 0)
		return -1;
	while (in->end - in->start < want && !in->at_end) {
		if (make_room(in, want, err) < 0 || pull(in, in->cap - in->end, err) < 0)
			return -1;
	}
	return 0;
}

struct bytes input_peek(struct input *in, size_t want, struct err *err)
{
	if (!in->sniffed || (in->end - in->start < want && !in->at_end)) {
		int rc = fill(in, want, err);
		end_window(in);
		if (rc < 0)
			return (struct bytes){ in->window + in->end, 0 };
	}
	return (struct bytes){ in->window + in->start, in->end - in->start };
}

void input_skip(struct input *in, size_t n)
{
	assert(n <= in->end - in->start);
	in->start += n;
	in->offset += n;
}

uint64_t input_offset(const struct input *in)
{
	return in->offset;
}

uint64_t input_consumed(const struct input *in)
{
	return in->consumed;
}

uint64_t input_size(const struct input *in)
{
	return in->size;
}

const char *input_damage(const struct input *in)
{
	return in->gzip ? inflate_damage(in->gzip) : NULL;
}
