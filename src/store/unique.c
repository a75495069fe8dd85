/* Records that are stored once: see unique.h. */
#include "store/unique.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/spill.h"

void uniques_init(struct uniques *u, size_t size, struct spill *spill)
{
	*u = (struct uniques){ .size = size, .spill = spill };
	slots_init(&u->slots, spill);
}

void uniques_release(struct uniques *u)
{
	spill_free(u->spill, u->records);
	slots_release(&u->slots);
	uniques_init(u, u->size, u->spill);
}

static uint32_t append(struct uniques *u, const void *record)
{
	assert(u->n < UINT32_MAX - 1);
	u->records = spill_grow(u->spill, u->records, &u->cap, u->n + 1, u->size);
	memcpy(u->records + u->n * u->size, record, u->size);
	return (uint32_t)u->n++;
}

uint32_t uniques_add(struct uniques *u, const void *record)
{
	if (u->n && memcmp(uniques_at(u, u->newest), record, u->size) == 0)
		return u->newest;
	uint64_t hash = hash_bytes(record, u->size);
	size_t at;
	uint32_t place = slots_first(&u->slots, hash, &at);
	while (place != SLOT_FREE && memcmp(uniques_at(u, place), record, u->size) != 0)
		place = slots_next(&u->slots, hash, &at);
	if (place == SLOT_FREE) {
		place = append(u, record);
		slots_add(&u->slots, hash, place);
	}
	u->newest = place;
	return place;
}
