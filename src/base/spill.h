/*
 * Large arrays that together stay within a limit of memory.  Small ones are on the
 * heap; larger ones are mappings, which grow without a copy; and once their sum
 * comes near the limit, those that want more move to files, whose pages leave
 * memory when too many of them are in it: when an array grows, and when a pass over
 * arrays calls spill_tick().  Whoever uses an array need not know where it lies.
 *
 * A file lies beside what is being built, where the space must be anyway, not in
 * $TMPDIR, which may be memory itself.  It has no name, or where the file system
 * knows no such files none beyond the moment of its making, and its blocks are there before they are mapped: a full disk is an error,
 * never a signal.
 *
 * All functions take a NULL spill, which is the heap without a limit, and all but
 * spill_close() may be called by several threads at once.  Out of memory ends the
 * program (alloc.h).
 */
#ifndef PTOOL_BASE_SPILL_H
#define PTOOL_BASE_SPILL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct spill;

/*
 * For arrays of up to `limit` bytes in memory.  Files lie in the prefix's folder;
 * where they must have a name it is <prefix><eight digits>, and they are unlinked at
 * once.  The prefix is copied.
 */
struct spill *spill_open(uint64_t limit, const char *prefix);
/* Frees what is left of the arrays, too. */
void spill_close(struct spill *s);

/* count * size bytes of 0, checked for overflow; the caller gives them to spill_free(). */
void *spill_alloc(struct spill *s, size_t count, size_t size);
/*
 * Also takes what is on the heap (xmalloc() and the like).  Accepts NULL.
 */
void spill_free(struct spill *s, void *p);

/* What spill_grow() does when there is too little room. */
void *spill_grow_more(struct spill *s, void *p, size_t *cap, size_t need, size_t size);

/*
 * Grow the array `p` of `*cap` elements so that it holds at least `need`, as
 * xgrow() does: the moved array.  What is new in it is unspecified.
 */
static inline void *spill_grow(struct spill *s, void *p, size_t *cap, size_t need,
			       size_t size)
{
	return need <= *cap ? p : spill_grow_more(s, p, cap, need, size);
}

/*
 * 0, or -1 with err set (ERR_IO): a file could not be made or grown.  From then on
 * arrays grow in memory, as if there were no limit, so that whoever fills them comes
 * to a place where the error can be told; to be asked now and then.
 */
int spill_check(struct spill *s, struct err *err);

/*
 * Takes pages of files out of memory when there are too many.  They come back when
 * they are touched.
 */
void spill_pass(struct spill *s);

/* Each element of a pass may lie in a page of its own. */
#define SPILL_TICK 1024

/* For every pass over arrays: at element i. */
static inline void spill_tick(struct spill *s, size_t i)
{
	if (s && i % SPILL_TICK == 0)
		spill_pass(s);
}

/* An empty file where those of arrays lie, for the caller to close(); -1 with errno set. */
int spill_file(const struct spill *s);

/* Bytes of all arrays that lie in files. */
uint64_t spill_in_files(struct spill *s);

#endif
