/* The runs that a store holds already: see import.h. */
#include <sqlite3.h>

#include "store/import.h"
#include "store/importing.h"
#include "store/publish.h"
#include "store/sql.h"
#include "store/store.h"
#include "store/write.h"

struct run_count {
	int64_t all, named; /* in the store; of this name */
};

static int count_runs(const char *path, const char *name, struct run_count *runs,
		      struct err *err)
{
	static const char text[] =
		"SELECT count(*), coalesce(sum(name = :run), 0) FROM run";
	struct store *store;
	struct sqlite3_stmt *stmt;

	*runs = (struct run_count){ 0, 0 };
	if (store_open(path, &store, err) < 0)
		return -1;
	int rc = sql_prepare(store_db(store), text, &stmt, err);
	if (rc == 0) {
		sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
		rc = sql_step(stmt, err) < 0 ? -1 : 0;
		*runs = (struct run_count){ sqlite3_column_int64(stmt, 0),
					    sqlite3_column_int64(stmt, 1) };
		sqlite3_finalize(stmt);
	}
	store_close(store);
	return rc;
}

bool import_has_other_runs(const char *store, const char *run)
{
	struct err ignored = ERR_INIT; /* publishing opens it again, and tells */
	struct run_count runs;

	return count_runs(store, run, &runs, &ignored) < 0 || runs.all > runs.named;
}

static int tell_unfinished(const char *temporary, const char *lock, void *to,
			   struct err *err)
{
	const struct import_events *events = to;

	return events->unfinished(events->to, temporary, lock, err);
}

int import_remove(const char *store, const char *run, struct import_events *events,
		  struct err *err)
{
	struct publish_keep keep = { .always = true,
				     .to = events,
				     .made = tell_unfinished };
	struct publish *publish;
	struct run_count runs;

	if (count_runs(store, run, &runs, err) < 0)
		return -1;
	if (runs.named == 0)
		return err_set(err, ERR_EMPTY, "no run '%s'; 'ptool info' lists them",
			       run);
	if (publish_begin_keep(store, &keep, &publish, err) < 0)
		return -1;
	struct sqlite3 *db = publish_db(publish);
	if (sql_exec(db, "BEGIN", err) == 0 && write_remove_run(db, run, err) == 0 &&
	    sql_exec(db, "COMMIT", err) == 0 && sql_exec(db, "VACUUM", err) == 0)
		return publish_commit(publish, err);
	publish_abort(publish);
	return -1;
}
