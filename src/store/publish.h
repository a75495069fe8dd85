/*
 * Writing a store, all or nothing.  It is built as <path>.tmp.<digits> and renamed
 * over the path when it is whole and on the disk, so that a crash at any moment
 * leaves the old store or the new one, and a reader that has the old one open
 * goes on reading it.  Writers take turns by <path>.lock; what a killed one
 * leaves behind the next one clears.
 */
#ifndef PTOOL_STORE_PUBLISH_H
#define PTOOL_STORE_PUBLISH_H

#include <stdbool.h>

#include "base/err.h"

struct sqlite3;
struct publish;

/*
 * Begins a new store for the path (of a symbolic link: for what it points to),
 * as a copy of the old one with `keep_old`, else empty.  Waits while another
 * process writes; Ctrl-C with a handler ends the wait with ERR_INTERRUPT.
 *
 * ERR_USAGE: something that is not a ptool store is there, and stays.
 * ERR_INPUT: `keep_old`, and the old one is not one that store_open() takes.
 * ERR_IO: the directory cannot be written, the disk is full.
 *
 * *out is NULL on failure, else ended by publish_commit() or publish_abort().
 */
int publish_begin(const char *path, bool keep_old, struct publish **out, struct err *err);

/* Whether to keep the old store, decided once this writer has the lock. */
struct publish_keep {
	bool (*decide)(const char *path, void *to); /* NULL: `always` says it */
	void *to;
	bool always;
	/*
	 * Told before there is a file that does not outlive this writer: the lock is
	 * this writer's as long as the temporary is there.  NULL: nobody.  -1 with err
	 * set gives up.
	 */
	int (*made)(const char *temporary, const char *lock, void *to, struct err *err);
	/* The bytes of a whole store will come, into publish_fd(): there is no publish_db(). */
	bool is_bytes;
	bool is_new; /* ERR_USAGE where something is there once this writer has the lock */
};
int publish_begin_keep(const char *path, const struct publish_keep *keep,
		       struct publish **out, struct err *err);

/*
 * The new store, to be written; borrowed.  No journal: after an error there is
 * no ROLLBACK, only publish_abort().  PRAGMA page_size can still be set while it
 * is empty: application_id and user_version come with the commit.
 */
struct sqlite3 *publish_db(struct publish *p);
/* Its file, at its beginning; borrowed.  With is_bytes the caller sees to it that it is a store. */
int publish_fd(const struct publish *p);
/*
 * Its path, borrowed until the end.  Files called like it with digits behind the name
 * are cleared with it when the writer has died.
 */
const char *publish_temp_path(const struct publish *p);

/*
 * Commits an open transaction, makes the file durable and puts it in the place
 * of the old one, whose mode it takes.  Statements must be finalized.  Frees p;
 * on failure as publish_abort() does, but that a folder which cannot be synced fails
 * when the new store is in place; the message says so.
 */
int publish_commit(struct publish *p, struct err *err);
/* Leaves the old store as it was.  Accepts NULL. */
void publish_abort(struct publish *p);

/* Clears what killed writers left beside the path, unless somebody writes it now. */
void publish_clear_leftovers(const char *path);

#endif
