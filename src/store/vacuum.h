/* A database without its free pages: of a store that is being written. */
#ifndef PTOOL_STORE_VACUUM_H
#define PTOOL_STORE_VACUUM_H

#include "base/err.h"

struct sqlite3;

/*
 * SQLite copies the database into a temporary file and back; the file, which has no name, is
 * in the database's folder, as all that ptool writes for a store.  No other thread may
 * have a database open.  0, or -1 with err set.
 */
int vacuum(struct sqlite3 *db, struct err *err);

#endif
