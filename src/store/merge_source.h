/*
 * A store whose rows are read into another (merge_copy.h): opened, and asked which rows it has
 * of what is wanted.  That takes most of the time of a small store and needs nothing of the
 * others, so threads do it ahead (merge_ahead.h).
 */
#ifndef PTOOL_STORE_MERGE_SOURCE_H
#define PTOOL_STORE_MERGE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/merge_tables.h"

struct fetch_need;
struct sqlite3_stmt;
struct store;

/* What is read of each store. */
struct merge_wish {
	const struct merge_tables *tables; /* borrowed */
	/* borrowed; NULL: everything; else slices are left out, and what is not needed */
	const struct fetch_need *need;
	const char *only_run; /* borrowed: of stores of several runs, this one; or NULL */
	bool adds_up_ops;     /* rows of op_stat are not copied one by one */
};

/* Rows of one table. */
struct merge_rows {
	int64_t n;
	int64_t least, most;       /* ids of all of them in the store; 0: it has none */
	int64_t last;              /* the largest of the run */
	bool renumbers;            /* rows are left out: ids are given anew */
	struct sqlite3_stmt *stmt; /* the n rows; NULL where there is none */
};

struct merge_source {
	struct store *store; /* NULL: it cannot be opened, as err says */
	struct err err;      /* of asking it, if its kind is not ERR_NONE */
	struct merge_rows rows[MERGE_TABLES_MAX]; /* by place in the tables */
	int64_t run;                              /* id of the one that is copied */
	int64_t ntexts; /* the largest id of one, and with slices their number */
	struct sqlite3_stmt *text; /* of the id ?1 */
};

/* Any thread; `bytes` is the store's size.  merge_source_close() in any case. */
void merge_source_open(const struct merge_wish *wish, const char *path, int64_t bytes,
		       struct merge_source *out);
/* Accepts one that is closed. */
void merge_source_close(struct merge_source *source);
/* Pure: are rows of the table in what is made? */
bool merge_wants(const struct merge_wish *wish, const struct merge_table *table);
/* Pure: and are they added up, not copied? */
bool merge_adds_up(const struct merge_wish *wish, const struct merge_table *table);

#endif
