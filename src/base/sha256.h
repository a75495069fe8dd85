/* SHA-256 (FIPS 180-4), of what comes in pieces. */
#ifndef PTOOL_BASE_SHA256_H
#define PTOOL_BASE_SHA256_H

#include <stdint.h>

#include "base/str.h"

#define SHA256_BYTES 32
#define SHA256_HEX   (2 * SHA256_BYTES + 1) /* with the NUL */

struct sha256 {
	uint32_t state[8];
	uint64_t length; /* bytes so far */
	uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, struct str bytes);
/* The digest as lower-case digits; the struct is done with. */
void sha256_end(struct sha256 *s, char hex[SHA256_HEX]);
/* Likewise the first 64 bits of it, as a number. */
uint64_t sha256_end_u64(struct sha256 *s);

#endif
