/*
 * Bump allocator: many small things with one lifetime and one free.
 * Zeroed is empty: `struct arena a = { 0 };` and arena_release(&a).
 */
#ifndef PTOOL_BASE_ARENA_H
#define PTOOL_BASE_ARENA_H

#include <stddef.h>

#include "base/str.h"

struct arena_block;
struct spill;

struct arena {
	struct arena_block *blocks; /* owned */
	char *at, *end;             /* free room in the newest block */
	struct spill *spill; /* borrowed: where blocks come from, instead of the heap */
	size_t total;        /* bytes of all blocks */
};

/* Aligned for any type; never NULL; lives until arena_release. */
void *arena_alloc(struct arena *a, size_t size);
/* A copy of the text with a NUL behind it (not counted in n). */
struct str arena_copy(struct arena *a, struct str text);
char *arena_strdup(struct arena *a, const char *text);
char *arena_printf(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void arena_release(struct arena *a);

#endif
