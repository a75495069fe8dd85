/*
 * Stores that are damaged or made by somebody else, for fuzz targets that read them:
 * a SQLite file; or "SQL:" and statements that tamper with the small store; or edits of
 * its bytes, each 2 bytes of place, 1 of length, and those.
 */
#ifndef PTOOL_TESTS_DAMAGED_STORE_H
#define PTOOL_TESTS_DAMAGED_STORE_H

#include <stdint.h>

#include "base/table.h"
#include "query/scope.h"

/* What was read, as a number. */
struct gist {
	uint64_t hash;
};

/* Takes what a function that opens a table gave; there is one when rc is 0. */
void gist_table(struct gist *g, int rc, struct table *t, struct err *err);
void gist_failure(struct gist *g, const struct err *err);

/*
 * The scope is all runs; NULL when it cannot be loaded.  `chance` is the store's own:
 * what not every input need try.
 */
typedef void damaged_store_fn(struct gist *g, struct store *store,
			      const struct scope *scope, uint64_t chance);

/*
 * The store `base` after these statements, of which those that fail do nothing; the
 * caller frees bytes.p, which nobody else has.
 */
struct bytes damaged_store_by_sql(struct bytes base, const char *sql);

/*
 * Reads the store that the input says: it gives rows or says what is wrong, the same
 * each time, and is not changed; else the program ends.
 */
void damaged_store_read(const uint8_t *data, size_t size, damaged_store_fn *read);

#endif
