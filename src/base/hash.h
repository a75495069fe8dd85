/*
 * Hashes of the tables in memory.  Who writes a file chooses what is hashed: with a known
 * function it takes seconds to make thousands of names of one hash, and a table of these is
 * as slow as a list.  So the hashes of each process are others, and nothing that is
 * written or shown may depend on them.
 */
#ifndef PTOOL_BASE_HASH_H
#define PTOOL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * By random numbers of the system, where it has some at once; without this call they are
 * those of every process.  Called once, before anything is hashed.
 */
void hash_begin(void);

uint64_t hash_bytes(const void *bytes, size_t n);

/* The same in every process and on every machine: for colours, and for names of files. */
uint64_t hash_fixed(const void *bytes, size_t n);

#define HASH_KEYS 4
extern uint64_t hash_keys[HASH_KEYS]; /* set by hash_begin() alone */

__extension__ typedef unsigned __int128 hash_wide;

/* Both halves of the product: each bit of both numbers counts in the lower ones. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	hash_wide product = (hash_wide)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_u64(uint64_t x)
{
	return hash_mix(x ^ hash_keys[0], hash_keys[1]);
}

#endif
