/*
 * A hash table of places: of the records that have a hash.  What a record is, and
 * which are equal, its owner knows.  A slot has 32 bits of the hash, so that records,
 * which lie far apart and maybe in a file, are looked at only when they may be the one.
 */
#ifndef PTOOL_BASE_SLOTS_H
#define PTOOL_BASE_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#define SLOT_FREE UINT32_MAX

struct spill;

struct slots {
	uint64_t *slots;     /* owned; half of a hash and place + 1; 0 is free */
	size_t nslots, n;    /* a power of two, or 0; taken ones */
	struct spill *spill; /* borrowed, or NULL: where they lie */
};

void slots_init(struct slots *s, struct spill *spill);
void slots_release(struct slots *s);
/* Adds the place of a record, below UINT32_MAX, that is not there. */
void slots_add(struct slots *s, uint64_t hash, uint32_t place);

/*
 * The first place of this hash, and behind *at the next one: SLOT_FREE when there is
 * none.  Places of other hashes may be among them.
 */
static inline uint32_t slots_from(const struct slots *s, uint64_t hash, size_t *at)
{
	for (;; ++*at) {
		uint64_t slot = s->slots[ *at &= s->nslots - 1];
		if (slot == 0)
			return SLOT_FREE;
		if (slot >> 32 == (uint32_t)hash)
			return (uint32_t)slot - 1;
	}
}

static inline uint32_t slots_first(const struct slots *s, uint64_t hash, size_t *at)
{
	*at = (uint32_t)hash;
	return s->nslots ? slots_from(s, hash, at) : SLOT_FREE;
}

static inline uint32_t slots_next(const struct slots *s, uint64_t hash, size_t *at)
{
	++*at;
	return slots_from(s, hash, at);
}

#endif
