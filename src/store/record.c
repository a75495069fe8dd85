/* SQLite's record format: see record.h. */
#include "store/record.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Serial types of section 2.1. */
enum {
	TYPE_NULL = 0,
	TYPE_INT8 = 1,
	TYPE_INT16,
	TYPE_INT24,
	TYPE_INT32,
	TYPE_INT48,
	TYPE_INT64,
	TYPE_REAL,
	TYPE_0, /* the integers 0 and 1, without a byte */
	TYPE_1,
	TYPE_BLOB = 12, /* and 2 a byte */
	TYPE_TEXT = 13  /* likewise */
};

/* The largest integer, of either sign, that takes six bytes. */
#define INT48_MAX ((INT64_C(1) << 47) - 1)

/* By the bytes that an integer needs: those that it gets, and its type. */
static const struct {
	uint8_t n, type;
} int_types[] = { { 0, TYPE_0 },     { 1, TYPE_INT8 },  { 2, TYPE_INT16 },
		  { 3, TYPE_INT24 }, { 4, TYPE_INT32 }, { 6, TYPE_INT48 },
		  { 6, TYPE_INT48 }, { 8, TYPE_INT64 }, { 8, TYPE_INT64 } };

void record_release(struct record *r)
{
	free(r->body);
	free(r->whole);
	*r = (struct record){ .body = NULL };
}

void record_begin(struct record *r)
{
	r->ntypes = 0;
	r->nbody = 0;
}

uint8_t *record_varint_put(uint8_t *p, uint64_t value)
{
	if (value < 0x80) {
		*p++ = (uint8_t)value;
		return p;
	}
	if (value >> 56) {
		/* The ninth byte has eight bits. */
		for (unsigned i = 0; i < 8; i++)
			*p++ = (uint8_t)(0x80 | (value >> (57 - 7 * i) & 0x7f));
		*p++ = (uint8_t)value;
		return p;
	}
	unsigned bits = 7;
	while (value >> bits)
		bits += 7;
	for (; bits > 7; bits -= 7)
		*p++ = (uint8_t)(0x80 | (value >> (bits - 7) & 0x7f));
	*p++ = (uint8_t)(value & 0x7f);
	return p;
}

size_t record_varint_get(const uint8_t *p, size_t n, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < n && i < RECORD_VARINT_MAX; i++) {
		if (i == RECORD_VARINT_MAX - 1) {
			*value = *value << 8 | p[i];
			return i + 1;
		}
		*value = *value << 7 | (p[i] & 0x7f);
		if (!(p[i] & 0x80))
			return i + 1;
	}
	return 0;
}

static void add_type(struct record *r, uint64_t type)
{
	assert(r->ntypes + RECORD_VARINT_MAX <= sizeof(r->types));
	r->ntypes = (size_t)(record_varint_put(r->types + r->ntypes, type) - r->types);
}

/* Room for n more bytes. */
static uint8_t *room(struct record *r, size_t n)
{
	if (r->cap - r->nbody < n)
		r->body = xgrow(r->body, &r->cap, r->nbody + n, 1);
	uint8_t *p = r->body + r->nbody;
	r->nbody += n;
	return p;
}

void record_null(struct record *r)
{
	add_type(r, TYPE_NULL);
}

/* The first byte is the highest one. */
static uint64_t big_endian(uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return value;
#else
	return __builtin_bswap64(value);
#endif
}

/* The low n bytes of the value. */
static void add_bytes(struct record *r, uint64_t value, unsigned n)
{
	uint64_t bytes = big_endian(value << (64 - 8 * n));

	memcpy(room(r, sizeof(bytes)), &bytes, sizeof(bytes));
	r->nbody -= sizeof(bytes) - n;
}

/* Without a branch for each type: what integers need differs from row to row. */
void record_int(struct record *r, int64_t value)
{
	uint64_t size = value < 0 ? ~(uint64_t)value : (uint64_t)value;
	unsigned bits = 64 - (unsigned)__builtin_clzll(size | 1), need = bits / 8 + 1;

	assert(r->ntypes < sizeof(r->types));
	if (value == 0 || value == 1) {
		r->types[r->ntypes++] = value ? TYPE_1 : TYPE_0;
		return;
	}
	r->types[r->ntypes++] = int_types[need].type;
	add_bytes(r, (uint64_t)value, int_types[need].n);
}

void record_real(struct record *r, double value)
{
	uint64_t bits;

	if (isnan(value)) {
		record_null(r);
		return;
	}
	/* As sqlite3VdbeIntegerAffinity() and OP_MakeRecord do. */
	if (fabs(value) <= (double)INT48_MAX && value == (double)(int64_t)value) {
		record_int(r, (int64_t)value);
		return;
	}
	add_type(r, TYPE_REAL);
	memcpy(&bits, &value, sizeof(bits));
	add_bytes(r, bits, sizeof(bits));
}

static void add_text(struct record *r, struct str bytes, unsigned type)
{
	add_type(r, type + 2 * (uint64_t)bytes.n);
	if (bytes.n)
		memcpy(room(r, bytes.n), bytes.p, bytes.n);
}

void record_text(struct record *r, struct str text)
{
	add_text(r, text, TYPE_TEXT);
}

void record_blob(struct record *r, struct str bytes)
{
	add_text(r, bytes, TYPE_BLOB);
}

/* The header tells its own size, itself included. */
static size_t header_size(const struct record *r)
{
	return r->ntypes + (r->ntypes < 0x7f ? 1 : 2);
}

size_t record_size(const struct record *r)
{
	return header_size(r) + r->nbody;
}

void record_put(const struct record *r, uint8_t *out)
{
	out = record_varint_put(out, header_size(r));
	memcpy(out, r->types, r->ntypes);
	if (r->nbody)
		memcpy(out + r->ntypes, r->body, r->nbody);
}

struct str record_whole(struct record *r)
{
	size_t n = record_size(r);

	if (r->whole_cap < n)
		r->whole = xgrow(r->whole, &r->whole_cap, n, 1);
	record_put(r, r->whole);
	return (struct str){ (const char *)r->whole, n };
}
