/*
 * A library to be preloaded: it counts the calls by which a program changes the
 * file system, and lets the one go wrong that it is told to.
 *
 *   FAULT_LOG=FILE   one letter a call goes there: o create, w write, t truncate,
 *                    a allocate, s sync, m rename (move), u unlink
 *   FAULT_AT=N       at the Nth call, counted from 1, ...
 *   FAULT=kill       ... the process is killed, before the call is made
 *   FAULT=interrupt  ... the process gets a SIGINT, before the call is made
 *   FAULT=full       ... and from then on, whatever takes space fails with ENOSPC
 *
 *   FAULT_NAMED=1    no file can be made without a name (O_TMPFILE)
 *
 * Writes to standard output and error are not counted.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/types.h>
#include <unistd.h>

static long at = -1, calls;
static int strikes; /* the signal, or 0 */
static int log_fd = -1;

/* The function that this library stands in front of. */
#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static void set_up(void)
{
	const char *number = getenv("FAULT_AT"), *log = getenv("FAULT_LOG");
	const char *what = getenv("FAULT");

	at = number ? atol(number) : 0;
	if (what && strcmp(what, "kill") == 0)
		strikes = SIGKILL;
	if (what && strcmp(what, "interrupt") == 0)
		strikes = SIGINT;
	if (log)
		log_fd = NEXT(open)(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

/* True when this call is to fail; errno is then set. */
static bool fails(char letter)
{
	if (at < 0)
		set_up();
	calls++;
	if (log_fd >= 0 && NEXT(write)(log_fd, &letter, 1) != 1)
		abort();
	if (at == 0 || calls < at)
		return false;
	if (strikes && calls == at)
		raise(strikes);
	if (strikes || letter == 'u')
		return false;
	errno = ENOSPC;
	return true;
}

static bool is_standard(int fd)
{
	return fd == STDOUT_FILENO || fd == STDERR_FILENO;
}

static bool makes_file(int flags)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
}

/* Is it to be as on a file system that knows no files without a name? */
static bool is_refused(int flags)
{
	return (flags & O_TMPFILE) == O_TMPFILE && getenv("FAULT_NAMED");
}

static mode_t mode_of(int flags, va_list args)
{
	return makes_file(flags) ? (mode_t)va_arg(args, int) : 0;
}

/* clang-format off */
#define OPEN(name)                                                     \
	int name(const char *path, int flags, ...)                     \
	{                                                              \
		va_list args;                                          \
		va_start(args, flags);                                 \
		mode_t mode = mode_of(flags, args);                    \
		va_end(args);                                          \
		if (is_refused(flags)) {                               \
			errno = EOPNOTSUPP;                            \
			return -1;                                     \
		}                                                      \
		if (makes_file(flags) && fails('o'))                   \
			return -1;                                     \
		return NEXT(name)(path, flags, mode);                  \
	}
#define WRITE(name, parameters, arguments)                             \
	ssize_t name parameters                                        \
	{                                                              \
		if (!is_standard(fd) && fails('w'))                    \
			return -1;                                     \
		return NEXT(name) arguments;                           \
	}
#define CALL(name, letter, parameters, arguments)                      \
	int name parameters                                            \
	{                                                              \
		return fails(letter) ? -1 : NEXT(name) arguments;      \
	}
/* clang-format on */

/* It gives the error back and leaves errno alone. */
int posix_fallocate64(int fd, off64_t from, off64_t n)
{
	return fails('a') ? ENOSPC : NEXT(posix_fallocate64)(fd, from, n);
}

OPEN(open)
OPEN(open64)
WRITE(write, (int fd, const void *p, size_t n), (fd, p, n))
WRITE(pwrite, (int fd, const void *p, size_t n, off_t to), (fd, p, n, to))
WRITE(pwrite64, (int fd, const void *p, size_t n, off64_t to), (fd, p, n, to))
WRITE(sendfile, (int fd, int from, off_t *pos, size_t n), (fd, from, pos, n))
WRITE(sendfile64, (int fd, int from, off64_t *pos, size_t n), (fd, from, pos, n))
CALL(ftruncate, 't', (int fd, off_t n), (fd, n))
CALL(ftruncate64, 't', (int fd, off64_t n), (fd, n))
CALL(fsync, 's', (int fd), (fd))
CALL(fdatasync, 's', (int fd), (fd))
CALL(sync_file_range, 's', (int fd, off64_t from, off64_t n, unsigned flags),
     (fd, from, n, flags))
CALL(rename, 'm', (const char *from, const char *to), (from, to))
CALL(unlink, 'u', (const char *path), (path))
CALL(unlinkat, 'u', (int fd, const char *path, int flags), (fd, path, flags))
