/*
 * Allocation that cannot fail: out of memory prints one line and exits 5.
 * Sizes that come from input are checked against what is left of it before
 * they get here.
 */
#ifndef PTOOL_BASE_ALLOC_H
#define PTOOL_BASE_ALLOC_H

#include <stddef.h>
#include <stdio.h>

/* What the others do then; returns to nobody. */
__attribute__((noreturn)) void *xdie_of_memory(void);
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
/* count * size, checked for overflow. */
void *xrealloc_array(void *old, size_t count, size_t size);
/* A NUL-terminated copy of the first n bytes; the caller frees it. */
char *xstrndup(const char *text, size_t n);
char *xstrdup(const char *text);
/* printf into new memory; the caller frees it. */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * A stream into memory, which fclose() ends.  *text is NUL-terminated and the caller's to
 * free; it is all there, *n bytes, once the stream is flushed or closed.
 */
FILE *xopen_memory(char **text, size_t *n);

/*
 * Grow the array `p` of `*cap` elements so that it holds at least `need`:
 * doubles, so that appending is linear.  Returns the moved array.
 */
void *xgrow(void *p, size_t *cap, size_t need, size_t size);
/* The same, and what is new is 0. */
void *xgrow_zeroed(void *p, size_t *cap, size_t need, size_t size);

#endif
