/*
 * Rows of summaries (schema.sql, *_part) into a store that is being built: those of one
 * profile after the other.  Who makes them reads the profiles in the same store.
 */
#ifndef PTOOL_STORE_PARTS_H
#define PTOOL_STORE_PARTS_H

#include "base/intern.h"
#include "base/part_rows.h"

struct sqlite3;

struct parts_writer {
	struct part_sink sink; /* for who makes the rows */
	struct sqlite3 *db;    /* borrowed; in a transaction */
	struct intern *texts;  /* borrowed: all of the store, which texts of rows join */
};

struct parts_writer parts_writer(struct sqlite3 *db, struct intern *texts);

#endif
