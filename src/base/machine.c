/* Memory of the machine and of control groups (cgroups(7)): see machine.h. */
#include "base/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"

#define LIST_MAX 16384

/* The number in a file; UINT64_MAX: there is none, or it says "max". */
static uint64_t read_number(const char *path)
{
	unsigned long long number;
	FILE *in = fopen(path, "re");

	if (!in)
		return UINT64_MAX;
	int n = fscanf(in, "%llu", &number);
	fclose(in);
	return n == 1 ? number : UINT64_MAX;
}

/*
 * The least limit of a group and those around it.  In a container the path may be
 * the host's, of which only the end is to be seen: then its root is what counts.
 */
static uint64_t least_around(const char *root, struct str group, const char *file)
{
	uint64_t least = UINT64_MAX;

	for (;;) {
		char *path = xasprintf("%s" STR_FMT "/%s", root, STR_ARG(group), file);
		uint64_t number = read_number(path);
		free(path);
		if (number < least)
			least = number;
		if (group.n == 0)
			return least;
		do
			group.n--;
		while (group.n && group.p[group.n] != '/');
	}
}

/* A line is "4:cpu,memory:/path", of version 2 "0::/path". */
static uint64_t limit_of_line(struct str line, const char *root)
{
	const char *controllers = memchr(line.p, ':', line.n);
	const char *end = line.p + line.n;

	if (!controllers)
		return UINT64_MAX;
	controllers++;
	const char *path = memchr(controllers, ':', (size_t)(end - controllers));
	if (!path)
		return UINT64_MAX;
	struct str names = { controllers, (size_t)(path - controllers) };
	struct str group = { path + 1, (size_t)(end - path) - 1 };
	if (names.n == 0)
		return least_around(root, group, "memory.max");
	if (!memmem(names.p, names.n, "memory", 6))
		return UINT64_MAX;
	char *mount = xasprintf("%s/memory", root);
	uint64_t least = least_around(mount, group, "memory.limit_in_bytes");
	free(mount);
	return least;
}

uint64_t machine_group_limit(const char *list, const char *root)
{
	uint64_t least = UINT64_MAX;

	while (*list) {
		struct str line = { list, strcspn(list, "\n") };
		uint64_t limit = limit_of_line(line, root);
		if (limit < least)
			least = limit;
		list += line.n + (list[line.n] != '\0');
	}
	return least;
}

uint64_t machine_memory(void)
{
	uint64_t all =
		(uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	FILE *in = fopen("/proc/self/cgroup", "re");

	if (!in)
		return all;
	char *list = xmalloc(LIST_MAX);
	list[fread(list, 1, LIST_MAX - 1, in)] = '\0';
	fclose(in);
	uint64_t limit = machine_group_limit(list, "/sys/fs/cgroup");
	free(list);
	return limit < all ? limit : all;
}
