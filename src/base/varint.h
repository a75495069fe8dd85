/*
 * Integers in as few bytes as they need: LEB128 (seven bits a byte, the lowest first,
 * the highest bit of a byte set when another follows), as in DWARF and protobuf.
 */
#ifndef PTOOL_BASE_VARINT_H
#define PTOOL_BASE_VARINT_H

#include <stdbool.h>
#include <stdint.h>

#define VARINT_MAX 10 /* bytes of one */

/* Returns the byte behind it; there is room for VARINT_MAX. */
static inline uint8_t *varint_put(uint8_t *p, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*p++ = (uint8_t)(value | 0x80);
	*p++ = (uint8_t)value;
	return p;
}

/* Moves *p behind it; false, and *p somewhere up to the end, where there is none. */
static inline bool varint_get(const uint8_t **p, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && *p < end; shift += 7) {
		uint8_t byte = *(*p)++;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* Small numbers of either sign as small ones without: 0, -1, 1, -2, 2 ... (protobuf's zigzag). */
static inline uint64_t zigzag_of(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t zigzag_value(uint64_t code)
{
	return (int64_t)(code >> 1 ^ (code & 1 ? UINT64_MAX : 0));
}

#endif
