/* Pages of files in memory, from proc(5): see resident.h. */
#include "base/resident.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* UINT64_MAX: unknown. */
static uint64_t file_pages(const struct resident *r)
{
	char text[128];
	uint64_t shared;
	ssize_t n = r->fd < 0 ? -1 : pread(r->fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return UINT64_MAX;
	text[n] = '\0'; /* size, resident, shared, ... */
	return sscanf(text, "%*u %*u %" SCNu64, &shared) == 1 ? shared : UINT64_MAX;
}

void resident_begin(struct resident *r)
{
	r->fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	r->base_pages = file_pages(r);
}

void resident_end(struct resident *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}

uint64_t resident_bytes(const struct resident *r)
{
	uint64_t pages = file_pages(r);

	if (pages == UINT64_MAX || r->base_pages == UINT64_MAX)
		return UINT64_MAX;
	return pages < r->base_pages
		       ? 0
		       : (pages - r->base_pages) * (uint64_t)sysconf(_SC_PAGESIZE);
}

void resident_short_turns(uint64_t ns)
{
	/* struct sched_attr, whose header cannot stand beside pthread.h everywhere */
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime_ns, deadline_ns, period_ns;
	} attr = { .size = sizeof(attr), .runtime_ns = ns };

	syscall(SYS_sched_setattr, 0, &attr, 0);
}
