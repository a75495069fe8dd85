/*
 * A library to be preloaded: it counts the calls by which a program changes the
 * file system, and lets the one go wrong that it is told to.
 *
 *   FAULT_LOG=FILE   one letter a call goes there: o create, w write, t truncate,
 *                    a allocate, s sync, m rename (move), u unlink, c change of mode
 *                    or times
 *   FAULT_AT=N       at the Nth call, counted from 1, ...
 *   FAULT=kill       ... the process is killed, before the call is made
 *   FAULT=interrupt  ... the process gets a SIGINT, before the call is made
 *   FAULT=stop       ... the process is stopped, before the call is made
 *   FAULT=full       ... and from then on, whatever takes space fails with ENOSPC
 *
 *   FAULT=fail       ... one call fails with FAULT_ERRNO (a number; EIO):
 *   FAULT_CALL=NAME  the Nth call of this function alone: malloc (calloc, realloc), read
 *                    (pread), write, fsync, rename, link, unlink, mmap, flock, close
 *   FAULT_FILE=PART  of read, write and close: files alone whose path has this part
 *   FAULT=shrink     ... the Nth file that is mapped to be read is cut behind its first page
 *   FAULT_STRUCK=FILE  is made when a call of FAULT_CALL fails
 *   FAULT_COUNT=FILE the number of calls of FAULT_CALL goes there at the end
 *   FAULT_STACKS=FILE  of each call of FAULT_CALL=malloc a line goes there: a number that
 *                    its call stack alone has, while addresses stay (setarch -R)
 *   FAULT_STACK=NUMBER instead of FAULT_AT: the first call with that stack
 *   FAULT_SHOW=1     that stack goes to standard error
 *
 *   FAULT_PID=N      the process has this number, as another one in another container may
 *   FAULT_SECONDS=1  files have times of whole seconds, as on some file systems
 *   FAULT_FOLDER=DIR the other folders are on a file system that may only be read
 *   FAULT_NAMED=1    no file can be made without a name (O_TMPFILE)
 *
 * Writes to standard output and error are not counted; those of a stream of fdopen() are, and
 * its close().
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* The function that this library stands in front of. */
#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static long at, calls;
static bool is_set_up;
static int strikes; /* the signal, or 0 */
static int log_fd = -1;

/* Of FAULT_CALL: "" asks for none.  The counter is shared by all threads. */
static const char *counted;
static long counted_calls;
static int fault_errno = EIO;
static bool is_failing, is_shrinking;

#define PAGE_BYTES 4096

/* Of the stacks of malloc(): backtrace() itself asks for memory. */
#define FRAMES 48
static int stacks_fd = -1;
static uint64_t wanted_stack;
static bool is_struck;
static _Thread_local bool is_unwinding;

static void set_up_counting(void)
{
	const char *name = getenv("FAULT_CALL"), *what = getenv("FAULT");
	const char *number = getenv("FAULT_ERRNO"), *nth = getenv("FAULT_AT");

	is_failing = what && strcmp(what, "fail") == 0 && nth;
	is_shrinking = what && strcmp(what, "shrink") == 0 && nth;
	at = nth ? atol(nth) : 0;
	if (number)
		fault_errno = atoi(number);
	const char *stacks = getenv("FAULT_STACKS"), *stack = getenv("FAULT_STACK");
	if (stacks)
		stacks_fd = NEXT(open)(stacks, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
				       0600);
	if (stack)
		wanted_stack = strtoull(stack, NULL, 10);
	counted = name ? name : "";
}

static uint64_t stack_number(void)
{
	void *frames[FRAMES];
	uint64_t number = 1469598103934665603U; /* FNV-1a */

	is_unwinding = true;
	int n = backtrace(frames, FRAMES);
	is_unwinding = false;
	for (int i = 0; i < n; i++)
		number = (number ^ (uintptr_t)frames[i]) * 1099511628211U;
	return number;
}

static void show_stack(void)
{
	void *frames[FRAMES];

	is_unwinding = true;
	backtrace_symbols_fd(frames, backtrace(frames, FRAMES), STDERR_FILENO);
	is_unwinding = false;
}

/* Of a call of malloc(): notes its stack, or says whether it is the wanted one. */
static bool has_wanted_stack(void)
{
	char line[24];

	if ((stacks_fd < 0 && (!wanted_stack || is_struck)) || is_unwinding)
		return false;
	uint64_t number = stack_number();
	int n = snprintf(line, sizeof(line), "%llu\n", (unsigned long long)number);
	if (stacks_fd >= 0 && NEXT(write)(stacks_fd, line, (size_t)n) != n)
		abort();
	if (number != wanted_stack)
		return false;
	is_struck = true;
	if (getenv("FAULT_SHOW"))
		show_stack();
	return true;
}

