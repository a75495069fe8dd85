/*
 * Texts of the store as small numbers, with room for texts of one's own: what is
 * grouped by texts needs.  Each is read when it is first met, so that a command
 * pays for the names it meets and not for all there are.
 */
#ifndef PTOOL_QUERY_TEXT_POOL_H
#define PTOOL_QUERY_TEXT_POOL_H

#include <stdint.h>

#include "base/err.h"
#include "base/idmap.h"
#include "base/intern.h"
#include "base/table.h"
#include "store/store.h"
#include "trace/fact.h"

struct sqlite3_stmt;

struct text_pool {
	struct sqlite3_stmt *stmt;
	struct intern intern; /* open to who makes texts of his own */
	uint32_t *numbers;    /* by string.id: number + 1; 0: not read yet */
	struct idmap longs;   /* of long texts: address to number */
	int64_t max_id;
	/* Owned: what kinds of device work names are, once for all profiles (device_work.c). */
	uint8_t *work_kinds;
	size_t work_kinds_cap;
};

/* The largest string.id; ERR_INPUT when the store is too small to have so many. */
int text_pool_max_id(struct store *store, int64_t *max_id, struct err *err);

/* text_pool_close() in both cases, before the store is closed. */
int text_pool_open(struct store *store, struct text_pool *out, struct err *err);
/* Accepts a zeroed one. */
void text_pool_close(struct text_pool *t);
/* The number of string.id; TEXT_NONE for id 0, which is how SQLite reads NULL. */
int text_pool_number(struct text_pool *t, int64_t id, uint32_t *number, struct err *err);
/* The number of the text in a column of the row that stmt stands on; else TEXT_NONE. */
uint32_t text_pool_column(struct text_pool *t, struct sqlite3_stmt *stmt, int column);
/* The text of a number, empty for TEXT_NONE; lives as long as the pool. */
struct str text_pool_str(const struct text_pool *t, uint32_t number);
/* The same for a table: NULL for TEXT_NONE. */
struct cell text_pool_cell(const struct text_pool *t, uint32_t number);
/* Its copy of the text, which may be of anywhere. */
struct str text_pool_keep(struct text_pool *t, struct str text);
/* The number that text_pool_cell() had; the bytes of a long text are not looked at. */
uint32_t text_pool_number_of(struct text_pool *t, struct cell cell);

#endif
