/* The files that arrays of spill.h lie in: they have no name, and all their blocks. */
#ifndef PTOOL_BASE_SPILL_FILE_H
#define PTOOL_BASE_SPILL_FILE_H

#include <stddef.h>

/*
 * An empty one in the prefix's folder; -1 with errno set.  On a file system that knows
 * no such files its name is <prefix><eight digits> for a moment.
 */
int spill_file_open(const char *prefix);
/* Blocks for all of `bytes`; it has `from` so far: 0, or the errno. */
int spill_file_grow(int fd, size_t from, size_t bytes);
/* From the file's beginning on: 0, or the errno. */
int spill_file_write(int fd, const char *p, size_t n);

#endif
