/* A text next to a store of the cache: see cache_note.h. */
#include "store/cache_note.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

/* Enough for a line about each of thousands of lost stores. */
#define NOTE_MAX ((size_t)16 << 20)
#define HEAD_MAX 128

/*
 * The first line: the store's file, and the length of the text, so that one which was not
 * written whole is none.
 */
static char *head_of(const char *store, size_t n)
{
	struct stat st;

	if (lstat(store, &st) < 0)
		return NULL;
	return xasprintf("%ju %ju %jd %zu\n", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino,
			 (intmax_t)st.st_size, n);
}

static char *path_of(const char *store)
{
	return xasprintf("%s" CACHE_NOTE_SUFFIX, store);
}

static bool write_all(int fd, struct str text)
{
	while (text.n) {
		ssize_t n = write(fd, text.p, text.n);
		if (n <= 0)
			return false;
		text = (struct str){ text.p + n, text.n - (size_t)n };
	}
	return true;
}

bool cache_note_write(const char *store, struct str text)
{
	char *head = text.n <= NOTE_MAX ? head_of(store, text.n) : NULL;
	char *path = path_of(store);
	int fd = head ? open(path,
			     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW |
				     O_NONBLOCK,
			     0600)
		      : -1;
	bool is_written = fd >= 0 && write_all(fd, str_of(head)) && write_all(fd, text);

	if (fd >= 0 && close(fd) < 0)
		is_written = false;
	free(path);
	free(head);
	return is_written;
}

/* A descriptor of a regular file that nobody but the user can have written, or -1. */
static int open_own(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid() && (st.st_mode & (S_IWGRP | S_IWOTH)) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool read_all(int fd, struct buf *to)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		if (!buf_add(to, bytes, (size_t)n))
			return false;
	return n == 0;
}

bool cache_note_read(const char *store, struct buf *out)
{
	char *path = path_of(store);
	int fd = open_own(path);
	bool is_there = false;
	struct buf all;

	buf_init(&all, NOTE_MAX + HEAD_MAX);
	if (fd >= 0 && read_all(fd, &all)) {
		struct str text = buf_str(&all);
		const char *end = text.n ? memchr(text.p, '\n', text.n) : NULL;
		size_t n = end ? (size_t)(end + 1 - text.p) : 0;
		char *head = n ? head_of(store, text.n - n) : NULL;
		is_there = head && str_equal(str_of(head), (struct str){ text.p, n }) &&
			   buf_add(out, text.p + n, text.n - n);
		free(head);
	}
	buf_release(&all);
	if (fd >= 0)
		close(fd);
	free(path);
	return is_there;
}

void cache_note_remove(const char *store)
{
	char *path = path_of(store);

	unlink(path);
	free(path);
}
