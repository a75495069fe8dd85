/*
 * Which tables of a store are pushed, and as what columns: made from schema.sql, so that
 * a column which is added there is pushed, fetched and in the DDL without a word here.
 *
 * A row in the database belongs to a push (run_id, push_id) and has the place `seq` among
 * its push's.  Texts stand in place of their ids.  What refers to a row of the same
 * profile has that row's place; of a step its number too.
 */
#ifndef PTOOL_REMOTE_TABLES_H
#define PTOOL_REMOTE_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "remote/rowbinary.h"

enum remote_role {
	ROLE_VALUE,  /* as it is */
	ROLE_SEQ,    /* the row's place: its id less that of the profile's first row */
	ROLE_TEXT,   /* of `string`, by its id */
	ROLE_ROW,    /* an id of the table `of`, less that of the profile's first one */
	ROLE_NUMBER, /* of the step that the ROLE_ROW before it names; never stored */
};

struct remote_column {
	const char *name;   /* in the database */
	const char *column; /* in the store */
	const char *of;     /* of ROLE_ROW: the table; else NULL */
	const char *of_key; /*   and the name of its id */
	enum remote_role role;
	struct rowbinary_type type;
	bool is_bytes; /* a BLOB */
	int place;     /* in the store's table, from 0 */
};

struct remote_table {
	const char *name; /* in both */
	const char *key;  /* its id: "id", "upid" */
	struct remote_column *columns;
	size_t n;
	bool is_part;   /* a summary (base/part_rows.h), which not every profile has */
	bool has_index; /* by which a profile's rows are found */
};

struct remote_tables {
	struct remote_table profile; /* without the ids that a store gives */
	struct remote_table *items;  /* what a row refers to comes before it */
	size_t n;
	/* `slice`, of slice_row: for SQL there alone (push --slices), never brought back. */
	struct remote_table slices;
	struct arena arena; /* owns all of it */
};

/* remote_tables_release() in both cases. */
int remote_tables_load(struct remote_tables *out, struct err *err);
void remote_tables_release(struct remote_tables *tables);
/* Its place in items; n when it is not pushed. */
size_t remote_table_find(const struct remote_tables *tables, const char *name);
/* "name, kind, ..." */
void remote_columns_list(const struct remote_table *table, struct buf *to);
/* INSERT INTO table (first, its columns) */
void remote_insert_into(const struct remote_table *table, const char *first,
			struct buf *sql);

#endif
