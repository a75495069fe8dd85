/* What the machine offers to this process. */
#ifndef PTOOL_BASE_MACHINE_H
#define PTOOL_BASE_MACHINE_H

#include <stdint.h>

/* Bytes of memory, or what a control group around the process leaves of them. */
uint64_t machine_memory(void);

/*
 * Processors that it may use, at least 1: of its affinity (taskset, Slurm), as many as
 * the quota of a control group around it pays for (containers).
 */
uint64_t machine_cores(void);

/*
 * The least limit that the groups of /proc/self/cgroup set, of version 1 and 2, in
 * bytes and in processors; UINT64_MAX: none.  `list` is that file's text, `root` where
 * the groups are mounted: "/sys/fs/cgroup".
 */
uint64_t machine_memory_limit(const char *list, const char *root);
uint64_t machine_cores_limit(const char *list, const char *root);

#endif
