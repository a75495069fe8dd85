/* The machine, and what control groups (cgroups(7)) leave of it: see machine.h. */
#include "base/machine.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"

#define LIST_MAX 16384

/* The first two numbers of a file, "max" as UINT64_MAX: how many there are. */
static int read_numbers(const char *folder, const char *file, uint64_t numbers[2])
{
	char *path = xasprintf("%s/%s", folder, file);
	FILE *in = fopen(path, "re");
	int n = 0;

	free(path);
	if (!in)
		return 0;
	for (char word[32]; n < 2 && fscanf(in, "%31s", word) == 1; n++) {
		bool is_number = word[0] >= '0' && word[0] <= '9';
		numbers[n] = is_number ? strtoull(word, NULL, 10) : UINT64_MAX;
	}
	fclose(in);
	return n;
}

static uint64_t read_number(const char *folder, const char *file)
{
	uint64_t numbers[2];

	return read_numbers(folder, file, numbers) ? numbers[0] : UINT64_MAX;
}

/* How many processors a share of each period is, rounded up. */
static uint64_t cores_of(uint64_t quota, uint64_t period)
{
	if (quota == UINT64_MAX || period == 0)
		return UINT64_MAX;
	return quota / period + (quota % period != 0);
}

static uint64_t memory_2(const char *folder)
{
	return read_number(folder, "memory.max");
}

static uint64_t memory_1(const char *folder)
{
	return read_number(folder, "memory.limit_in_bytes");
}

static uint64_t cores_2(const char *folder)
{
	uint64_t numbers[2];

	return read_numbers(folder, "cpu.max", numbers) == 2
		       ? cores_of(numbers[0], numbers[1])
		       : UINT64_MAX;
}

/* A quota of -1 is none: it reads as UINT64_MAX. */
static uint64_t cores_1(const char *folder)
{
	return cores_of(read_number(folder, "cpu.cfs_quota_us"),
			read_number(folder, "cpu.cfs_period_us"));
}

/* What a control group may limit: version 1 has a hierarchy for each controller. */
struct resource {
	const char *controller;
	uint64_t (*limit_1)(const char *folder);
	uint64_t (*limit_2)(const char *folder);
};

static const struct resource memory = { "memory", memory_1, memory_2 };
static const struct resource cores = { "cpu", cores_1, cores_2 };

/*
 * The least limit of a group and those around it.  In a container the path may be
 * the host's, of which only the end is to be seen: then its root is what counts.
 */
static uint64_t least_around(const char *root, struct str group,
			     uint64_t (*limit)(const char *folder))
{
	uint64_t least = UINT64_MAX;

	for (;;) {
		char *folder = xasprintf("%s" STR_FMT, root, STR_ARG(group));
		uint64_t number = limit(folder);
		free(folder);
		if (number < least)
			least = number;
		if (group.n == 0)
			return least;
		do
			group.n--;
		while (group.n && group.p[group.n] != '/');
	}
}

/* Is the controller one of "cpu,cpuacct"? */
static bool names_controller(struct str names, const char *controller)
{
	while (names.n) {
		const char *comma = memchr(names.p, ',', names.n);
		struct str name = { names.p,
				    comma ? (size_t)(comma - names.p) : names.n };
		if (str_equal(name, str_of(controller)))
			return true;
		size_t used = name.n + (comma != NULL);
		names = (struct str){ names.p + used, names.n - used };
	}
	return false;
}

/* A line is "4:cpu,memory:/path", of version 2 "0::/path". */
static uint64_t limit_of_line(struct str line, const struct resource *of,
			      const char *root)
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
		return least_around(root, group, of->limit_2);
	if (!names_controller(names, of->controller))
		return UINT64_MAX;
	char *mount = xasprintf("%s/%s", root, of->controller);
	uint64_t least = least_around(mount, group, of->limit_1);
	free(mount);
	return least;
}

static uint64_t least_of(const struct resource *of, const char *list, const char *root)
{
	uint64_t least = UINT64_MAX;

	while (*list) {
		struct str line = { list, strcspn(list, "\n") };
		uint64_t limit = limit_of_line(line, of, root);
		if (limit < least)
			least = limit;
		list += line.n + (list[line.n] != '\0');
	}
	return least;
}

uint64_t machine_memory_limit(const char *list, const char *root)
{
	return least_of(&memory, list, root);
}

uint64_t machine_cores_limit(const char *list, const char *root)
{
	return least_of(&cores, list, root);
}

static uint64_t least_of_own(const struct resource *of)
{
	FILE *in = fopen("/proc/self/cgroup", "re");

	if (!in)
		return UINT64_MAX;
	char *list = xmalloc(LIST_MAX);
	list[fread(list, 1, LIST_MAX - 1, in)] = '\0';
	fclose(in);
	uint64_t limit = least_of(of, list, "/sys/fs/cgroup");
	free(list);
	return limit;
}

uint64_t machine_memory(void)
{
	uint64_t all =
		(uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t limit = least_of_own(&memory);

	return limit < all ? limit : all;
}

/* Those that the scheduler may use for us; where it has too many to tell, all. */
static uint64_t allowed_cores(void)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		return (uint64_t)CPU_COUNT(&allowed);
	return (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
}

uint64_t machine_cores(void)
{
	uint64_t all = allowed_cores(), limit = least_of_own(&cores);

	return limit < all ? limit : all;
}
