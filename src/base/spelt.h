/*
 * Texts that a reader makes of parts which the file has once and refers to: a file name of
 * 1 MB and 2,000 lines would be 2 GB of texts.  They may take SPELT_FREE bytes and
 * SPELT_PER_BYTE for each byte of the file; beyond that their parts are cut.
 */
#ifndef PTOOL_BASE_SPELT_H
#define PTOOL_BASE_SPELT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPELT_FREE     ((uint64_t)32 << 20)
#define SPELT_PER_BYTE 8
#define SPELT_PART     256 /* bytes that a part may always have */

struct spelt {
	uint64_t bytes; /* so far */
};

/* Takes n bytes of what a file of so many bytes, or what was read of it, may have. */
static inline bool spelt_take(struct spelt *s, size_t n, uint64_t file_bytes)
{
	uint64_t bytes = s->bytes + n;

	if (bytes > SPELT_FREE && (bytes - SPELT_FREE) / SPELT_PER_BYTE > file_bytes)
		return false;
	s->bytes = bytes;
	return true;
}

/* Of a text of n bytes: how many each of its parts may have.  Short ones are free. */
static inline size_t spelt_part(struct spelt *s, size_t n, uint64_t file_bytes)
{
	return n > SPELT_PART && spelt_take(s, n, file_bytes) ? n : SPELT_PART;
}

#endif
