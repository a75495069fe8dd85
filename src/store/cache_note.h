/*
 * A text beside a store of the cache: what is to be told each time that it is read, such as
 * what was left out of it.  It belongs to the one file that lay there when it was written: a
 * store that took its place since has none.
 */
#ifndef PTOOL_STORE_CACHE_NOTE_H
#define PTOOL_STORE_CACHE_NOTE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* Behind the path of the store. */
#define CACHE_NOTE_SUFFIX ".note"

/* false: it cannot be written, or the store is gone. */
bool cache_note_write(const char *store, struct str text);
/* Adds it to `out`; false: the store has none. */
bool cache_note_read(const char *store, struct buf *out);
void cache_note_remove(const char *store);

#endif
