/* Decimal digits, eight at a time. */
#ifndef PTOOL_BASE_DIGITS_H
#define PTOOL_BASE_DIGITS_H

#include <stdint.h>
#include <string.h>

#define BYTES_OF_ONE  UINT64_C(0x0101010101010101)
#define BYTES_OF_HIGH UINT64_C(0x8080808080808080)

/* Eight bytes, the first one in the lowest bits. */
static inline uint64_t word_at(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* The digits at p as 0 to 9, other bytes as something larger. */
static inline uint64_t digits_at(const char *p)
{
	return word_at(p) ^ (BYTES_OF_ONE * '0');
}

/* How many of eight bytes, as digits_at gives them, are digits before the first other one. */
static inline unsigned digits_count(uint64_t digits)
{
	/* The lowest of these bits is right, those above it may be wrong. */
	uint64_t others =
		((digits + BYTES_OF_ONE * (0x80 - 10)) | digits) & BYTES_OF_HIGH;

	return others ? (unsigned)__builtin_ctzll(others) >> 3 : 8;
}

/* The number that the first n (1 to 8) of them make. */
static inline uint64_t digits_number(uint64_t digits, unsigned n)
{
	/* The first digit is in the lowest byte: zeros come in before it. */
	uint64_t x = digits << (64 - 8 * n);

	x = x * 10 + (x >> 8);
	return ((x & UINT64_C(0xff000000ff)) * UINT64_C(0xf424000000064) +
		((x >> 16) & UINT64_C(0xff000000ff)) * UINT64_C(0x271000000001)) >>
	       32;
}

#endif
