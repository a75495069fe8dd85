/*
 * Many rows into a table at once, through a virtual table and one
 * INSERT ... SELECT NULL, ...: twice as fast as binding and stepping, and the
 * ids that SQLite gives count on from the largest one.
 */
#ifndef PTOOL_STORE_BULK_H
#define PTOOL_STORE_BULK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct sqlite3;
struct sqlite3_context;

struct bulk {
	const char *table;
	int ncolumns;  /* of the table, without its id */
	bool gives_id; /* the id is column 0 of them, and not the next free one */
	/* Gives one cell by a bulk_ function below, or nothing for NULL. */
	void (*cell)(const void *from, int64_t row, int column,
		     struct sqlite3_context *to);
};

/* 0, or -1 with err set. */
int bulk_insert(struct sqlite3 *db, const struct bulk *bulk, const void *from,
		int64_t nrows, struct err *err);

void bulk_int(struct sqlite3_context *to, int64_t value);
/* NUMBER_NONE is NULL. */
void bulk_number(struct sqlite3_context *to, int64_t value);
void bulk_real(struct sqlite3_context *to, double value);
/* Borrowed until the row is written. */
void bulk_text(struct sqlite3_context *to, struct str text);
/* Copied. */
void bulk_blob_copy(struct sqlite3_context *to, struct str bytes);

#endif
