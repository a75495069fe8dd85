/* Places by hash: see slots.h. */
#include "base/slots.h"

#include "base/spill.h"

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
