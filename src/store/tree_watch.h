/*
 * Looks at the pages of a store in a thread, while a statement that may never end runs on
 * it: in pages that refer to each other in circles SQLite finds rows without end, and
 * count(*) of them looks at no clock.  Quick statements end before it begins.
 */
#ifndef PTOOL_STORE_TREE_WATCH_H
#define PTOOL_STORE_TREE_WATCH_H

#include <stdbool.h>

#include "base/err.h"

struct sqlite3;
struct tree_watch;

/*
 * From half a second from now on; where the pages form no trees, what runs on `db` ends
 * with SQLITE_INTERRUPT.  `db`, borrowed, must live until tree_watch_end().  NULL: there is
 * no file to look at, or no thread.
 */
struct tree_watch *tree_watch_start(struct sqlite3 *db);
/* Is the store damaged, as far as it is known?  Then err says where.  Accepts NULL. */
bool tree_watch_found(struct tree_watch *w, struct err *err);
/* Does not wait for the rest of the pages.  Accepts NULL. */
void tree_watch_end(struct tree_watch *w);

#endif
