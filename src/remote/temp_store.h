/* The temporary store that fetch.h fills, row by row.  Inside remote/ only. */
#ifndef PTOOL_REMOTE_TEMP_STORE_H
#define PTOOL_REMOTE_TEMP_STORE_H

#include <stdint.h>

#include "base/err.h"
#include "base/intern.h"
#include "remote/list.h"
#include "remote/rowbinary.h"
#include "remote/tables.h"

struct sqlite3;
struct sqlite3_stmt;

struct temp_store {
	struct sqlite3 *db;          /* owned; in a transaction */
	struct intern texts;         /* the rows of `string` */
	struct sqlite3_stmt *insert; /* owned: of the table of the last row */
	const struct remote_table *table;
};

/* A new one, with its tables; temp_store_close() in both cases. */
int temp_store_create(const char *path, struct temp_store *out, struct err *err);
/* One that was closed, to add to. */
int temp_store_reopen(const char *path, struct temp_store *out, struct err *err);
/* Commits and closes; 0, or -1 with err set.  temp_store_close() after it does nothing. */
int temp_store_finish(struct temp_store *t, struct err *err);
void temp_store_close(struct temp_store *t);

/* The run and the profile, whose ids these are. */
int temp_store_add_run(struct temp_store *t, int64_t id, const char *name,
		       struct err *err);
struct temp_profile {
	int64_t id, run_id, first_slice_id, first_op_detail_id;
};
int temp_store_add_profile(struct temp_store *t, const struct remote_table *table,
			   const struct temp_profile *ids,
			   const struct rowbinary_cell *cells, struct err *err);

/* What a row's references count from. */
struct temp_bases {
	int64_t profile_id, first_slice_id;
	const struct remote_tables *tables;
	const int64_t *first_ids; /* of the profile's rows, by table; 0: none came yet */
	/* Merged rows: the step of that number, in place of one by its place; or NULL. */
	int64_t (*step_of)(void *from, int64_t number);
	void *from;
};
/* Begins a table; its rows follow. */
int temp_store_begin_table(struct temp_store *t, const struct remote_table *table,
			   struct err *err);
int temp_store_add_row(struct temp_store *t, const struct temp_bases *bases,
		       const struct rowbinary_cell *cells, struct err *err);
/* Of a summary: where the profile's rows are, and the rules by which they were made. */
struct temp_part {
	int64_t profile_id, first_id, nrows;
	int rules;
};
int temp_store_add_part(struct temp_store *t, const struct remote_table *table,
			const struct temp_part *part, struct err *err);

#endif
