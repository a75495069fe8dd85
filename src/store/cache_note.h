/*
 * A text next to a store of the cache: what each command that reads the store has to say,
 * such as what was left out of it.  It is bound to the file that was there when it was
 * written: a store that has taken its place since has no note.
 */
#ifndef PTOOL_STORE_CACHE_NOTE_H
#define PTOOL_STORE_CACHE_NOTE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* Follows the path of the store. */
#define CACHE_NOTE_SUFFIX ".note"

/* false: it cannot be written, or the store is gone. */
bool cache_note_write(const char *store, struct str text);
/* Adds it to `out`; false: the store has none. */
bool cache_note_read(const char *store, struct buf *out);
void cache_note_remove(const char *store);

#endif
