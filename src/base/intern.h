/*
 * Text -> small number, each text stored once, numbers given in order of
 * first sight: the same input always gives the same numbers.
 */
#ifndef PTOOL_BASE_INTERN_H
#define PTOOL_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/*
 * A hash table of places: of the records that have a hash.  What a record is, and
 * which are equal, its owner knows.  A slot has 32 bits of the hash, so that records,
 * which lie far apart and maybe in a file, are looked at only when they may be the one.
 */
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

/* Brings the slot of a hash into the cache, for who looks for it soon. */
static inline void slots_prefetch(const struct slots *s, uint64_t hash)
{
	if (s->nslots)
		__builtin_prefetch(&s->slots[(uint32_t)hash & (s->nslots - 1)]);
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

struct spill;

struct intern {
	struct arena text; /* owns the bytes */
	struct str *strs;  /* by number */
	size_t n, cap;
	struct slots slots; /* numbers */
};

void intern_init(struct intern *in);
/* All of it comes from the spill, borrowed, which may be NULL. */
void intern_init_in(struct intern *in, struct spill *spill);
void intern_release(struct intern *in);
/* Empty again; keeps its room, to be filled with about as much. */
void intern_clear(struct intern *in);
/* The number of the text, which is copied when it is new. */
uint32_t intern_add(struct intern *in, struct str text);
/*
 * The hashes of n texts, at most INTERN_AHEAD, and what is needed to find them on its way
 * into the cache: adding one after the other waits for memory each time.
 */
#define INTERN_AHEAD 32
void intern_look_ahead(const struct intern *in, const struct str *texts, size_t n,
		       uint64_t *hashes);
/* intern_add() of a text whose hash_bytes() is known. */
uint32_t intern_add_hashed(struct intern *in, struct str text, uint64_t hash);
/* Was that text added? */
bool intern_has(const struct intern *in, struct str text);
/* The text of a number; lives as long as the table. */
struct str intern_str(const struct intern *in, uint32_t number);

#endif
