/*
 * Many rows into a table at once.  A row is an array of cells, one for each column of
 * the table, numbered by the enum that scripts/columns.sh makes of schema.sql: whoever
 * writes rows, through SQLite or as pages, takes them from the same `row` function.
 *
 * Here they go through a virtual table and one INSERT ... SELECT, which is twice as
 * fast as binding and stepping; ids that SQLite gives count on from the largest one.
 */
#ifndef PTOOL_STORE_BULK_H
#define PTOOL_STORE_BULK_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "trace/fact.h"

struct sqlite3;

enum bulk_kind {
	BULK_UNSET, /* a mistake, but of an id: then the next free one */
	BULK_NULL,
	BULK_INT,
	BULK_REAL,
	BULK_TEXT,
	BULK_BLOB
};

/* 16 bytes, which are set by two stores: there are twenty in each of millions of rows. */
struct bulk_cell {
	enum bulk_kind kind;
	uint32_t n; /* bytes of a text or blob, of which SQLite takes less than 2 GiB */
	union {
		int64_t number;
		double real;
		const char *bytes; /* borrowed until the next row is asked for */
	};
};

struct bulk {
	const char *table;
	const char *columns; /* their names, the id first: "id, a, b" */
	int ncolumns;        /* at most 64 */
	/*
	 * Sets each cell but, where SQLite is to give it, the id (cells[0]).  Rows are
	 * asked for once each, in their order: `from` may keep what the next row needs.
	 */
	void (*row)(const void *from, int64_t row, struct bulk_cell *cells);
	/*
	 * Not NULL: rows may be asked for in stretches, each through a `from` of its own
	 * (bulk_team.h): makes it ready for that row.
	 */
	void (*seek)(const void *from, int64_t row);
	/* Not NULL: where `row` says that it failed.  Then no more rows are asked for. */
	const struct err *failure; /* borrowed */
};

/* The bulk of a table of schema.sql: its name in large and in small letters. */
#define BULK(TABLE, name, row) BULK_PARTS(TABLE, name, row, NULL)
#define BULK_PARTS(TABLE, name, row, seek)                               \
	{                                                                \
#name, TABLE##_COLUMNS, COL_##TABLE##_N, row, seek, NULL \
	}

/* 0, or -1 with err set: what SQLite says, or the column that no row sets. */
int bulk_insert(struct sqlite3 *db, const struct bulk *bulk, const void *from,
		int64_t nrows, struct err *err);

/*
 * Of each row: 0, or -1 with err set where `row` failed.  The first one shows whether
 * all columns are set.
 */
int bulk_check(const struct bulk *bulk, int64_t row, const struct bulk_cell *cells,
	       struct err *err);

static inline struct bulk_cell bulk_null(void)
{
	return (struct bulk_cell){ .kind = BULK_NULL };
}

static inline struct bulk_cell bulk_int(int64_t value)
{
	return (struct bulk_cell){ .kind = BULK_INT, .number = value };
}

/* NUMBER_NONE is NULL. */
static inline struct bulk_cell bulk_number(int64_t value)
{
	return value == NUMBER_NONE ? bulk_null() : bulk_int(value);
}

static inline struct str bulk_bytes(const struct bulk_cell *cell)
{
	return (struct str){ cell->bytes, cell->n };
}

static inline struct bulk_cell bulk_real(double value)
{
	return (struct bulk_cell){ .kind = BULK_REAL, .real = value };
}

static inline struct bulk_cell bulk_text(struct str text)
{
	return (struct bulk_cell){ BULK_TEXT, (uint32_t)text.n, { .bytes = text.p } };
}

static inline struct bulk_cell bulk_blob(struct str bytes)
{
	return (struct bulk_cell){ BULK_BLOB, (uint32_t)bytes.n, { .bytes = bytes.p } };
}

#endif
