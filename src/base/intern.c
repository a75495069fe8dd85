/* Text interning: see intern.h. */
#include "base/intern.h"

#include <assert.h>

#include "base/hash.h"
#include "base/spill.h"

void intern_init(struct intern *in)
{
	intern_init_in(in, NULL);
}

void intern_init_in(struct intern *in, struct spill *spill)
{
	*in = (struct intern){ .text.spill = spill };
	slots_init(&in->slots, spill);
}

void intern_release(struct intern *in)
{
	struct spill *spill = in->text.spill;

	arena_release(&in->text);
	spill_free(spill, in->strs);
	slots_release(&in->slots);
	*in = (struct intern){ 0 };
}

void intern_clear(struct intern *in)
{
	arena_release(&in->text);
	in->n = 0;
	if (in->slots.n)
		memset(in->slots.slots, 0, in->slots.nslots * sizeof(*in->slots.slots));
	in->slots.n = 0;
}

/* SLOT_FREE: it was not added. */
static uint32_t find(const struct intern *in, struct str text, uint64_t hash)
{
	size_t at;
	uint32_t number = slots_first(&in->slots, hash, &at);

	while (number != SLOT_FREE && !str_equal(in->strs[number], text))
		number = slots_next(&in->slots, hash, &at);
	return number;
}

#define CACHE_LINE ((size_t)64)
#define CACHED_AHEAD \
	(16 * CACHE_LINE) /* of a text; the processor sees where it goes on */

void intern_look_ahead(const struct intern *in, const struct str *texts, size_t n,
		       uint64_t *hashes)
{
	uint32_t numbers[INTERN_AHEAD];
	size_t at;

	assert(n <= INTERN_AHEAD);
	for (size_t i = 0; i < n; i++) {
		hashes[i] = hash_bytes(texts[i].p, texts[i].n);
		slots_prefetch(&in->slots, hashes[i]);
	}
	for (size_t i = 0; i < n; i++) {
		numbers[i] = slots_first(&in->slots, hashes[i], &at);
		if (numbers[i] != SLOT_FREE)
			__builtin_prefetch(&in->strs[numbers[i]]);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t line = 0;
		     numbers[i] != SLOT_FREE && line < in->strs[numbers[i]].n &&
		     line < CACHED_AHEAD;
		     line += CACHE_LINE)
			__builtin_prefetch(in->strs[numbers[i]].p + line);
}

uint32_t intern_add(struct intern *in, struct str text)
{
	return intern_add_hashed(in, text, hash_bytes(text.p, text.n));
}

uint32_t intern_add_hashed(struct intern *in, struct str text, uint64_t hash)
{
	uint32_t number = find(in, text, hash);

	if (number != SLOT_FREE)
		return number;
	assert(in->n < UINT32_MAX - 1);
	in->strs = spill_grow(in->text.spill, in->strs, &in->cap, in->n + 1,
			      sizeof(*in->strs));
	in->strs[in->n] = arena_copy(&in->text, text);
	slots_add(&in->slots, hash, (uint32_t)in->n);
	return (uint32_t)in->n++;
}

bool intern_has(const struct intern *in, struct str text)
{
	return find(in, text, hash_bytes(text.p, text.n)) != SLOT_FREE;
}

struct str intern_str(const struct intern *in, uint32_t number)
{
	assert(number < in->n);
	return in->strs[number];
}

#define FIRST_SLOTS 64

void slots_init(struct slots *s, struct spill *spill)
{
	*s = (struct slots){ .spill = spill };
}

void slots_release(struct slots *s)
{
	spill_free(s->spill, s->slots);
	slots_init(s, s->spill);
}

static void put(struct slots *s, uint64_t slot)
{
	size_t at = (slot >> 32) & (s->nslots - 1);

	while (s->slots[at])
		at = (at + 1) & (s->nslots - 1);
	s->slots[at] = slot;
}

static void grow(struct slots *s)
{
	uint64_t *old = s->slots;
	size_t nold = s->nslots;

	s->nslots = nold ? 2 * nold : FIRST_SLOTS;
	s->slots = spill_alloc(s->spill, s->nslots, sizeof(*s->slots));
	for (size_t i = 0; i < nold; i++)
		if (old[i])
			put(s, old[i]);
	spill_free(s->spill, old);
}

void slots_add(struct slots *s, uint64_t hash, uint32_t place)
{
	if ((s->n + 1) * 3 > s->nslots * 2)
		grow(s);
	s->n++;
	put(s, hash << 32 | ((uint64_t)place + 1));
}
