/*
 * Do the pages of a database form trees?  Of pages that refer to each other in circles
 * SQLite deletes, copies and adds up rows without end.
 */
#ifndef PTOOL_STORE_TREE_CHECK_H
#define PTOOL_STORE_TREE_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct sqlite3;

/*
 * Of the file of `db`, which has no changes that SQLite still holds back.  ERR_INPUT names the page where something is wrong: one that is referred to twice, that
 * does not exist, whose cells are larger than it is, whose row ids do not ascend, or that
 * lies deeper than SQLite goes.  Reads each page in use at most once.
 */
int tree_check(struct sqlite3 *db, struct err *err);
/* The same for a thread that others end: ERR_INTERRUPT once *is_over is true. */
int tree_check_until(struct sqlite3 *db, const atomic_bool *is_over, struct err *err);
/*
 * The same of all that is read or written when a profile is added and nothing is deleted,
 * in time that does not depend on how many slices there are.  Of the tables that grow with
 * events the leaves are only counted, from the pages above: none may be referred to twice
 * or be missing, nor lie in another tree; what is in them, and the chains of pages that
 * hang on them, is not read.  A file with free pages is looked at whole, like tree_check().
 */
int tree_check_for_adding(struct sqlite3 *db, struct err *err);

/* The pages at which tables and indexes begin. */
struct tree_roots {
	struct tree_root {
		int64_t page;
		bool is_added_to; /* a table that a new profile is put behind */
	} * items;                /* owned */
	size_t n;
};

/* tree_roots_release() in both cases. */
int tree_roots_read(struct sqlite3 *db, struct tree_roots *out, struct err *err);
/* Accepts a zeroed one. */
void tree_roots_release(struct tree_roots *r);
/*
 * tree_check() of roots that were read before: runs no SQL, and so may be called within a
 * query, from SQLite's progress handler.
 */
int tree_check_roots(struct sqlite3 *db, const struct tree_roots *roots, struct err *err);

#endif
