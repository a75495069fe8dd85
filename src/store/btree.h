/*
 * Rows behind the last one of a table, as pages of SQLite's file: what SQLite would
 * write when it is given them one after the other, at the speed of copying
 * (sqlite.org/fileformat2.html, sections 1.3, 1.5 and 1.6).  Leaf pages are filled
 * and laid out as SQLite's are; only their places in the file, and how many children
 * an interior page has, differ.
 *
 * Everything but such rows is SQLite's: the schema, other tables, indexes, deleting.
 * A file may be written by both in turns.  While it is open here no connection may be
 * in a transaction, and those that are open must lock it again, which is when they see
 * that it changed: PRAGMA locking_mode = NORMAL.
 */
#ifndef PTOOL_STORE_BTREE_H
#define PTOOL_STORE_BTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* A database file that pages are put behind. */
struct btree_file {
	int fd;              /* the caller's */
	uint32_t page_bytes; /* 512 to 65536 */
	uint32_t usable;     /* of those, less what is reserved */
	uint32_t npages, change_counter;
	/* Pages at the end of the file that are not written yet. */
	uint8_t *pending; /* owned */
	uint32_t pending_first, npending;
};

/*
 * 1, or 0 where only SQLite can add to the file: it is in write-ahead mode, has free
 * pages to use again, moves pages (auto_vacuum), or is of an old format; -1 with err
 * set when it cannot be read.  Nothing is to be closed but after 1.
 */
int btree_file_open(struct btree_file *f, int fd, struct err *err);
/* Writes what is pending, and the header: now the pages are part of the file. */
int btree_file_close(struct btree_file *f, struct err *err);
/* Without: the file is what it was, but longer.  Accepts a zeroed one. */
void btree_file_drop(struct btree_file *f);

/* A page of a b-tree's level, as the level above has it. */
struct btree_child {
	uint32_t page;
	int64_t last; /* the largest rowid below it */
};

#define BTREE_DEPTH_MAX 20 /* levels: as in SQLite */

/* A table that rows are added to. */
struct btree {
	struct btree_file *file; /* borrowed */
	uint32_t root;
	int64_t last; /* the newest rowid */
	/* Interior levels, from the one above the leaves. */
	struct btree_level {
		uint32_t page; /* its rightmost page, which is filled up; 0: none yet */
		struct btree_child *children; /* owned */
		size_t n, cap;
	} levels[BTREE_DEPTH_MAX];
	size_t nlevels;
	uint8_t *leaf;            /* owned: the page that is being filled */
	uint32_t leaf_page;       /* its place; 0: none yet */
	uint32_t ncells, content; /* of it: cells, and where their bytes begin */
};

/*
 * `root` as sqlite_schema has it; the table is one with rowids.  1, or 0 where the
 * tree is none that this can add to; -1 with err set.
 */
int btree_begin(struct btree *t, struct btree_file *f, uint32_t root, struct err *err);
/* A record (record.h) whose rowid is larger than all before.  0, or -1 with err set. */
int btree_add(struct btree *t, int64_t rowid, struct str record, struct err *err);
/* Writes the last pages and those above.  0, or -1 with err set. */
int btree_end(struct btree *t, struct err *err);
/* Frees; at any time after btree_begin(). */
void btree_release(struct btree *t);

#endif
