/* What the machine offers to this process. */
#ifndef PTOOL_BASE_MACHINE_H
#define PTOOL_BASE_MACHINE_H

#include <stdint.h>

/* Bytes of memory, or what a control group around the process leaves of them. */
uint64_t machine_memory(void);

/*
 * The least limit that the groups of /proc/self/cgroup set, of version 1 and 2;
 * UINT64_MAX: none.  `list` is that file's text, `root` where the groups are mounted:
 * "/sys/fs/cgroup".
 */
uint64_t machine_group_limit(const char *list, const char *root);

#endif
