/*
 * The rows of a profile into a store that is being built (publish.h).
 */
#ifndef PTOOL_STORE_WRITE_H
#define PTOOL_STORE_WRITE_H

#include "base/err.h"
#include "base/intern.h"
#include "store/load.h"
#include "store/model.h"

struct sqlite3;

/* Makes the tables of schema.sql and the rows that every store has. */
int write_schema(struct sqlite3 *db, struct err *err);
/* The same without indexes and views, which schema_make() adds behind the rows. */
int write_tables(struct sqlite3 *db, struct err *err);
/*
 * The texts of the store into an empty table, in the order of their ids: a text's
 * id is its number + 1.
 */
int write_load_texts(struct sqlite3 *db, struct intern *texts, struct err *err);
/* Those behind the first `known` into the store. */
int write_texts(struct sqlite3 *db, const struct intern *texts, size_t known,
		const struct limits *limits, struct err *err);
/* A new run: its id. */
int write_run(struct sqlite3 *db, const char *name, int64_t *id, struct err *err);
/* Deletes a run and all that belongs to it; 0 also when there is none. */
int write_remove_run(struct sqlite3 *db, const char *name, struct err *err);
/* The same of several, which are there, each once. */
int write_remove_runs(struct sqlite3 *db, const char *const *names, size_t n,
		      struct err *err);

/* What is to be known of a profile, which is settled, before all its rows can be written. */
struct write_found;
/* Looks at its health and sums up; borrows the model.  write_found_free accepts NULL. */
struct write_found *write_find(struct model *m);
void write_found_free(struct write_found *found);
/* The profile and everything in it; found may be NULL: then it is found out meanwhile. */
int write_model(struct model *m, struct write_found *found, struct sqlite3 *db,
		const struct load_source *source, struct load_result *result,
		struct err *err);

#endif
