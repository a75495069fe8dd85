/*
 * Rows as SQLite keeps them: the record format (sqlite.org/fileformat2.html,
 * section 2.1), and a record with its rowid as the cell of a table's leaf page.
 * What is written is what SQLite would write: integers in as few bytes as they
 * need, reals that are whole numbers as integers.
 */
#ifndef PTOOL_STORE_RECORD_H
#define PTOOL_STORE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define RECORD_COLUMNS_MAX 64
#define RECORD_VARINT_MAX  9 /* bytes; SQLite's varints are big-endian */

/* One row that is being made: begin, then a call a column, in order. */
struct record {
	uint8_t types[RECORD_COLUMNS_MAX * RECORD_VARINT_MAX];
	size_t ntypes; /* bytes */
	uint8_t *body; /* owned */
	size_t nbody, cap;
	uint8_t *whole; /* owned */
	size_t whole_cap;
};

/* Zeroed is a record too. */
void record_release(struct record *r);
void record_begin(struct record *r);
void record_null(struct record *r);
void record_int(struct record *r, int64_t value);
/* Of a column whose type is REAL; NaN is NULL, as in SQLite. */
void record_real(struct record *r, double value);
void record_text(struct record *r, struct str text);
void record_blob(struct record *r, struct str bytes);

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
