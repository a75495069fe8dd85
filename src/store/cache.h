/*
 * Where the stores of raw traces are kept that reading commands were given: in
 * $PTOOL_CACHE, else $XDG_CACHE_HOME/ptool, else $HOME/.cache/ptool.  A name is
 * made of the trace's resolved path, its file's identity, size and times, and
 * the program: a trace that changes gets another one, and so it does from a ptool of
 * other sources, which may count differently.  So does a folder, by the files below it.
 *
 * The folder and the stores in it must be the user's own, and nobody else may
 * write to them: a store of somebody else would answer what that one likes.
 */
#ifndef PTOOL_STORE_CACHE_H
#define PTOOL_STORE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"

/* What cache_trim() leaves, by default. */
#define CACHE_MAX_BYTES UINT64_C(10000000000)

struct cache_entry {
	char *path;        /* owned: the store to read, or to publish first */
	char *unused;      /* owned: why a cache that is there is not used, or NULL */
	bool is_ready;     /* it is there, as long as it says, and of this schema */
	bool is_temporary; /* not cached: cache_discard() deletes it and its folder */
	bool is_forgotten; /* cached, but of a part of the files only */
};

/*
 * The place of the trace's store; a ready one is marked as used now.  The cache
 * is made when it is missing; when it cannot be written, or the input is not a
 * regular file or a folder ("-", a pipe), the place is a fresh folder under $TMPDIR.
 * ERR_INPUT: the trace is missing.  cache_discard() ends the entry.
 */
int cache_find(const char *raw_path, struct cache_entry *out, struct err *err);
/*
 * The same of what is made of several files, in their order; `what` tells apart what is made
 * of the same ones.
 */
struct cache_file {
	const char *path;
	struct stat st;
};
int cache_find_many(const char *what, const struct cache_file *files, size_t n,
		    struct cache_entry *out, struct err *err);
/* Is it a store of the cache? */
bool cache_has(const char *path);
/* A ready store that store_open() refuses: it is deleted, and to be made anew. */
void cache_drop_damaged(struct cache_entry *entry);
/* The store is not to be found again: cache_discard() deletes it. */
void cache_forget(struct cache_entry *entry);
/* Deletes a temporary or forgotten store and frees the entry; the cached ones stay. */
void cache_discard(struct cache_entry *entry);

/*
 * Drops the least recently used stores until the others take at most
 * `max_bytes`, but never the last used one, and what killed writers left.
 * Touches no file that cache_find() did not name.
 */
void cache_trim(uint64_t max_bytes);

#endif
