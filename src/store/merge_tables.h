/*
 * The tables of the schema, as who copies rows from one store into another sees them:
 * which columns are ids, and of what.  What the schema declares by REFERENCES is read from
 * it, so that a new table is copied as it is declared.
 */
#ifndef PTOOL_STORE_MERGE_TABLES_H
#define PTOOL_STORE_MERGE_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct sqlite3;

#define MERGE_TABLES_MAX  64
#define MERGE_COLUMNS_MAX 64

enum merge_kind {
	MERGE_PLAIN,        /* as it is */
	MERGE_NUMBER,       /* an integer, never NULL */
	MERGE_TEXT,         /* id of a text */
	MERGE_ID,           /* id of a row of `table` */
	MERGE_PACKED_TEXTS, /* such ids in a blob, a number each */
	MERGE_PACKED_IDS,   /* and as differences (ptool-store(5), PACKED SLICES) */
	MERGE_PART_ID       /* of a row of the table that the column before names */
};

struct merge_column {
	enum merge_kind kind;
	unsigned table; /* of ids: its place */
	bool is_optional;
};

struct merge_table {
	const char *name, *columns; /* "id, a, b" */
	int ncolumns;
	struct merge_column column[MERGE_COLUMNS_MAX];
	bool has_id;    /* the first column is its key; else the first two are */
	bool is_slices; /* slice_table_is() */
	bool is_part;   /* of summaries (*_part), or the list of what these have */
	bool is_kept;   /* not copied: each store has its own */
};

struct merge_tables {
	struct merge_table table[MERGE_TABLES_MAX];
	unsigned n;
	unsigned run, profile;
	struct arena arena; /* owns the names */
};

/* Of a database that has the tables of the schema; merge_tables_release() frees, always. */
int merge_tables_read(struct sqlite3 *db, struct merge_tables *out, struct err *err);
void merge_tables_release(struct merge_tables *tables);

#endif
