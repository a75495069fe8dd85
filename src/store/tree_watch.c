/* Pages are looked at while a statement runs: see tree_watch.h. */
#include "store/tree_watch.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/workers.h"
#include "store/sql.h"
#include "store/tree_check.h"

/* Then it has cost more than the look at as many pages as it has read. */
#define WAIT_NS 500000000L

struct tree_watch {
	struct workers workers;
	struct sqlite3 *db; /* borrowed: where the statement runs */
	char *path;         /* owned */
	atomic_bool is_over;
	bool is_damaged; /* with the mutex, as err */
	struct err err;
};

/*
 * On a connection of its own, as two threads may not use one.  That is a reader like the
 * other, which holds its lock: nobody writes meanwhile.
 */
static int look(const char *path, const atomic_bool *is_over, struct err *err)
{
	char *uri = sql_uri(path, "mode=ro&immutable=0");
	int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
	struct sqlite3 *db = NULL;
	int rc = 0;

	if (sqlite3_open_v2(uri, &db, flags, NULL) == SQLITE_OK) {
		sql_harden(db);
		rc = tree_check_until(db, is_over, err);
	}
	sqlite3_close_v2(db);
	free(uri);
	return rc;
}

static void *run(void *to)
{
	struct tree_watch *w = to;
	struct err err = ERR_INIT;

	workers_lock(&w->workers);
	if (!w->workers.is_stopping)
		workers_wait_ns(&w->workers, WAIT_NS);
	workers_unlock(&w->workers);
	if (atomic_load(&w->is_over))
		return NULL;
	/* what cannot be read or has no memory is not damaged */
	bool is_damaged = look(w->path, &w->is_over, &err) < 0 && err.kind == ERR_INPUT;
	workers_lock(&w->workers);
	if (is_damaged && !w->workers.is_stopping) {
		w->is_damaged = true;
		w->err = err;
		sqlite3_interrupt(w->db);
	}
	workers_unlock(&w->workers);
	return NULL;
}

struct tree_watch *tree_watch_start(struct sqlite3 *db)
{
	const char *path = sqlite3_db_filename(db, "main");

	if (!path || !*path)
		return NULL;
	struct tree_watch *w = xcalloc(1, sizeof(*w));
	w->db = db;
	w->path = xstrdup(path);
	workers_init(&w->workers);
	if (workers_start(&w->workers, 1, run, w) == 1)
		return w;
	tree_watch_end(w);
	return NULL;
}

bool tree_watch_found(struct tree_watch *w, struct err *err)
{
	if (!w)
		return false;
	workers_lock(&w->workers);
	bool is_damaged = w->is_damaged;
	if (is_damaged)
		*err = w->err;
	workers_unlock(&w->workers);
	return is_damaged;
}

void tree_watch_end(struct tree_watch *w)
{
	if (!w)
		return;
	atomic_store(&w->is_over, true);
	workers_release(&w->workers);
	free(w->path);
	free(w);
}
