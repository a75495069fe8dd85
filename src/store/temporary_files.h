/*
 * The files without a name in which SQLite sorts, and what they may take together: a query
 * may sort rows without end.
 */
#ifndef PTOOL_STORE_TEMPORARY_FILES_H
#define PTOOL_STORE_TEMPORARY_FILES_H

#include <stdbool.h>
#include <stdint.h>

struct temporary_files;

/* Of one connection, for sqlite3_open_v2(); no limit holds yet. */
struct temporary_files *temporary_files_new(void);
const char *temporary_files_vfs(const struct temporary_files *t);
/*
 * Those that are opened from now on may take so many bytes at a time; what needs more ends
 * with SQLITE_FULL.
 */
void temporary_files_limit(struct temporary_files *t, int64_t bytes);
/* Did the limit end a statement? */
bool temporary_files_are_full(const struct temporary_files *t);
/* After the connection is closed.  Accepts NULL. */
void temporary_files_free(struct temporary_files *t);

#endif
