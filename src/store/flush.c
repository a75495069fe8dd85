/*
 * fsync() in pieces: see flush.h.  Nothing ends a call of fsync(), not even Ctrl-C,
 * and of a large store it lasts as long as the disk takes.  So its pages are sent
 * off and waited for piece by piece, and little is left for fsync() itself.
 */
#include "store/flush.h"

#include <errno.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_SIZE ((off_t)8 << 20)

/* glibc shows it to _GNU_SOURCE alone. */
int sync_file_range(int fd, off_t offset, off_t n, unsigned flags);

/* 0, or -1 with errno set: a page could not be written, which nobody is told twice. */
static int each_piece(int fd, off_t size, unsigned flags)
{
	for (off_t at = 0; at < size; at += PIECE_SIZE) {
		int rc;
		do {
			rc = sync_file_range(fd, at, PIECE_SIZE, flags);
		} while (rc < 0 && errno == EINTR);
		if (rc < 0)
			return -1;
	}
	return 0;
}

static int write_pages(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -1;
	if (each_piece(fd, st.st_size, SYNC_FILE_RANGE_WRITE) < 0 ||
	    each_piece(fd, st.st_size, SYNC_FILE_RANGE_WAIT_BEFORE) < 0)
		return -1;
	return 0;
}

int flush_file(int fd)
{
	/* Where there is no such call fsync() does it all. */
	if (write_pages(fd) < 0 && errno != ENOSYS && errno != EINVAL && errno != ESPIPE)
		return -1;
	return fsync(fd);
}
