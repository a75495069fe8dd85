/* Records that are stored once: see unique.h. */
#include "store/unique.h"

#include <assert.h>
#include <string.h>

#include "base/intern.h"
#include "base/spill.h"

#define FIRST_SLOTS 64

void uniques_init(struct uniques *u, size_t size, struct spill *spill)
{
	*u = (struct uniques){ .size = size, .spill = spill };
}

void uniques_release(struct uniques *u)
{
	spill_free(u->spill, u->records);
	spill_free(u->spill, u->slots);
	*u = (struct uniques){ .size = u->size, .spill = u->spill };
}

/* The slot that the record has, or that is free for it. */
static size_t find_slot(const struct uniques *u, const void *record)
{
	size_t at = hash_bytes(record, u->size) & (u->nslots - 1);

	while (u->slots[at] &&
	       memcmp(uniques_at(u, u->slots[at] - 1), record, u->size) != 0)
		at = (at + 1) & (u->nslots - 1);
	return at;
}

static void rehash(struct uniques *u)
{
	spill_free(u->spill, u->slots);
	u->nslots = u->nslots ? 2 * u->nslots : FIRST_SLOTS;
	u->slots = spill_alloc(u->spill, u->nslots, sizeof(*u->slots));
	for (uint32_t i = 0; i < u->n; i++)
		u->slots[find_slot(u, uniques_at(u, i))] = i + 1;
}

uint32_t uniques_add(struct uniques *u, const void *record)
{
	if (u->n && memcmp(uniques_at(u, u->newest), record, u->size) == 0)
		return u->newest;
	if ((u->n + 1) * 3 > u->nslots * 2)
		rehash(u);
	size_t at = find_slot(u, record);
	if (!u->slots[at]) {
		assert(u->n < UINT32_MAX - 1);
		u->records = spill_grow(u->spill, u->records, &u->cap, u->n + 1, u->size);
		memcpy(u->records + u->n * u->size, record, u->size);
		u->slots[at] = (uint32_t)++u->n;
	}
	u->newest = u->slots[at] - 1;
	return u->newest;
}
