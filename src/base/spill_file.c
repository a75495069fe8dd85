/* Files without a name: see spill_file.h. */
#include "base/spill_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

/* A file that has a name for a moment; -1 with errno set. */
static int open_named(const char *prefix)
{
	sigset_t all, before;
	unsigned number = 0;
	int fd = -1;

	/*
	 * No handler that ends the program comes between making and unlink() here; what
	 * one on another thread leaves then, the next writer clears.
	 */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	do {
		char *path = xasprintf("%s%08u", prefix, ++number);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		int why = errno;
		if (fd >= 0)
			unlink(path);
		free(path);
		errno = why;
	} while (fd < 0 && errno == EEXIST);
	int why = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = why;
	return fd;
}

/* Owned by the caller. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
}

int spill_file_open(const char *prefix)
{
	char *folder = folder_of(prefix);
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	free(folder);
	return fd >= 0 ? fd : open_named(prefix);
}

int spill_file_grow(int fd, size_t from, size_t bytes)
{
	int why;

	do
		why = posix_fallocate(fd, (off_t)from, (off_t)(bytes - from));
	while (why == EINTR);
	return why;
}

int spill_file_write(int fd, const char *p, size_t n)
{
	for (size_t at = 0; at < n;) {
		ssize_t wrote = pwrite(fd, p + at, n - at, (off_t)at);
		if (wrote < 0 && errno != EINTR)
			return errno;
		at += wrote < 0 ? 0 : (size_t)wrote;
	}
	return 0;
}
