/*
 * The writer's SQL, from statements.sql: found by name, so that no SQL stands
 * in C strings.
 */
#ifndef PTOOL_STORE_STATEMENTS_H
#define PTOOL_STORE_STATEMENTS_H

#include "base/err.h"

struct sqlite3;
struct sqlite3_stmt;

/* The statement of that name, which must exist; the caller finalizes *out. */
int statement_prepare(struct sqlite3 *db, const char *name, struct sqlite3_stmt **out,
		      struct err *err);
/* Runs the statement of that name, :run bound. */
int statement_run(struct sqlite3 *db, const char *name, const char *run, struct err *err);
/* Runs every statement whose name begins so, :run bound, in the file's order. */
int statements_run(struct sqlite3 *db, const char *prefix, const char *run,
		   struct err *err);

#endif
