/*
 * Files next to one that is written: where that is, whatever links lead there, and names
 * for what stands beside it until it is whole.
 */
#ifndef PTOOL_BASE_BESIDE_H
#define PTOOL_BASE_BESIDE_H

#include <stddef.h>

/*
 * The file at the end of a chain of symbolic links, there or not; the caller frees it.
 * NULL with errno set: they have no end.
 */
char *beside_target(const char *path);

/*
 * The path with the suffix behind it, and room for so many bytes more; the caller frees it.
 * A file may have a name that is as long as names can be: then the end of it gives way to a
 * hash of all of it.
 */
char *beside_name(const char *path, const char *suffix, size_t room);

/* The part of a path behind its last slash. */
const char *beside_base(const char *path);
/* The part before, with its last slash, "" for the working directory; the caller frees it. */
char *beside_folder(const char *path);

#endif
