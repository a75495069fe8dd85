/*
 * Names shortened to a width.  Those that differ only in what was cut would read the same:
 * each of these gets a word back that tells it from its likes,
 * "elementwise_kernel<AddFunctor>...float", or the folders that were in front of it.
 */
#ifndef PTOOL_BASE_APART_H
#define PTOOL_BASE_APART_H

#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

/* Adds a text in at most so many terminal cells. */
typedef void apart_shorten_fn(struct buf *out, struct str text, size_t cells);

/*
 * Sets texts[i] to whole[i] in at most `cells` terminal cells, in the arena.  NULL:
 * utf8_add_shortened().
 */
void apart_shorten(const struct str *whole, size_t n, size_t cells, apart_shorten_fn *by,
		   struct arena *arena, struct str *texts);

#endif
