/*
 * A lock file that one process holds at a time and that is gone when nobody
 * does.  The lock is flock()'s: it dies with its holder, and the file that a
 * killed holder leaves behind is taken over by the next one.
 */
#ifndef PTOOL_STORE_LOCKFILE_H
#define PTOOL_STORE_LOCKFILE_H

#include <stdbool.h>

#include "base/err.h"

struct lockfile {
	char *path; /* owned; NULL: not held */
	int fd;
};

/*
 * Waits for the lock.  A signal that arrives during the wait and is handled
 * (Ctrl-C) ends it with ERR_INTERRUPT.
 */
int lockfile_acquire(struct lockfile *lock, const char *path, struct err *err);
/*
 * Where the file system has no locks it is held at once, and writers that run at
 * the same time may lose each other's runs; no store breaks.
 * 0: held; 1: somebody else holds it; -1: err is set.
 */
int lockfile_try(struct lockfile *lock, const char *path, struct err *err);
/*
 * A file that is there, to be locked: for writing, as network file systems want, else for
 * reading, which does where it is another user's.  -1 with errno set.
 */
int lockfile_open(int folder_fd, const char *name);
/* True for what flock() says where the file system has no locks. */
bool lockfile_is_missing(int number);
/* Accepts one that is not held. */
void lockfile_release(struct lockfile *lock);

#endif
