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

/* Some network file systems have no locks: then writers do not wait for each other. */
bool lockfile_is_missing(int number)
{
	return number == ENOLCK || number == ENOSYS || number == EOPNOTSUPP;
}

/* 0, 1 while somebody else holds it, or -1 with errno set. */
static int take(const char *path, int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && !lockfile_is_missing(errno))
		return errno == EWOULDBLOCK || errno == EINTR ? 1 : -1;
	return path_still_names(path, fd) ? 0 : 1;
}

int lockfile_open(int folder_fd, const char *name)
{
	const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	int fd = openat(folder_fd, name, O_RDWR | flags);

	return fd < 0 && errno == EACCES ? openat(folder_fd, name, O_RDONLY | flags) : fd;
}

/* No memory is asked for while the file is there and nobody knows of it. */
int lockfile_try(struct lockfile *lock, const char *path, struct err *err)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
	char *copy = xstrdup(path);
	int fd = open(path, flags, 0666);
	bool is_new = fd >= 0;

	*lock = (struct lockfile){ NULL, -1 };
	bool is_there = fd < 0 && errno == EEXIST;
	if (is_there)
		fd = lockfile_open(AT_FDCWD, path);
	/* its holder may have removed it between the two */
	int rc = fd >= 0 ? take(path, fd) : is_there && errno == ENOENT ? 1 : -1;
	if (rc == 0) {
		*lock = (struct lockfile){ copy, fd };
		return 0;
	}
	if (rc < 0)
		err_set(err, ERR_IO, "cannot %s '%s': %s", fd < 0 ? "create" : "lock",
			path, strerror(errno));
	if (rc < 0 && is_new)
		unlink(path);
	if (fd >= 0)
		close(fd);
	free(copy);
	return rc;
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
