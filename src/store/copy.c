/*
 * Copying a whole file: see copy.h.  A shared-extents clone costs nothing
 * (Btrfs, XFS), sendfile() does not pass the bytes through this process, and
 * read() and write() work everywhere.
 */
#include "store/copy.h"

#include <errno.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/alloc.h"

#define CHUNK_SIZE   ((size_t)1 << 20)
#define SENDFILE_MAX ((size_t)16 << 20) /* a signal is not heard before the call ends */

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);
		if (done < 0 && errno != EINTR)
			return -1;
		if (done > 0) {
			p += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

/* From wherever the two files' offsets are. */
static int copy_by_hand(int from, int into)
{
	char *chunk = xmalloc(CHUNK_SIZE);
	int rc = 0;

	for (;;) {
		ssize_t n = read(from, chunk, CHUNK_SIZE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			rc = (int)n;
			break;
		}
		rc = write_all(into, chunk, (size_t)n);
		if (rc < 0)
			break;
	}
	free(chunk);
	return rc;
}

int copy_file(int from, int into)
{
	ssize_t n;

	if (ioctl(into, FICLONE, from) == 0)
		return 0;
	do {
		n = sendfile(into, from, NULL, SENDFILE_MAX);
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n == 0)
		return 0;
	/* Not between these two file systems; what was sent has moved both offsets. */
	return errno == EINVAL || errno == ENOSYS ? copy_by_hand(from, into) : -1;
}
