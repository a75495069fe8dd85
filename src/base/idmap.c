/* Ids to rows: see idmap.h. */
#include "base/idmap.h"

#include "base/hash.h"
#include "base/spill.h"

void idmap_init(struct idmap *map, size_t expected)
{
	idmap_init_in(map, expected, NULL);
}

void idmap_init_in(struct idmap *map, size_t expected, struct spill *spill)
{
	size_t n = 16;

	while (n < expected * 2)
		n *= 2;
	*map = (struct idmap){ .slots = spill_alloc(spill, n, sizeof(*map->slots)),
			       .nslots = n,
			       .spill = spill };
}

void idmap_release(struct idmap *map)
{
	spill_free(map->spill, map->entries);
	spill_free(map->spill, map->slots);
	*map = (struct idmap){ 0 };
}

/* Where the id is or belongs. */
static struct idmap_slot *find_slot(const struct idmap *map, int64_t id)
{
	size_t at = hash_u64((uint64_t)id) & (map->nslots - 1);

	while (map->slots[at].first && map->entries[map->slots[at].first - 1].id != id)
		at = (at + 1) & (map->nslots - 1);
	return &map->slots[at];
}

static void grow(struct idmap *map)
{
	struct idmap_slot *old = map->slots;
	size_t nold = map->nslots;

	map->nslots *= 2;
	map->slots = spill_alloc(map->spill, map->nslots, sizeof(*map->slots));
	for (size_t i = 0; i < nold; i++)
		if (old[i].first)
			*find_slot(map, map->entries[old[i].first - 1].id) = old[i];
	spill_free(map->spill, old);
}

void idmap_add(struct idmap *map, int64_t id, uint32_t row)
{
	if ((map->nids + 1) * 2 > map->nslots)
		grow(map);
	struct idmap_slot *slot = find_slot(map, id);
	map->entries = spill_grow(map->spill, map->entries, &map->cap, map->n + 1,
				  sizeof(*map->entries));
	map->entries[map->n++] = (struct idmap_entry){ id, row, 0 };
	if (slot->first) {
		map->entries[slot->last - 1].next = (uint32_t)map->n;
	} else {
		slot->first = (uint32_t)map->n;
		map->nids++;
	}
	slot->last = (uint32_t)map->n;
}

size_t idmap_first(const struct idmap *map, int64_t id)
{
	return find_slot(map, id)->first;
}

uint32_t idmap_next(const struct idmap *map, size_t *at)
{
	if (*at == 0)
		return UINT32_MAX;
	const struct idmap_entry *e = &map->entries[*at - 1];
	*at = e->next;
	return e->row;
}
