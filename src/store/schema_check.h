/* The schema that ptool writes: is that of a database the same? */
#ifndef PTOOL_STORE_SCHEMA_CHECK_H
#define PTOOL_STORE_SCHEMA_CHECK_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

struct sqlite3;

/*
 * ERR_INPUT names the first thing that is missing, changed or not ptool's: a
 * trigger, a virtual table, a view, a table that is not STRICT.  Reads the
 * schema alone, whatever the size of the database.
 */
int schema_check(struct sqlite3 *db, struct err *err);
/* The same for the CREATE statements of another schema, with a NUL behind them. */
int schema_check_as(struct sqlite3 *db, struct str schema, struct err *err);

/* Runs the statements of schema.sql that make tables, or the others: indexes and views. */
int schema_make(struct sqlite3 *db, bool of_tables, struct err *err);

#endif
