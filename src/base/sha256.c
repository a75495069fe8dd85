/* SHA-256: see sha256.h. */
#include "base/sha256.h"

#include <stdio.h>

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t rounds[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static void schedule(const uint8_t *block, uint32_t w[64])
{
	for (size_t i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (size_t i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];
		w[i] = w[i - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + w[i - 7] +
		       (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
	}
}

static void compress(struct sha256 *s, const uint8_t *block)
{
	uint32_t w[64], v[8];

	schedule(block, w);
	memcpy(v, s->state, sizeof(v));
	for (size_t i = 0; i < 64; i++) {
		uint32_t e = v[4], a = v[0];
		uint32_t one = v[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
			       ((e & v[5]) ^ (~e & v[6])) + rounds[i] + w[i];
		uint32_t two = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) +
			       ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += one;
		v[0] = one + two;
	}
	for (size_t i = 0; i < 8; i++)
		s->state[i] += v[i];
}

void sha256_init(struct sha256 *s)
{
	/* the first 32 bits of the fractions of the square roots of the first 8 primes */
	*s = (struct sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					 0x510e527f, 0x9b05688c, 0x1f83d9ab,
					 0x5be0cd19 } };
}

void sha256_add(struct sha256 *s, struct str bytes)
{
	size_t filled = (size_t)(s->length % sizeof(s->block));

	s->length += bytes.n;
	while (bytes.n) {
		size_t room = sizeof(s->block) - filled;
		size_t n = bytes.n < room ? bytes.n : room;
		memcpy(s->block + filled, bytes.p, n);
		filled += n;
		bytes = str_behind(bytes, n);
		if (filled == sizeof(s->block)) {
			compress(s, s->block);
			filled = 0;
		}
	}
}

static void end(struct sha256 *s)
{
	uint64_t bits = s->length * 8;
	uint8_t tail[72] = { 0x80 };
	size_t filled = (size_t)(s->length % sizeof(s->block));
	size_t n = (filled < 56 ? 56 : 120) - filled;

	for (size_t i = 0; i < 8; i++)
		tail[n + i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(s, str_bytes(tail, n + 8));
}

void sha256_end(struct sha256 *s, char hex[SHA256_HEX])
{
	end(s);
	for (size_t i = 0; i < 8; i++)
		snprintf(hex + 8 * i, 9, "%08x", (unsigned)s->state[i]);
}

uint64_t sha256_end_u64(struct sha256 *s)
{
	end(s);
	return (uint64_t)s->state[0] << 32 | s->state[1];
}
