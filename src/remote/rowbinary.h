/*
 * RowBinary, ClickHouse's rows as bytes: little-endian numbers, texts as their length
 * (LEB128) and bytes, a byte before what may be NULL.
 * https://clickhouse.com/docs/en/interfaces/formats#rowbinary
 */
#ifndef PTOOL_REMOTE_ROWBINARY_H
#define PTOOL_REMOTE_ROWBINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* Of Int64 and UInt64, Float64, and String. */
enum rowbinary_kind { ROWBINARY_INT, ROWBINARY_REAL, ROWBINARY_TEXT };

struct rowbinary_type {
	enum rowbinary_kind kind;
	bool nullable;
};

struct rowbinary_cell {
	bool is_null;
	int64_t number;
	double real;
	struct str text; /* any bytes; lives as long as the row */
};

/* False where the buffer has no room for all of it. */
bool rowbinary_put_int(struct buf *to, int64_t value);
bool rowbinary_put_real(struct buf *to, double value);
bool rowbinary_put_text(struct buf *to, struct str text);
/* Before a cell whose type is nullable. */
bool rowbinary_put_null(struct buf *to, bool is_null);

/* Bytes that a row of these types has at least. */
uint64_t rowbinary_least(const struct rowbinary_type *types, size_t n);
/* ERR_IO: there is no room for as much. */
int rowbinary_too_much(struct err *err);

/*
 * Rows out of bytes that come in pieces.  What arrived of a row that is not whole yet is
 * kept, up to ROWBINARY_ROW_MAX bytes: whoever sends more gets an error, as does who
 * sends more rows than `most`, or more bytes than `room`.
 */
#define ROWBINARY_ROW_MAX     ((size_t)128 << 20)
#define ROWBINARY_COLUMNS_MAX 128

struct rowbinary_reader {
	const struct rowbinary_type *types; /* borrowed; at most ROWBINARY_COLUMNS_MAX */
	size_t ntypes;
	uint64_t most;  /* rows that may come */
	uint64_t *room; /* bytes that may come, of all that share it; NULL: any number */
	/* Gets each row: 0, or -1 with err set, which ends the reading. */
	int (*row)(void *to, const struct rowbinary_cell *cells, struct err *err);
	void *to;
	uint64_t nrows;  /* that came */
	struct buf rest; /* private; rowbinary_end() releases it */
};

/* `types`, `row`, `to`, `most` and perhaps `room` are set; all else is zeroed. */
void rowbinary_begin(struct rowbinary_reader *r);
/* The next bytes.  -1 with an ERR_IO: no RowBinary of these types, or too much. */
int rowbinary_feed(struct rowbinary_reader *r, struct str bytes, struct err *err);
/* -1 with an ERR_IO when a row is not whole.  Always releases. */
int rowbinary_end(struct rowbinary_reader *r, struct err *err);

#endif
