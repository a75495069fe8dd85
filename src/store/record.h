/*
 * Rows as SQLite keeps them: the record format (sqlite.org/fileformat2.html,
 * section 2.1), and a record with its rowid as the cell of a table's leaf page.
 * What is written is what SQLite would write: integers in as few bytes as they
 * need, reals that are whole numbers as integers.
 */
#ifndef PTOOL_STORE_RECORD_H
#define PTOOL_STORE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

#define RECORD_COLUMNS_MAX 64
#define RECORD_VARINT_MAX  9 /* bytes; SQLite's varints are big-endian */

/* Serial types of section 2.1. */
enum {
	RECORD_NULL = 0,
	RECORD_INT8 = 1,
	RECORD_INT16,
	RECORD_INT24,
	RECORD_INT32,
	RECORD_INT48,
	RECORD_INT64,
	RECORD_REAL,
	RECORD_0, /* the integers 0 and 1, without a byte */
	RECORD_1,
	RECORD_BLOB = 12, /* and 2 a byte */
	RECORD_TEXT = 13  /* likewise */
};

/* One row that is being made: begin, a call a column, in order, and end. */
struct record {
	uint8_t types[RECORD_COLUMNS_MAX * RECORD_VARINT_MAX];
	size_t ntypes; /* bytes */
	uint8_t *body; /* owned */
	size_t nbody, cap;
	uint8_t *whole; /* owned */
	size_t whole_cap;
};

/*
 * Where the next column's type and value go.  It is handed on by value, so that it stays
 * in registers: there are twenty columns in each of millions of rows.
 */
struct record_at {
	uint8_t *type, *body; /* room for all columns that are numbers, and 8 bytes */
};

/* Zeroed is a record too. */
void record_release(struct record *r);
/* At most RECORD_COLUMNS_MAX columns follow. */
struct record_at record_begin(struct record *r);
/* Of a column whose type is REAL; NaN is NULL, as in SQLite. */
struct record_at record_real(struct record_at at, double value);
struct record_at record_text(struct record *r, struct record_at at, struct str text);
struct record_at record_blob(struct record *r, struct record_at at, struct str bytes);
void record_end(struct record *r, struct record_at at);

static inline struct record_at record_null(struct record_at at)
{
	*at.type++ = RECORD_NULL;
	return at;
}

/* The first byte is the highest one. */
static inline uint64_t record_big_endian(uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return value;
#else
	return __builtin_bswap64(value);
#endif
}

/* Without a branch for each type: what integers need differs from row to row. */
static inline struct record_at record_int(struct record_at at, int64_t value)
{
	/* By the bytes that an integer needs, 0 for those without one. */
	static const struct {
		uint8_t n, type;
	} types[] = { { 0, RECORD_0 },     { 1, RECORD_INT8 },  { 2, RECORD_INT16 },
		      { 3, RECORD_INT24 }, { 4, RECORD_INT32 }, { 6, RECORD_INT48 },
		      { 6, RECORD_INT48 }, { 8, RECORD_INT64 }, { 8, RECORD_INT64 } };
	uint64_t size = (uint64_t)(value < 0 ? ~value : value);
	unsigned bits = 64 - (unsigned)__builtin_clzll(size | 1), need = bits / 8 + 1;
	bool is_bit = (uint64_t)value < 2;

	need = is_bit ? 0 : need;
	unsigned n = types[need].n;
	uint64_t bytes = record_big_endian((uint64_t)value << ((64 - 8 * n) & 63));
	*at.type++ = (uint8_t)(types[need].type + (is_bit ? (unsigned)value : 0));
	memcpy(at.body, &bytes, sizeof(bytes));
	at.body += n;
	return at;
}

/* Bytes of the record: the payload of its cell. */
size_t record_size(const struct record *r);
/* Puts record_size() bytes. */
void record_put(const struct record *r, uint8_t *out);
/* The whole record, behind the last column; borrowed until the next row. */
struct str record_whole(struct record *r);

/* Returns the byte behind it; there is room for RECORD_VARINT_MAX. */
uint8_t *record_varint_put(uint8_t *p, uint64_t value);
/* Bytes read, or 0 where the bytes end before it does. */
size_t record_varint_get(const uint8_t *p, size_t n, uint64_t *value);

#endif
