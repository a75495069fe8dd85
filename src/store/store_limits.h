/*
 * What a query of a stranger may take of a store's connection: files to sort in, and no pages
 * that refer to each other in circles.
 */
#ifndef PTOOL_STORE_STORE_LIMITS_H
#define PTOOL_STORE_STORE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "store/store.h"

/* Of its file, when it was opened; 0: it has none. */
int64_t store_bytes(const struct store *store);
/*
 * Files without a name, where SQLite is told to sort in some (PRAGMA temp_store), may take
 * so many bytes from now on; what needs more ends with SQLITE_FULL, and then
 * store_files_are_full().
 */
void store_limit_files(struct store *store, int64_t bytes);
bool store_files_are_full(const struct store *store);
/*
 * Looks at the store's pages in a thread (tree_watch.h) while statements run that may never
 * end, until store_unwatch().  Where they are damaged, the statement ends and it is true.
 */
void store_watch(struct store *store);
bool store_watch_found(const struct store *store, struct err *err);
void store_unwatch(struct store *store);

#endif