/* By no function of the C library: the one that is to fail may be in it. */
static void tell_strike(void)
{
	const char *path = getenv("FAULT_STRUCK");
	long fd =
		path ? syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT, 0600) : -1;

	if (fd >= 0)
		syscall(SYS_close, fd);
}

/* True when this call of the function is to fail; errno is then set. */
static bool strikes_at(const char *name)
{
	if (!counted)
		set_up_counting();
	if (strcmp(counted, name) != 0)
		return false;
	if (is_unwinding)
		return false;
	long nth = __atomic_add_fetch(&counted_calls, 1, __ATOMIC_RELAXED);
	bool is_wanted = strcmp(name, "malloc") == 0 && has_wanted_stack();
	if (!is_wanted && (!is_failing || nth != at))
		return false;
	tell_strike();
	errno = strcmp(name, "malloc") == 0 ? ENOMEM : fault_errno;
	return true;
}

__attribute__((destructor)) static void tell_count(void)
{
	const char *path = getenv("FAULT_COUNT");
	char digits[24];
	int fd = path ? NEXT(open)(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

	if (fd < 0)
		return;
	int n = snprintf(digits, sizeof(digits), "%ld", counted_calls);
	if (NEXT(write)(fd, digits, (size_t)n) != n)
		abort();
}

static void set_up(void)
{
	const char *number = getenv("FAULT_AT"), *log = getenv("FAULT_LOG");
	const char *what = getenv("FAULT");

	is_set_up = true;
	at = number ? atol(number) : 0;
	if (what && strcmp(what, "kill") == 0)
		strikes = SIGKILL;
	if (what && strcmp(what, "interrupt") == 0)
		strikes = SIGINT;
	if (what && strcmp(what, "stop") == 0)
		strikes = SIGSTOP;
	if (log)
		log_fd = NEXT(open)(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

/* True when this call is to fail; errno is then set. */
static bool fails(char letter)
{
	if (!counted)
		set_up_counting();
	if (*counted)
		return letter == 'w'   ? strikes_at("write")
		       : letter == 's' ? strikes_at("fsync")
		       : letter == 'm' ? strikes_at("rename")
		       : letter == 'u' ? strikes_at("unlink")
				       : false;
	if (!is_set_up)
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

/* The name, or "" where the file is none of those whose calls may fail. */
static const char *if_wanted(const char *name, int fd)
{
	const char *part = getenv("FAULT_FILE");
	char link[64], path[4096];

	if (!part)
		return name;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	return strstr(path, part) ? name : "";
}

static bool is_standard(int fd)
{
	return fd == STDOUT_FILENO || fd == STDERR_FILENO;
}

static bool write_fails(int fd)
{
	return !is_standard(fd) && *if_wanted("write", fd) && fails('w');
}

static bool makes_file(int flags)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
}

/* Is it to be as on a file system that knows no files without a name, or may only be read? */
static int refusal(const char *path, int flags)
{
	const char *only = getenv("FAULT_FOLDER");

	if ((flags & O_TMPFILE) == O_TMPFILE && getenv("FAULT_NAMED"))
		return EOPNOTSUPP;
	if (only && *path == '/' && strncmp(path, only, strlen(only)) != 0)
		return EROFS;
	return 0;
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
		int why = makes_file(flags) ? refusal(path, flags) : 0; \
		if (why) {                                             \
			errno = why;                                   \
			return -1;                                     \
		}                                                      \
		if (makes_file(flags) && fails('o'))                   \
			return -1;                                     \
		return NEXT(name)(path, flags, mode);                  \
	}
#define WRITE(name, parameters, arguments)                             \
	ssize_t name parameters                                        \
	{                                                              \
		if (write_fails(fd))                                   \
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
CALL(fchmod, 'c', (int fd, mode_t mode), (fd, mode))
CALL(utimensat, 'c', (int fd, const char *path, const struct timespec *times, int flags),
     (fd, path, times, flags))
CALL(rename, 'm', (const char *from, const char *to), (from, to))
CALL(unlink, 'u', (const char *path), (path))
CALL(unlinkat, 'u', (int fd, const char *path, int flags), (fd, path, flags))

/* Those below are counted for FAULT_CALL alone. */
#define COUNTED(type, name, what, failure, parameters, arguments)         \
	type name parameters                                              \
	{                                                                 \
		return strikes_at(what) ? failure : NEXT(name) arguments; \
	}
COUNTED(ssize_t, read, if_wanted("read", fd), -1, (int fd, void *p, size_t n), (fd, p, n))
COUNTED(ssize_t, pread, if_wanted("read", fd), -1,
	(int fd, void *p, size_t n, off_t from), (fd, p, n, from))
COUNTED(ssize_t, pread64, if_wanted("read", fd), -1,
	(int fd, void *p, size_t n, off64_t from), (fd, p, n, from))
COUNTED(int, link, "link", -1, (const char *from, const char *to), (from, to))
COUNTED(int, linkat, "link", -1,
	(int fd, const char *from, int into, const char *to, int flags),
	(fd, from, into, to, flags))
COUNTED(int, flock, "flock", -1, (int fd, int how), (fd, how))

pid_t getpid(void)
{
	const char *number = getenv("FAULT_PID");

	return number ? (pid_t)atol(number) : NEXT(getpid)();
}

/* clang-format off */
#define STAT(name, parameters, arguments)                        \
	int name parameters                                      \
	{                                                        \
		int rc = NEXT(name) arguments;                   \
		if (rc == 0 && getenv("FAULT_SECONDS"))          \
			st->st_mtim.tv_nsec = st->st_ctim.tv_nsec = 0; \
		return rc;                                       \
	}
/* clang-format on */
STAT(stat64, (const char *path, struct stat64 *st), (path, st))
STAT(fstatat64, (int fd, const char *path, struct stat64 *st, int flags),
     (fd, path, st, flags))

/* As when another program writes a shorter file over this one. */
static void *shrunk_at(void *mapped, int prot, int flags, int fd)
{
	char path[40];

	if (!is_shrinking || mapped == MAP_FAILED || fd < 0 || prot != PROT_READ ||
	    flags != MAP_SHARED ||
	    __atomic_add_fetch(&counted_calls, 1, __ATOMIC_RELAXED) != at)
		return mapped;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (truncate(path, PAGE_BYTES) < 0)
		abort();
	return mapped;
}

/* clang-format off */
#define MMAP(name, offset)                                                             \
	void *name(void *p, size_t n, int prot, int flags, int fd, offset from)        \
	{                                                                              \
		if (strikes_at("mmap"))                                                \
			return MAP_FAILED;                                             \
		return shrunk_at(NEXT(name)(p, n, prot, flags, fd, from), prot, flags, \
				 fd);                                                  \
	}
/* clang-format on */
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

/* The file is closed, as by the kernel. */
int close(int fd)
{
	bool is_struck = strikes_at(if_wanted("close", fd));
	int rc = NEXT(close)(fd);

	if (is_struck) {
		errno = fault_errno;
		return -1;
	}
	return rc;
}

/*
 * glibc writes and closes streams by calls of its own, which no library stands in front of:
 * a stream of fdopen() is made of the calls above.
 */
#define STREAMS 64
static FILE *streams[STREAMS]; /* by fd */

static int fd_of(void *cookie)
{
	return (int)(intptr_t)cookie;
}

static ssize_t write_stream(void *cookie, const char *bytes, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t wrote = write(fd_of(cookie), bytes + done, n - done);
		if (wrote <= 0)
			break;
		done += (size_t)wrote;
	}
	return (ssize_t)done;
}

static int close_stream(void *cookie)
{
	streams[fd_of(cookie)] = NULL;
	return close(fd_of(cookie));
}

FILE *fdopen(int fd, const char *mode)
{
	const cookie_io_functions_t calls_above = { .write = write_stream,
						    .close = close_stream };

	if (*mode != 'w' || fd < 0 || fd >= STREAMS)
		return NEXT(fdopen)(fd, mode);
	return streams[fd] = fopencookie((void *)(intptr_t)fd, mode, calls_above);
}

/* glibc's own says that such a stream has no file. */
int fileno(FILE *stream)
{
	for (int fd = 0; fd < STREAMS; fd++)
		if (streams[fd] == stream)
			return fd;
	return NEXT(fileno)(stream);
}

/* dlsym() itself asks for memory, so glibc's own names are called; not under ASan. */
#ifndef WITHOUT_MALLOC
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t n);

void *malloc(size_t n)
{
	return strikes_at("malloc") ? NULL : __libc_malloc(n);
}

void *calloc(size_t count, size_t size)
{
	return strikes_at("malloc") ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t n)
{
	return strikes_at("malloc") ? NULL : __libc_realloc(old, n);
}
#endif
