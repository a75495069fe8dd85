/* Hashes: see hash.h. */
#include "base/hash.h"

#include <endian.h>
#include <string.h>
#include <sys/random.h>

uint64_t hash_keys[HASH_KEYS] = {
	UINT64_C(0x9e3779b97f4a7c15),
	UINT64_C(0xd6e8feb86659fd93),
	UINT64_C(0x9fb21c651e98df25),
	UINT64_C(0xff51afd7ed558ccd),
};

void hash_begin(void)
{
	uint64_t keys[HASH_KEYS];

	if (getrandom(keys, sizeof(keys), GRND_NONBLOCK) != (ssize_t)sizeof(keys))
		return;
	for (size_t i = 0; i < HASH_KEYS; i++)
		hash_keys[i] = keys[i] | 1; /* a product by 0 would be that of all */
}

static uint64_t word_of(const unsigned char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return le64toh(word);
}

/* Of less than eight bytes, as a word: each of them counts. */
static uint64_t short_word(const unsigned char *p, size_t n)
{
	uint32_t first, last;

	if (n < sizeof(first))
		return n ? p[0] | (uint64_t)p[n / 2] << 8 | (uint64_t)p[n - 1] << 16 : 0;
	memcpy(&first, p, sizeof(first));
	memcpy(&last, p + n - sizeof(last), sizeof(last));
	return le32toh(first) | (uint64_t)le32toh(last) << 32;
}

#define WORD  sizeof(uint64_t)
#define PAIR  (2 * WORD)
#define LANES (2 * PAIR)

/* Two words a product, and of a long text two products that do not wait for each other. */
uint64_t hash_bytes(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	uint64_t h = hash_keys[0], other = hash_keys[3];

	if (n < WORD) /* without a byte it may be NULL, which has no end */
		return hash_mix(short_word(p, n) ^ h, hash_keys[1] ^ n);
	const unsigned char *end = p + n;
	for (; (size_t)(end - p) > LANES; p += LANES) {
		h = hash_mix(word_of(p) ^ hash_keys[1], word_of(p + WORD) ^ h);
		other = hash_mix(word_of(p + PAIR) ^ hash_keys[2],
				 word_of(p + PAIR + WORD) ^ other);
	}
	h ^= other;
	for (; (size_t)(end - p) > PAIR; p += PAIR)
		h = hash_mix(word_of(p) ^ hash_keys[1], word_of(p + WORD) ^ h);
	/* The last bytes, some of which may have been hashed. */
	uint64_t before = n < PAIR ? word_of(bytes) : word_of(end - PAIR);
	h = hash_mix(before ^ hash_keys[2], word_of(end - WORD) ^ h);
	return hash_mix(h ^ hash_keys[3], hash_keys[1] ^ n);
}

uint64_t hash_fixed(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	const uint64_t by = UINT64_C(0x9fb21c651e98df25);
	uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ (n * UINT64_C(0xff51afd7ed558ccd));

	for (size_t at = 0; at < n; at += WORD) {
		size_t left = n - at < WORD ? n - at : WORD;
		uint64_t word = 0;
		memcpy(&word, p + at, left);
		h = (h ^ le64toh(word)) * by;
		h ^= h >> 35;
	}
	return h ^ h >> 32;
}
