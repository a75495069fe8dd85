/* Lock files: see lockfile.h. */
#include "store/lockfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

#define FIRST_WAIT_NS   1000000L
#define LONGEST_WAIT_NS 100000000L

/*
 * A holder removes the file before it lets go, so the lock may have been won on
 * a file that is no longer there, beside another process with a new one.
 */
static bool path_still_names(const char *path, int fd)
{
	struct stat here, held;

	return lstat(path, &here) == 0 && fstat(fd, &held) == 0 &&
	       here.st_dev == held.st_dev && here.st_ino == held.st_ino;
}

int lockfile_try(struct lockfile *lock, const char *path, struct err *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);

	*lock = (struct lockfile){ NULL, -1 };
	if (fd < 0)
		return err_set(err, ERR_IO, "cannot create '%s': %s", path,
			       strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int number = errno;
		close(fd);
		if (number == EWOULDBLOCK || number == EINTR)
			return 1;
		return err_set(err, ERR_IO, "cannot lock '%s': %s", path,
			       strerror(number));
	}
	if (!path_still_names(path, fd)) {
		close(fd);
		return 1;
	}
	*lock = (struct lockfile){ xstrdup(path), fd };
	return 0;
}

/* Polls, because flock() itself would not come back from a restarting signal. */
int lockfile_acquire(struct lockfile *lock, const char *path, struct err *err)
{
	struct timespec wait = { 0, FIRST_WAIT_NS };
	int rc;

	while ((rc = lockfile_try(lock, path, err)) == 1) {
		if (nanosleep(&wait, NULL) < 0)
			return err_set(
				err, ERR_INTERRUPT,
				"interrupted while another ptool writes the store");
		wait.tv_nsec *= 2;
		if (wait.tv_nsec > LONGEST_WAIT_NS)
			wait.tv_nsec = LONGEST_WAIT_NS;
	}
	return rc;
}

void lockfile_release(struct lockfile *lock)
{
	if (!lock->path)
		return;
	unlink(lock->path);
	close(lock->fd);
	free(lock->path);
	*lock = (struct lockfile){ NULL, -1 };
}
