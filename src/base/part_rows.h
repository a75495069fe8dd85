/*
 * Rows of a summary's table (schema.sql, *_part) on their way from who makes or reads them
 * to who writes, sends or shows them.  A row has a cell for each column of the table, by
 * the enum of scripts/columns.sh: integers, reals, null, and in place of the id of a text
 * the text.  The first two, id and profile_id, are the writer's to set.
 */
#ifndef PTOOL_BASE_PART_ROWS_H
#define PTOOL_BASE_PART_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/table.h"

/* A profile with more rows than this has none: its summary would be no summary. */
#define PART_ROWS_MOST 200000

struct part_table {
	const char *name;    /* "step_part" */
	const char *columns; /* "id, profile_id, device, ..." */
	int ncolumns;        /* at most 64 */
	uint64_t texts;      /* bits of columns that are ids of texts in the store */
	uint64_t blobs;      /* of those that are bytes; here texts, too */
	/*
	 * How its rows are made: one more in each release that makes others of the same slices.
	 * Rows by other rules are made anew.
	 */
	int rules;
};

/* Of a table of schema.sql: its name in large and in small letters. */
#define PART_TABLE_BY(TABLE, table, rules)                                              \
	{                                                                               \
#table, TABLE##_COLUMNS, COL_##TABLE##_N, TABLE##_TEXTS, TABLE##_BLOBS, \
			rules                                                           \
	}
#define PART_TABLE(TABLE, table) PART_TABLE_BY(TABLE, table, 1)

struct part_rows {
	const struct part_table *table;
	struct cell *cells; /* owned; n * table->ncolumns */
	size_t n, cap;
	struct arena arena; /* of texts of its own */
	bool is_too_many;   /* PART_ROWS_MOST: there are none */
	int rules;          /* the table's, or those by which a store's rows were made */
};

void part_rows_init(struct part_rows *rows, const struct part_table *table);
/* Accepts a zeroed one. */
void part_rows_release(struct part_rows *rows);
/* One more, all null: valid until the next one.  NULL when there are too many. */
struct cell *part_rows_add(struct part_rows *rows);
/* Of the row: a copy of the text; NULL is null. */
struct cell part_rows_text(struct part_rows *rows, const char *text);
/* The same of bytes. */
struct cell part_rows_bytes(struct part_rows *rows, struct str bytes);

static inline const struct cell *part_rows_at(const struct part_rows *rows, size_t row)
{
	return rows->cells + row * (size_t)rows->table->ncolumns;
}

/* The integer of a cell; for another `otherwise`. */
static inline int64_t part_int(struct cell cell, int64_t otherwise)
{
	return cell.type == CELL_INT ? cell.as.integer : otherwise;
}

/* Takes all rows that a profile has in a table: 0, or -1 with err set. */
struct part_sink {
	int (*take)(const struct part_sink *sink, int64_t profile_id,
		    const struct part_rows *rows, struct err *err);
};

#endif
