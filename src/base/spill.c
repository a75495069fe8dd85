/*
 * Arrays in memory or in files: see spill.h.
 *
 * A shared mapping's pages may be taken from the process at any time, whoever reads
 * or writes them: they are in the page cache, which the kernel writes back and
 * reclaims as it likes, and come back when they are touched.
 */
#include "base/spill.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/beside.h"

/* The files that arrays of spill.h lie in: they have no name, and all their blocks. */

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

/*
 * An empty one in the prefix's folder; -1 with errno set.  On a file system that knows
 * no such files its name is <prefix><eight digits> for a moment.
 */
static int spill_file_open(const char *prefix)
{
	char *folder = beside_folder(prefix);
	int fd = open(*folder ? folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	free(folder);
	return fd >= 0 ? fd : open_named(prefix);
}

/* Blocks for all of `bytes`; it has `from` so far: 0, or the errno. */
static int spill_file_grow(int fd, size_t from, size_t bytes)
{
	int why;

	do
		why = posix_fallocate(fd, (off_t)from, (off_t)(bytes - from));
	while (why == EINTR);
	return why;
}

/* From the file's beginning on: 0, or the errno. */
static int spill_file_write(int fd, const char *p, size_t n)
{
	for (size_t at = 0; at < n;) {
		ssize_t wrote = pwrite(fd, p + at, n - at, (off_t)at);
		if (wrote < 0 && errno != EINTR)
			return errno;
		at += wrote < 0 ? 0 : (size_t)wrote;
	}
	return 0;
}

/* Arrays below this are on the heap, uncounted: there are only so many of them. */
#define MAPPED_MIN ((size_t)64 * 1024)

/* From this size on arrays grow by a quarter, which costs no copy; they double below. */
#define LARGE_MIN ((size_t)1 << 20)

/* From this size on memory may come in pages of 2 MiB, as far as it is touched. */
#define HUGE_MIN  ((size_t)2 << 20)
#define HUGE_PAGE ((size_t)2 << 20)

/*
 * A large array has room for so many times as much behind it: addresses, no memory.  An
 * array that moves has the other threads wait, for each of their processors is told so.
 */
#define ROOM_TIMES 8

/*
 * Pages of files that may be in memory however low the limit is: with less, what is
 * read in no order comes and goes for ever.
 */
#define ROOM_MIN ((uint64_t)16 << 20)

/* An array: first the part that a file holds, then the part that is in memory. */
struct area {
	char *p;
	size_t file_bytes, bytes; /* of the first part, of both; whole pages */
	size_t room;              /* from p on that is its own: `bytes` or more */
	int fd;                   /* -1: none */
};

struct spill {
	pthread_mutex_t lock;
	uint64_t limit, in_memory, in_files;
	size_t page;
	bool has_room; /* addresses without memory cost nothing */
	struct area *areas;
	size_t nareas, areas_cap;
	char *prefix;
	int why;            /* errno of the first failure, or 0 */
	int statm;          /* /proc/self/statm from the first file on, or -1 */
	uint64_t own_pages; /* of files, mapped before: the program and its libraries */
};

/* Do addresses without memory cost nothing? */
static bool has_addresses(void)
{
	struct rlimit space;
	int fd = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
	char mode = '2'; /* never more than there is */

	if (fd >= 0 && read(fd, &mode, 1) != 1)
		mode = '2';
	if (fd >= 0)
		close(fd);
	return mode != '2' && getrlimit(RLIMIT_AS, &space) == 0 &&
	       space.rlim_cur == RLIM_INFINITY;
}

struct spill *spill_open(uint64_t limit, const char *prefix)
{
	struct spill *s = xcalloc(1, sizeof(*s));

	pthread_mutex_init(&s->lock, NULL);
	s->limit = limit;
	s->page = (size_t)sysconf(_SC_PAGESIZE);
	s->has_room = has_addresses();
	s->prefix = xstrdup(prefix);
	s->statm = -1;
	return s;
}

int spill_file(const struct spill *s)
{
	return spill_file_open(s->prefix);
}

/* Pages of files that this process has mapped and in memory; UINT64_MAX: unknown. */
static uint64_t file_pages(const struct spill *s)
{
	char text[128];
	uint64_t shared;
	ssize_t n = s->statm < 0 ? -1 : pread(s->statm, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return UINT64_MAX;
	text[n] = '\0'; /* size, resident, shared, ...: proc(5) */
	return sscanf(text, "%*u %*u %" SCNu64, &shared) == 1 ? shared : UINT64_MAX;
}

static void begin_counting(struct spill *s)
{
	s->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	s->own_pages = file_pages(s);
}

/* Of arrays; UINT64_MAX: unknown. */
static uint64_t resident_bytes(const struct spill *s)
{
	uint64_t pages = file_pages(s);

	if (pages == UINT64_MAX || s->own_pages == UINT64_MAX)
		return UINT64_MAX;
	return pages < s->own_pages ? 0 : (pages - s->own_pages) * s->page;
}

/* Under the lock, so that no area moves meanwhile. */
static void drop_pages(const struct spill *s)
{
	uint64_t room = s->limit > s->in_memory ? s->limit - s->in_memory : 0;

	if (s->in_files == 0)
		return;
	if (room < ROOM_MIN)
		room = ROOM_MIN;
	/* Half of it: the other half is for what comes until the next look. */
	if (resident_bytes(s) <= room / 2)
		return;
	for (size_t i = 0; i < s->nareas; i++)
		if (s->areas[i].file_bytes)
			madvise(s->areas[i].p, s->areas[i].file_bytes, MADV_DONTNEED);
}

void spill_pass(struct spill *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	drop_pages(s);
	pthread_mutex_unlock(&s->lock);
}

static void release_area(struct spill *s, struct area *area)
{
	munmap(area->p, area->room);
	if (area->fd >= 0)
		close(area->fd);
	s->in_files -= area->file_bytes;
	s->in_memory -= area->bytes - area->file_bytes;
	*area = s->areas[--s->nareas];
}

void spill_close(struct spill *s)
{
	if (!s)
		return;
	while (s->nareas)
		release_area(s, &s->areas[s->nareas - 1]);
	if (s->statm >= 0)
		close(s->statm);
	pthread_mutex_destroy(&s->lock);
	free(s->areas);
	free(s->prefix);
	free(s);
}

static struct area *find(const struct spill *s, const void *p)
{
	for (size_t i = 0; i < s->nareas; i++)
		if (s->areas[i].p == p)
			return &s->areas[i];
	return NULL;
}

static char *mapped(void *p)
{
	if (p == MAP_FAILED)
		xdie_of_memory();
	return p;
}

/* All of the area to its file, which grows, and is made when there is none: 0, or errno. */
static int move_to_file(struct spill *s, struct area *area, size_t bytes)
{
	int fd = area->fd >= 0 ? area->fd : spill_file_open(s->prefix);
	int why = fd < 0 ? errno : spill_file_grow(fd, area->file_bytes, bytes);

	if (why == 0 && area->fd < 0)
		why = spill_file_write(fd, area->p, area->bytes);
	char *p = why ? MAP_FAILED
		      : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		why = why ? why : errno;
		if (fd >= 0 && area->fd < 0)
			close(fd);
		return why;
	}
	if (s->statm < 0)
		begin_counting(s);
	if (area->room)
		munmap(area->p, area->room);
	s->in_files += bytes - area->file_bytes;
	s->in_memory -= area->bytes - area->file_bytes;
	*area = (struct area){
		.p = p, .file_bytes = bytes, .bytes = bytes, .room = bytes, .fd = fd
	};
	return 0;
}

/* How far p is before a place where a page of 2 MiB may begin. */
static size_t before_place(const char *p)
{
	return -(uintptr_t)p % HUGE_PAGE;
}

static char *map_memory(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* Large ones begin at such a place, so that such pages move with them undivided. */
static char *map_place(size_t room)
{
	if (room < HUGE_MIN)
		return map_memory(room);
	char *p = map_memory(room + HUGE_PAGE);
	if (p == MAP_FAILED)
		return p;
	size_t before = before_place(p);
	if (before)
		munmap(p, before);
	munmap(p + before + room, HUGE_PAGE - before);
	return p + before;
}

/* Pages with what is free behind them: they stay one mapping, as mremap() asks for. */
static void move_pages(char *from, size_t bytes, char *to, size_t room)
{
	if (bytes)
		mapped(mremap(from, bytes, room, MREMAP_MAYMOVE | MREMAP_FIXED, to));
}

/* To a place with room for at least so many. */
static void move_area(const struct spill *s, struct area *area, size_t bytes)
{
	size_t in_file = area->file_bytes;
	size_t room = s->has_room && bytes >= HUGE_MIN ? bytes * ROOM_TIMES : bytes;
	char *p = map_place(room);

	if (p == MAP_FAILED)
		p = mapped(map_place(room = bytes));
	if (area->p) {
		move_pages(area->p, in_file, p, in_file);
		move_pages(area->p + in_file, area->room - in_file, p + in_file,
			   room - in_file);
	}
	/* a hint: without it pages come by 4 KiB, each with a fault */
	if (bytes - in_file >= HUGE_MIN)
		madvise(p + in_file, room - in_file, MADV_HUGEPAGE);
	area->p = p;
	area->room = room;
}

/* Grows in memory, behind what a file may hold of it. */
static void grow_in_memory(struct spill *s, struct area *area, size_t bytes)
{
	if (area->room < bytes)
		move_area(s, area, bytes);
	s->in_memory += bytes - area->bytes;
	area->bytes = bytes;
}

static size_t rounded(size_t bytes, size_t page)
{
	return (bytes + page - 1) & ~(page - 1);
}

/*
 * In memory up to three quarters of the limit, the last one is for pages of files.
 * What lies in a file stays there; when one cannot grow, all else is in memory.
 */
static void grow_area(struct spill *s, struct area *area, size_t bytes)
{
	bytes = rounded(bytes, s->page);
	bool is_over = s->in_memory + (bytes - area->bytes) > s->limit - s->limit / 4;

	if (s->why == 0 && (area->fd >= 0 || is_over)) {
		s->why = move_to_file(s, area, bytes);
		drop_pages(s);
	}
	if (area->bytes < bytes)
		grow_in_memory(s, area,
			       bytes < HUGE_MIN ? bytes : rounded(bytes, HUGE_PAGE));
}

static struct area *new_area(struct spill *s, size_t bytes)
{
	struct area *area = ARRAY_PUSH(s->areas, s->nareas, s->areas_cap);
	*area = (struct area){ .fd = -1 };
	grow_area(s, area, bytes);
	return area;
}

void *spill_alloc(struct spill *s, size_t count, size_t size)
{
	if (!s || !size || count < MAPPED_MIN / size)
		return xcalloc(count, size);
	if (count > (SIZE_MAX - MAPPED_MIN) / size)
		xdie_of_memory();
	pthread_mutex_lock(&s->lock);
	char *p = new_area(s, count * size)->p;
	pthread_mutex_unlock(&s->lock);
	return p;
}

void spill_free(struct spill *s, void *p)
{
	struct area *area = NULL;

	if (s) {
		pthread_mutex_lock(&s->lock);
		area = find(s, p);
		if (area)
			release_area(s, area);
		pthread_mutex_unlock(&s->lock);
	}
	if (!area)
		free(p);
}

/* Elements for at least `need`: twice as many as now, of large arrays a quarter more. */
static size_t more(size_t cap, size_t need, size_t size)
{
	size_t n = cap * size < LARGE_MIN ? 2 * cap : cap + cap / 4;

	return n > need ? n : need;
}

void *spill_grow_more(struct spill *s, void *p, size_t *cap, size_t need, size_t size)
{
	size_t old_bytes = *cap * size;

	if (!s || need < MAPPED_MIN / 2 / size)
		return xgrow(p, cap, need, size);
	if (need > SIZE_MAX / 4 / size)
		xdie_of_memory();
	size_t n = more(*cap, need, size);
	pthread_mutex_lock(&s->lock);
	struct area *area = p ? find(s, p) : NULL;
	bool is_on_heap = !area;
	if (area)
		grow_area(s, area, n * size);
	else
		area = new_area(s, n * size);
	char *grown = area->p;
	*cap = area->bytes / size;
	pthread_mutex_unlock(&s->lock);
	if (is_on_heap) {
		assert(grown);
		if (p)
			memcpy(grown, p, old_bytes);
		free(p);
	}
	return grown;
}

int spill_check(struct spill *s, struct err *err)
{
	if (!s)
		return 0;
	pthread_mutex_lock(&s->lock);
	int why = s->why;
	pthread_mutex_unlock(&s->lock);
	if (why == 0)
		return 0;
	return err_set(err, ERR_IO, "cannot write a temporary file beside it: %s",
		       strerror(why));
}

uint64_t spill_in_files(struct spill *s)
{
	if (!s)
		return 0;
	pthread_mutex_lock(&s->lock);
	uint64_t bytes = s->in_files;
	pthread_mutex_unlock(&s->lock);
	return bytes;
}
