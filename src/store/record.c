/* SQLite's record format: see record.h. */
#include "store/record.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* The largest integer, of either sign, that takes six bytes. */
#define INT48_MAX ((INT64_C(1) << 47) - 1)

/* What a row of numbers needs, and what is written behind the last one. */
#define NUMBERS_BYTES (RECORD_COLUMNS_MAX * sizeof(uint64_t) + sizeof(uint64_t))

void record_release(struct record *r)
{
	free(r->body);
	free(r->whole);
	*r = (struct record){ .body = NULL };
}

struct record_at record_begin(struct record *r)
{
	if (r->cap < NUMBERS_BYTES)
		r->body = xgrow(r->body, &r->cap, NUMBERS_BYTES, 1);
	return (struct record_at){ r->types, r->body };
}

void record_end(struct record *r, struct record_at at)
{
	r->ntypes = (size_t)(at.type - r->types);
	r->nbody = (size_t)(at.body - r->body);
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

struct record_at record_real(struct record_at at, double value)
{
	uint64_t bits;

	if (isnan(value))
		return record_null(at);
	/* As sqlite3VdbeIntegerAffinity() and OP_MakeRecord do. */
	if (fabs(value) <= (double)INT48_MAX && value == (double)(int64_t)value)
		return record_int(at, (int64_t)value);
	*at.type++ = RECORD_REAL;
	memcpy(&bits, &value, sizeof(bits));
	bits = record_big_endian(bits);
	memcpy(at.body, &bits, sizeof(bits));
	at.body += sizeof(bits);
	return at;
}

static struct record_at add_bytes(struct record *r, struct record_at at, struct str bytes,
				  unsigned type)
{
	size_t n = (size_t)(at.body - r->body);

	assert(at.type + RECORD_VARINT_MAX <= r->types + sizeof(r->types));
	at.type = record_varint_put(at.type, type + 2 * (uint64_t)bytes.n);
	if (r->cap - n < bytes.n + NUMBERS_BYTES)
		r->body = xgrow(r->body, &r->cap, n + bytes.n + NUMBERS_BYTES, 1);
	at.body = r->body + n;
	if (bytes.n)
		memcpy(at.body, bytes.p, bytes.n);
	at.body += bytes.n;
	return at;
}

struct record_at record_text(struct record *r, struct record_at at, struct str text)
{
	return add_bytes(r, at, text, RECORD_TEXT);
}

struct record_at record_blob(struct record *r, struct record_at at, struct str bytes)
{
	return add_bytes(r, at, bytes, RECORD_BLOB);
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
