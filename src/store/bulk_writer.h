/*
 * Rows of bulk.h into the tables of a store that is being built: many as pages
 * (btree.h), few through SQLite, and all through SQLite where pages cannot be put
 * behind the file.  What is in the store is the same.
 */
#ifndef PTOOL_STORE_BULK_WRITER_H
#define PTOOL_STORE_BULK_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/btree.h"
#include "store/bulk_team.h"

struct sqlite3;

/* Where tables begin, of a database in which none comes or goes and none gets an index. */
#define BULK_PLACES_MAX 64
struct bulk_places {
	struct bulk_place {
		const char *table; /* static, or lives as long */
		int64_t root;      /* 0: it has none */
		int64_t has_index;
	} items[BULK_PLACES_MAX];
	size_t n;
};

struct bulk_writer {
	struct sqlite3 *db; /* borrowed; in a transaction but while pages are written */
	const void *from;   /* of rows that SQLite takes; borrowed */
	struct bulk_team *team; /* makes those of pages; borrowed */
	int64_t page_rows; /* a table with so many rows or more is written as pages */
	struct bulk_places *places; /* borrowed: of several writers; or NULL */
	/* private */
	int fd; /* -1: not opened */
	bool is_file_open, only_sql;
	struct btree_file file;
};

/* The connection is in a transaction, and is the only one that writes. */
struct bulk_writer bulk_writer(struct sqlite3 *db, const void *from,
			       struct bulk_team *team, int64_t page_rows);
/* As bulk_insert(). */
int bulk_write(struct bulk_writer *w, const struct bulk *bulk, int64_t nrows,
	       struct err *err);
/* Behind the last: the connection is in a transaction again.  Also after a failure. */
int bulk_writer_end(struct bulk_writer *w, struct err *err);

#endif
